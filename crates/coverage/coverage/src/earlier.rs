//! Profiles of builds that are gone: the program lies where it lay, with other code in it.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::File,
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
};

use drain::{
    image::ImageId,
    output::{Manifest, manifest_path},
};
use hsa_tool::{Origin, Uri};

/// A line for each program that has other code where its profiles' code was.
///
/// llvm-profdata adds the counts of functions that have the same name and shape in several builds. llvm-cov shows the sums beside the sources
/// of today.
pub fn warnings(profiles: &[PathBuf]) -> Vec<String> {
    let mut stale: BTreeMap<PathBuf, BTreeSet<&Path>> = BTreeMap::new();
    // Many profiles are of one program.
    let mut places = BTreeMap::new();
    for profile in profiles {
        let manifest = std::fs::read(manifest_path(profile)).ok();
        let manifest = manifest.and_then(|bytes| serde_json::from_slice::<Manifest>(&bytes).ok());
        let images = manifest.map(|manifest| manifest.images).unwrap_or_default();
        for image in images.into_iter().filter(|image| image.sha1.is_some()) {
            let place = places.entry(image.uri);
            let there = place.or_insert_with_key(|uri| there(uri));
            if let Some((program, id)) = there
                && *id != image.sha1
            {
                stale.entry(program.clone()).or_default().insert(profile);
            }
        }
    }
    let line = |(program, profiles): (PathBuf, BTreeSet<&Path>)| {
        let names: Vec<_> = profiles
            .iter()
            .map(|path| path.display().to_string())
            .collect();
        format!(
            "{} has other code where that of its profile was, as after another build: counts of code that is gone are in the report. If \
             its kernels have changed, delete {}, or give each build an --output of its own",
            program.display(),
            names.join(", ")
        )
    };
    stale.into_iter().map(line).collect()
}

/// The file of a URI, and the digest of what it has now where an image was; none if it ends before.
fn there(uri: &str) -> Option<(PathBuf, Option<String>)> {
    let uri = Uri::parse(uri)?;
    let Origin::File { path } = uri.origin else {
        return None;
    };
    let file = File::open(&path).ok()?;
    let (offset, size) = (uri.offset?, uri.size?);
    if offset.checked_add(size)? > file.metadata().ok()?.len() {
        return Some((path, None));
    }
    let mut bytes = vec![0; usize::try_from(size).ok()?];
    file.read_exact_at(&mut bytes, offset).ok()?;
    Some((path, Some(ImageId::of(&bytes).to_string())))
}
