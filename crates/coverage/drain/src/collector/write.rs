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
            match self.write_group(&name, &target, version, &entries, facts.process) {
                Ok(path) => report.files.push(path),
                Err(error) => {
                    report.failures += 1;
                    self.complain(error.to_string());
                }
            }
        }
    }

    fn write_group(
        &mut self,
        name: &FileName,
        target: &str,
        version: u64,
        entries: &[(Key, Total)],
        process: u32,
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
            let loads = self.loads.get(&key.image).copied().unwrap_or(1);
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
        let mut path = name.path.clone();
        let state = state_of(&cumulative, &manifest);
        if self.written.get(&path) == Some(&state) && path.exists() {
            return Ok(path);
        }
        if name.merge {
            let fresh: Vec<Profile> = entries
                .iter()
                .map(
                    |(key, total)| match self.merged.get(&(path.clone(), key.clone())) {
                        Some(before) => rawprof::subtract(&total.profile, before),
                        None => total.profile.clone(),
                    },
                )
                .collect();
            match output::merge_profiles(&path, &fresh) {
                Ok(()) => {
                    for (key, total) in entries {
                        self.merged
                            .insert((path.clone(), key.clone()), total.profile.clone());
                    }
                }
                Err(error) => {
                    // Rather a file of our own than lost counts.
                    let own = format!(
                        "{}.{process}.profraw",
                        path.file_stem().unwrap_or_default().to_string_lossy()
                    );
                    path.set_file_name(own);
                    self.complain(format!("{error}; writing {} instead", path.display()));
                    output::write_profiles(&path, &cumulative)?;
                }
            }
        } else {
            output::write_profiles(&path, &cumulative)?;
        }
        output::write_manifest(&path, &manifest, name.merge)?;
        self.written.insert(name.path.clone(), state);
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
