//! Several bitcode files one after the other, as a device link leaves them in `.llvmbc`.
//!
//! The magic number may occur inside a module, so the files are told apart by walking their outermost blocks, not by
//! looking for it. Source: "LLVM Bitcode File Format", Abbreviation IDs and ENTER_SUBBLOCK.

const MAGIC: [u8; 4] = [b'B', b'C', 0xc0, 0xde];

/// The bytes are not a sequence of bitcode files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no LLVM bitcode at offset {offset:#x}: {reason}")]
pub struct SplitError {
    pub offset: usize,
    pub reason: &'static str,
}

/// The bitcode files in `bytes`, in order; zero bytes between them are skipped.
pub fn split(bytes: &[u8]) -> Result<Vec<&[u8]>, SplitError> {
    let mut files = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        if rest.len() < 4 && rest.iter().all(|byte| *byte == 0) || rest.starts_with(&[0; 4]) {
            at += 4.min(rest.len());
            continue;
        }
        if !rest.starts_with(&MAGIC) {
            return Err(SplitError {
                offset: at,
                reason: "the magic number is missing",
            });
        }
        let start = at;
        at += 4;
        while let Some(length) = block_length(bytes, at)? {
            at += length;
        }
        files.push(&bytes[start..at]);
    }
    Ok(files)
}

/// Bytes of the outermost block at `at`; `None` at the end of a file.
fn block_length(bytes: &[u8], at: usize) -> Result<Option<usize>, SplitError> {
    let rest = &bytes[at..];
    if rest.is_empty() || rest.starts_with(&MAGIC) || rest.starts_with(&[0; 4]) {
        return Ok(None);
    }
    let error = |reason| SplitError { offset: at, reason };
    // Abbreviation 1 (two bits), block id (vbr8), width of abbreviations inside (vbr4), then a word: words that follow.
    let header = rest.get(..8).ok_or(error("a block is cut off"))?;
    let bits = u64::from_le_bytes(header.try_into().expect("eight bytes"));
    if bits & 3 != 1 {
        return Err(error("neither a block nor the next file"));
    }
    let mut position: u32 = 2;
    for group in [8, 4] {
        loop {
            let value = bits >> position & ((1 << group) - 1);
            position += group;
            if value >> (group - 1) == 0 {
                break;
            }
            if position > 32 {
                return Err(error("a block id is too long"));
            }
        }
    }
    let word = position.div_ceil(32) as usize * 4;
    let length = rest
        .get(word..word + 4)
        .ok_or(error("a block is cut off"))?;
    let words = u32::from_le_bytes(length.try_into().expect("four bytes"));
    let total = word + 4 + words as usize * 4;
    if total > rest.len() {
        return Err(error("a block is cut off"));
    }
    Ok(Some(total))
}
