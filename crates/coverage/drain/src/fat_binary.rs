//! Fat binaries in host memory: images for several targets behind a table of contents.

use crate::runtime::Agent;

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
    /// Returns `true` if a device executes it: the processor is the same, or a generic one that the device names as its own, and no feature is
    /// the opposite of the device's.
    fn fits(&self, device: &Agent) -> bool {
        let fits = |target: &String| {
            let mut features = features(&self.target);
            let theirs: Vec<_> = self::features(target).collect();
            let is_opposite = |(name, is_on): (&str, bool)| theirs.contains(&(name, !is_on));
            processor(&self.target) == processor(target) && !features.any(is_opposite)
        };
        match device.targets.is_empty() {
            true => processor(&self.target) == processor(&device.name),
            false => device.targets.iter().any(fits),
        }
    }
}

/// `gfx90a` of `gfx90a:sramecc+:xnack-`.
fn processor(target: &str) -> &str {
    target.split(':').next().unwrap_or(target)
}

/// The features that a target names, each with `true` for on.
fn features(target: &str) -> impl Iterator<Item = (&str, bool)> {
    let named = target.split(':').skip(1);
    named.filter_map(|feature| match feature.strip_suffix('+') {
        Some(name) => Some((name, true)),
        None => Some((feature.strip_suffix('-')?, false)),
    })
}

/// The image that runtimes load on a device: one for its processor rather than a generic one.
pub fn chosen<'a>(parts: &'a [Part], device: &Agent) -> Option<&'a Part> {
    let fitting = parts.iter().filter(|part| part.fits(device));
    fitting.min_by_key(|part| processor(&part.target) != processor(&device.name))
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of the image that a device gets.
    fn choose(targets: &[&str], name: &str, device: &[&str]) -> Option<u64> {
        let parts = targets.iter().zip(0..).map(|(target, address)| Part {
            target: (*target).to_owned(),
            address,
            size: 1,
        });
        let device = Agent {
            handle: 1,
            name: name.to_owned(),
            label: String::new(),
            targets: device.iter().map(|target| (*target).to_owned()).collect(),
        };
        chosen(&parts.collect::<Vec<_>>(), &device).map(|part| part.address)
    }

    #[test]
    fn devices_get_the_image_that_they_execute() {
        let both = ["gfx90a:xnack+", "gfx90a:xnack-"];
        let device = ["gfx90a:sramecc+:xnack-"];
        assert_eq!(choose(&both, "gfx90a", &device), Some(1));
        assert_eq!(choose(&both[..1], "gfx90a", &device), None);
        assert_eq!(choose(&["gfx908", "gfx90a"], "gfx90a", &device), Some(1));
        assert_eq!(choose(&both, "gfx90a", &[]), Some(0), "nothing is known");
        let generic = ["gfx10-3-generic", "gfx1030"];
        let device = ["gfx1030", "gfx10-3-generic"];
        assert_eq!(choose(&generic, "gfx1030", &device), Some(1));
        assert_eq!(choose(&generic[..1], "gfx1030", &device), Some(0));
        assert_eq!(choose(&generic[..1], "gfx1030", &device[..1]), None);
    }
}
