//! Fat binaries in host memory: images for several targets behind a table of contents.

/// A fat binary begins with this. Compressed ones begin otherwise, and are left alone: to look into one takes as long as to load it.
const MAGIC: &[u8; 24] = b"__CLANG_OFFLOAD_BUNDLE__";
/// More images than this are a damaged table.
const MOST_IMAGES: u64 = 4096;
/// Longer names of targets are a damaged table, too.
const LONGEST_NAME: u64 = 1024;

/// An image in a fat binary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The target, such as `gfx90a:xnack+`.
    pub target: String,
    /// Address of its first byte.
    pub address: u64,
    /// Size in bytes.
    pub size: u64,
}

impl Part {
    /// Returns `true` if a device of this name can execute it, as far as names tell.
    pub fn fits(&self, device: &str) -> bool {
        let processor = |name: &str| name.split(':').next().map(str::to_owned);
        processor(&self.target) == processor(device)
    }
}

/// The images for AMD GPUs of the fat binary at an address; none if it is damaged or something else.
pub fn parts(address: u64, read: &dyn Fn(u64, &mut [u8]) -> bool) -> Vec<Part> {
    all(address, read).unwrap_or_default()
}

fn all(start: u64, read: &dyn Fn(u64, &mut [u8]) -> bool) -> Option<Vec<Part>> {
    let mut at = start;
    let mut next = |size: u64| {
        let mut bytes = vec![0; usize::try_from(size).ok()?];
        let is_read = read(at, &mut bytes);
        at = at.checked_add(size)?;
        is_read.then_some(bytes)
    };
    let word = |bytes: Vec<u8>| Some(u64::from_le_bytes(bytes.try_into().ok()?));
    if next(MAGIC.len() as u64)? != MAGIC {
        return None;
    }
    let count = word(next(8)?).filter(|count| *count <= MOST_IMAGES)?;
    let mut parts = Vec::new();
    for _ in 0..count {
        let (offset, size) = (word(next(8)?)?, word(next(8)?)?);
        let length = word(next(8)?).filter(|length| *length <= LONGEST_NAME)?;
        let name = String::from_utf8(next(length)?).ok()?;
        if let Some(target) = name.find("gfx").and_then(|at| name.get(at..))
            && size != 0
        {
            parts.push(Part {
                target: target.to_owned(),
                address: start.checked_add(offset)?,
                size,
            });
        }
    }
    Some(parts)
}
