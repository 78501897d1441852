//! LLVM bitcode that no bundle's id describes.

/// The beginning of SPIR-V.
pub const SPIRV: &[u8] = b"\x03\x02\x23\x07";

/// Bits of a number in an unabbreviated record. The highest of them says that more follow.
const CHUNK: u32 = 6;
/// `MODULE_CODE_TRIPLE`.
const TRIPLE: u128 = 2;
/// The bits that are looked at, with room for a start at each bit of a byte.
const WINDOW: u32 = 96;

/// Returns `true` for bitcode with a module for AMD GPUs. LLVM writes a module's triple as an unabbreviated record, each letter in two
/// chunks of bits, that starts at any bit.
pub fn is_for_amdgcn(bytes: &[u8]) -> bool {
    let (pattern, mask) = record("amdgcn");
    let mut window = 0;
    bytes.iter().any(|byte| {
        window = (window >> 8) | (u128::from(*byte) << (WINDOW - 8));
        (0..8).any(|shift| (window >> shift) & mask == pattern)
    })
}

/// A record of less than 32 letters that begins with `text`, and which bits of it are known: all but its length.
fn record(text: &str) -> (u128, u128) {
    let letters = text.bytes().rev().fold(0, |later, letter| {
        let letter = u128::from(letter);
        (later << (2 * CHUNK)) | ((letter >> 5) << CHUNK) | 0x20 | (letter & 0x1f)
    });
    let bits = 2 * CHUNK * (text.len() as u32 + 1);
    let mask = ((1 << bits) - 1) & !(0x1f << CHUNK);
    ((letters << (2 * CHUNK)) | TRIPLE, mask)
}

#[cfg(test)]
mod tests {
    use super::{is_for_amdgcn, record};

    /// A record with the triple's length, behind `shift` other bits.
    fn written(triple: &str, shift: u32) -> Vec<u8> {
        let (start, _) = record(triple);
        let bits = ((start | (17 << 6)) << shift) | ((1 << shift) - 1);
        [&b"BC\xc0\xde"[..], &bits.to_le_bytes(), &[0xff; 8]].concat()
    }

    #[test]
    fn the_triple_is_found_at_each_bit() {
        for shift in 0..8 {
            assert!(is_for_amdgcn(&written("amdgcn", shift)), "{shift}");
            assert!(!is_for_amdgcn(&written("x86_64", shift)), "{shift}");
        }
        // Text in the code is no triple.
        assert!(!is_for_amdgcn(
            b"BC\xc0\xde amdgcn-amd-amdhsa, and more of it"
        ));
        assert!(!is_for_amdgcn(b"BC\xc0\xde"));
    }
}
