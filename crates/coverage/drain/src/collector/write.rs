//! From totals to files.

use std::{
    collections::{BTreeMap, HashMap},
    path::{Path, PathBuf},
};

use rawprof::Profile;
use sha1::{Digest, Sha1};

use super::{Collector, DumpReport, Key, Total};
use crate::{
    image::ImageId,
    naming::{self, Facts, FileName},
    output::{self, Manifest, ManifestImage},
};

impl Collector {
    pub(super) fn write(&mut self, sum: BTreeMap<Key, Total>, report: &mut DumpReport) {
        let facts = Facts::current();
        let mut groups: BTreeMap<(String, u64), Vec<(Key, Total)>> = BTreeMap::new();
        for (key, total) in sum {
            groups
                .entry((key.target.clone(), key.version))
                .or_default()
                .push((key, total));
        }
        let versions: HashMap<String, usize> =
            groups
                .keys()
                .fold(HashMap::new(), |mut counts, (target, _)| {
                    *counts.entry(target.clone()).or_default() += 1;
                    counts
                });
        for ((target, version), entries) in groups {
            // Tools reject files of mixed versions, so a target with both gets two files.
            let prefix = if versions[&target] > 1 {
                format!("{target}.v{version}")
            } else {
                target.clone()
            };
            let pattern = &self.config.pattern;
            let new = || naming::expand_new(pattern, &prefix, &facts, naming::begun());
            let name = self.names.entry(prefix.clone()).or_insert_with(new).clone();
            let mut written = self.write_group(&name, &target, version, &entries);
            if name.merge
                && let Err(error) = &written
            {
                // A file of our own is better than lost counts.
                let own = self.apart(&prefix, &name, facts.process);
                self.complain(format!("{error}; writing {} instead", own.path.display()));
                written = self.write_group(&own, &target, version, &entries);
            }
            match written {
                Ok(path) => report.files.push(path),
                Err(error) => {
                    report.failures += 1;
                    self.complain(error.to_string());
                }
            }
        }
    }

    /// From now on, this process writes what it has not yet added to the shared file to one of its own.
    fn apart(&mut self, prefix: &str, shared: &FileName, process: u32) -> FileName {
        let stem = shared.path.file_stem().unwrap_or_default();
        let base = format!("{}.{process}.profraw", stem.to_string_lossy());
        let own = FileName {
            path: shared.path.with_file_name(base),
            merge: false,
        };
        let moved = self
            .merged
            .iter()
            .filter(|((path, _), _)| *path == shared.path);
        let moved: Vec<_> = moved
            .map(|((_, key), before)| ((own.path.clone(), key.clone()), before.clone()))
            .collect();
        self.merged.extend(moved);
        self.names.insert(prefix.to_owned(), own.clone());
        own
    }

    fn write_group(
        &mut self,
        name: &FileName,
        target: &str,
        version: u64,
        entries: &[(Key, Total)],
    ) -> Result<PathBuf, output::OutputError> {
        let directory = self.config.images.clone().unwrap_or_else(|| {
            let parent = name
                .path
                .parent()
                .filter(|parent| !parent.as_os_str().is_empty());
            parent.unwrap_or(Path::new(".")).to_path_buf()
        });
        for (_, total) in entries {
            let Some(image) = &total.image else { continue };
            if self.saved.insert((directory.clone(), image.id))
                && let Err(error) = output::write_image(&directory, image.id, &image.bytes)
            {
                self.saved.remove(&(directory.clone(), image.id));
                self.complain(error.to_string());
            }
        }
        let images = entries.iter().map(|(key, total)| {
            // With a file for each device, another device may have loaded the image.
            let known = self.loads.get(&key.image).copied();
            let known = known.filter(|_| total.detail.was_loaded());
            let loads = known.unwrap_or(total.detail.loads);
            ManifestImage {
                loads,
                ..total.detail.clone()
            }
        });
        let manifest = Manifest {
            target: target.into(),
            version,
            images: images.collect(),
        };
        let cumulative: Vec<Profile> = entries
            .iter()
            .map(|(_, total)| total.profile.clone())
            .collect();
        let path = name.path.clone();
        let state = state_of(&cumulative, &manifest);
        if self.written.get(&path) == Some(&state) && path.exists() {
            return Ok(path);
        }
        let fresh: Vec<Profile> = entries
            .iter()
            .map(
                |(key, total)| match self.merged.get(&(path.clone(), key.clone())) {
                    Some(before) => rawprof::subtract(&total.profile, before),
                    None => total.profile.clone(),
                },
            )
            .collect();
        if name.merge {
            let shared = output::Shared::open(&path)?;
            shared.add(&fresh)?;
            for (key, total) in entries {
                self.merged
                    .insert((path.clone(), key.clone()), total.profile.clone());
            }
            // The counts are in the file already: a file of our own would add them a second time.
            if let Err(error) = shared.write_manifest(&manifest) {
                self.complain(error.to_string());
                // The next dump tries again, and adds no count twice.
                return Ok(path);
            }
        } else {
            output::write_profiles(&path, &fresh)?;
            output::write_manifest(&path, &manifest)?;
        }
        self.written.insert(path.clone(), state);
        Ok(path)
    }
}

/// A hash of everything that would be written.
fn state_of(profiles: &[Profile], manifest: &Manifest) -> ImageId {
    let mut hash = Sha1::new();
    for profile in profiles {
        // A profile that cannot be written is reported when writing it is tried.
        hash.update(rawprof::emit(profile).unwrap_or_default());
    }
    hash.update(serde_json::to_vec(manifest).unwrap_or_default());
    let mut id = [0; 20];
    id.copy_from_slice(&hash.finalize());
    ImageId(id)
}
