//! Writing profiles, images and manifests. Nothing is ever half-written: a file is complete before it gets its name.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use rawprof::Profile;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::image::ImageId;

/// Why a file could not be written.
#[derive(Debug, Error)]
pub enum OutputError {
    /// The file system said no.
    #[error(
        "cannot write {path}: {source}; choose another place with LUTHIER_PROFILE_FILE (the program is not affected)"
    )]
    Write {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// Our own validator refuses what we were about to write.
    #[error("{path} was not written: the profile fails validation: {source}; please report this")]
    Invalid {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: rawprof::Error,
    },
    /// The file to merge into is not a profile.
    #[error("cannot merge into {path}: {source}")]
    Existing {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: rawprof::Error,
    },
}

/// Says where the images and counts of one profile file came from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Target name, such as `gfx90a`.
    pub target: String,
    /// Raw profile format of the file.
    pub version: u64,
    /// One entry per image.
    pub images: Vec<ManifestImage>,
}

/// The method of an image that no launch needed.
pub const NEVER_LOADED: &str = "never loaded";

/// One image in a profile file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManifestImage {
    /// SHA-1 of the image, which is also its binary id; null when the image could not be read.
    pub sha1: Option<String>,
    /// The URI that the program loaded it from.
    pub uri: String,
    /// Functions with counts.
    pub records: usize,
    /// Records that had to be dropped.
    pub dropped: usize,
    /// How the sections were found: `sections`, `table` or `symbols`; [`NEVER_LOADED`] if no launch needed the image.
    pub method: String,
    /// Times it was loaded, over all devices.
    pub loads: u64,
    /// `true` if it carries the coverage mapping that reports by line need.
    pub has_mapping: bool,
}

impl ManifestImage {
    /// Returns `true` if a launch needed it.
    pub fn was_loaded(&self) -> bool {
        self.method != NEVER_LOADED
    }

    /// Images that could not be read are told apart by their places.
    fn is_same(&self, other: &ManifestImage) -> bool {
        self.sha1 == other.sha1 && (self.sha1.is_some() || self.uri == other.uri)
    }
}

/// Writes a whole file or none; what is no regular file is written through ([`outputs::Output`]).
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), OutputError> {
    let failed = |source| OutputError::Write {
        path: path.into(),
        source,
    };
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    outputs::make_directories(directory).map_err(failed)?;
    outputs::write_apart(path, bytes).map_err(failed)
}

/// Writes profiles one after the other into one file, after reading them back with the strict reader.
pub fn write_profiles(path: &Path, profiles: &[Profile]) -> Result<(), OutputError> {
    let invalid = |source| OutputError::Invalid {
        path: path.into(),
        source,
    };
    let mut bytes = Vec::new();
    for profile in profiles {
        bytes.extend(rawprof::emit(profile).map_err(invalid)?);
    }
    let read = rawprof::parse(&bytes).map_err(invalid)?;
    debug_assert_eq!(read.len(), profiles.len());
    write_atomically(path, &bytes)
}

/// A file that other processes add to as well. They wait as long as this value lives.
#[derive(Debug)]
pub struct Shared<'a> {
    path: &'a Path,
    _lock: File,
}

impl<'a> Shared<'a> {
    /// Waits until no other process adds to the file.
    pub fn open(path: &'a Path) -> Result<Self, OutputError> {
        let _lock = lock(path)?;
        Ok(Shared { path, _lock })
    }

    /// Adds profiles to those of other processes.
    pub fn add(&self, profiles: &[Profile]) -> Result<(), OutputError> {
        let path = self.path;
        let mut sum = match fs::read(path) {
            Ok(bytes) if bytes.is_empty() => Vec::new(),
            Ok(bytes) => rawprof::parse(&bytes).map_err(|source| OutputError::Existing {
                path: path.into(),
                source,
            })?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(source) => {
                return Err(OutputError::Write {
                    path: path.into(),
                    source,
                });
            }
        };
        for profile in profiles {
            let same = |known: &&mut Profile| {
                known.version == profile.version && known.binary_ids == profile.binary_ids
            };
            // A temporal profile cannot be added, so it is kept apart; equal ids mean equal images, so nothing conflicts.
            let added = sum
                .iter_mut()
                .find(same)
                .is_some_and(|known| rawprof::merge(known, profile).is_ok());
            if !added {
                sum.push(profile.clone());
            }
        }
        write_profiles(path, &sum)
    }

    /// Writes the manifest, with the images that other processes listed.
    pub fn write_manifest(&self, manifest: &Manifest) -> Result<(), OutputError> {
        let known: Option<Manifest> = fs::read(manifest_path(self.path))
            .ok()
            .and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let mut all = manifest.clone();
        for image in known.map(|known| known.images).unwrap_or_default() {
            match all.images.iter_mut().find(|ours| ours.is_same(&image)) {
                // The counts in the file are of the process that has loaded it.
                Some(ours) if !ours.was_loaded() => *ours = image,
                Some(_) => {}
                None => all.images.push(image),
            }
        }
        write_manifest(self.path, &all)
    }
}

/// A lock beside the file, since the file itself is replaced. It also works between machines on NFS.
fn lock(path: &Path) -> Result<File, OutputError> {
    let name = format!(
        ".{}.lock",
        path.file_name().unwrap_or_default().to_string_lossy()
    );
    let lock_path = path.with_file_name(name);
    let open = || {
        if let Some(parent) = lock_path.parent() {
            outputs::make_directories(parent)?;
        }
        let file = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&lock_path)?;
        file.lock()?;
        Ok(file)
    };
    open().map_err(|source| OutputError::Write {
        path: lock_path.clone(),
        source,
    })
}

/// The path below `directory` at which LLVM's tools look for the image with this id.
pub fn image_path(directory: &Path, id: ImageId) -> PathBuf {
    let id = id.to_string();
    directory
        .join(".build-id")
        .join(&id[..2])
        .join(format!("{}.debug", &id[2..]))
}

/// Keeps an image for reports; an image already there is left alone.
pub fn write_image(directory: &Path, id: ImageId, bytes: &[u8]) -> Result<PathBuf, OutputError> {
    let path = image_path(directory, id);
    let there = fs::metadata(&path).is_ok_and(|metadata| metadata.len() == bytes.len() as u64);
    if !there {
        write_atomically(&path, bytes)?;
    }
    Ok(path)
}

/// The manifest that belongs to a profile file.
pub fn manifest_path(profile: &Path) -> PathBuf {
    let mut name = profile.file_name().unwrap_or_default().to_os_string();
    name.push(".json");
    profile.with_file_name(name)
}

/// Writes the manifest of a file.
pub fn write_manifest(profile: &Path, manifest: &Manifest) -> Result<(), OutputError> {
    let path = manifest_path(profile);
    let text = serde_json::to_vec_pretty(manifest).map_err(|error| OutputError::Write {
        path: path.clone(),
        source: error.into(),
    })?;
    write_atomically(&path, &text)
}
