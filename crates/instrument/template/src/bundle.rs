//! A built tool in one file: templates of every hook for every target, and the tool's variables.

use crate::{BundleError, Template};
use serde::{Deserialize, Serialize};
use std::io::Read;

const MAGIC: &[u8; 8] = b"LUTHTOOL";
/// Raised when the contents change incompatibly.
const VERSION: u32 = 4;
/// Unpacked bytes that a bundle may have; more is damage.
const LARGEST: u64 = 1 << 30;
/// Bytes per lane, and of one LDS variable.
const LARGEST_STACK: u32 = 1 << 16;
const LARGEST_SHARED: u32 = 1 << 20;

/// One variant of one hook for one target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    pub hook: String,
    pub preserve_scc: bool,
    pub preserve_vcc: bool,
    pub template: Template,
}

/// A variable of the tool in device memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Global {
    pub name: String,
    /// Bytes.
    pub size: u64,
    /// Bytes.
    pub alignment: u64,
    /// First contents; `None` when all zero.
    pub initial: Option<Vec<u8>>,
}

/// A tool's templates and variables.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bundle {
    pub entries: Vec<Entry>,
    pub globals: Vec<Global>,
}

impl Bundle {
    /// The variant for these needs: exactly what must survive if there is such a one, else one that keeps more.
    pub fn find(
        &self,
        hook: &str,
        target: &str,
        wave_size: u8,
        keep_scc: bool,
        keep_vcc: bool,
    ) -> Option<&Template> {
        self.entries
            .iter()
            .filter(|entry| {
                entry.hook == hook
                    && entry.template.target == target
                    && entry.template.wave_size == wave_size
                    && (entry.preserve_scc || !keep_scc)
                    && (entry.preserve_vcc || !keep_vcc)
            })
            .min_by_key(|entry| u8::from(entry.preserve_scc) + u8::from(entry.preserve_vcc))
            .map(|entry| &entry.template)
    }

    /// The variant that keeps just this, of two the one that takes no more VGPRs than `most`.
    pub fn sized(
        &self,
        hook: &str,
        like: &Template,
        keep_scc: bool,
        keep_vcc: bool,
        most: u16,
    ) -> Option<&Template> {
        let variants = self.entries.iter().filter(|entry| {
            entry.hook == hook
                && entry.template.target == like.target
                && entry.template.wave_size == like.wave_size
                && (entry.preserve_scc, entry.preserve_vcc) == (keep_scc, keep_vcc)
        });
        let mut templates = variants.map(|entry| &entry.template);
        templates.find(|template| template.vector_registers() <= most)
    }

    pub fn to_bytes(&self) -> Result<Vec<u8>, BundleError> {
        let damaged = |error: String| BundleError::Damaged(error);
        let plain = postcard::to_stdvec(self).map_err(|error| damaged(error.to_string()))?;
        let packed = zstd::encode_all(&*plain, 3).map_err(|error| damaged(error.to_string()))?;
        Ok([&MAGIC[..], &VERSION.to_le_bytes(), &packed].concat())
    }

    pub fn from_bytes(bytes: &[u8]) -> Result<Bundle, BundleError> {
        let rest = bytes.strip_prefix(&MAGIC[..]).ok_or(BundleError::Magic)?;
        let (version, packed) = rest.split_first_chunk::<4>().ok_or(BundleError::Magic)?;
        let found = u32::from_le_bytes(*version);
        if found != VERSION {
            return Err(BundleError::Version {
                found,
                expected: VERSION,
            });
        }
        let damaged = |error: String| BundleError::Damaged(error);
        let mut plain = Vec::new();
        zstd::Decoder::new(packed)
            .and_then(|decoder| decoder.take(LARGEST).read_to_end(&mut plain))
            .map_err(|error| damaged(error.to_string()))?;
        // Every process that uses the tool reads it whole before it starts.
        let bundle: Bundle =
            postcard::from_bytes(&plain).map_err(|error| damaged(error.to_string()))?;
        bundle.check()?;
        Ok(bundle)
    }

    /// Numbers that [`crate::bind`] relies on.
    fn check(&self) -> Result<(), BundleError> {
        for Entry { hook, template, .. } in &self.entries {
            let bits = template.code.len() as u64 * 8;
            let good = template.patches.iter().all(|patch| {
                let length = u32::from(patch.length);
                (1..32).contains(&length)
                    && patch.shift < 16
                    && patch.bit % 32 + length <= 32
                    && u64::from(patch.bit + length) <= bits
                    && usize::from(patch.group) < template.groups.len()
                    && patch.offset < 1024
            }) && template.groups.iter().all(|group| group.limit <= 1024)
                && u64::from(template.droppable_tail) * 8 <= bits
                && template.stack <= LARGEST_STACK
                && template.shared.iter().all(|variable| {
                    variable.size <= LARGEST_SHARED
                        && variable.alignment.is_power_of_two()
                        && variable.alignment <= 16
                });
            if !good {
                let text = format!(
                    "a patch or a variable of hook {hook} for {} is out of range",
                    template.target
                );
                return Err(BundleError::Damaged(text));
            }
        }
        Ok(())
    }
}
