//! Images that no launch has loaded: their kernels are as uncovered as those of a loaded image that were never launched.

use std::sync::Arc;

use rawprof::{Region, Sections, Version};

use super::{Collector, Snapshot, read::Evidence};
use crate::{
    fat_binary,
    image::{self, Image, Part},
    mappings,
    output::{ManifestImage, NEVER_LOADED},
    runtime::{Agent, Runtime},
};

impl Collector {
    /// Looks into the fat binaries that were registered since the last call.
    pub(super) fn note_registered(&mut self, runtime: &dyn Runtime) {
        if self.agents.is_empty() {
            return;
        }
        for registered in runtime.registered() {
            if !self.registered.insert(registered.number) {
                continue;
            }
            let read = |address: u64, into: &mut [u8]| runtime.read_host(address, into);
            let parts = fat_binary::parts(registered.address, &read);
            for part in &parts {
                let is_for = |agent: &&Agent| fat_binary::chosen(&parts, agent) == Some(part);
                let agents = self.agents.values().filter(is_for).cloned().collect();
                self.note_part(runtime, agents, part);
            }
        }
    }

    fn note_part(&mut self, runtime: &dyn Runtime, agents: Vec<Agent>, part: &fat_binary::Part) {
        let copy = |offset: u64, into: &mut [u8]| match part.address.checked_add(offset) {
            Some(address) => runtime.read_host(address, into),
            None => false,
        };
        if agents.is_empty() || image::has_counters(part.size, &copy) != Some(true) {
            return;
        }
        let mut bytes = vec![0; usize::try_from(part.size).unwrap_or(0)];
        if !copy(0, &mut bytes) {
            return;
        }
        let Some(mut snapshot) = self.image(bytes).ok().and_then(idle) else {
            return;
        };
        let uri = mappings::uri(&runtime.mappings(), part.address, part.size);
        snapshot.detail.uri = uri.unwrap_or_default();
        for agent in agents {
            let key = self.key(&agent, &snapshot);
            self.idle.entry(key).or_insert_with(|| snapshot.clone());
        }
    }
}

/// The profile of an image of which no code was executed. None for profiles that serve optimisation: they would say that these kernels are
/// seldom executed, and no run has shown that.
fn idle(image: Arc<Image>) -> Option<Snapshot> {
    let said = Version(image.version.unwrap_or(0));
    if said.is_ir_level() {
        return None;
    }
    let blank = |part, byte| {
        let size = image.section(part).map_or(0, |section| section.size);
        Some(vec![byte; usize::try_from(size).ok()?])
    };
    let count = if said.is_byte_coverage() { 0xff } else { 0 };
    let counters = blank(Part::Counters, count)?;
    let uniform = blank(Part::Uniform, count)?;
    let bitmap = blank(Part::Bitmap, 0)?;
    let region = |part, bytes| Region {
        address: image.section(part).map_or(0, |section| section.address),
        bytes,
    };
    let (data, names) = (image.contents(Part::Data)?, image.contents(Part::Names)?);
    let sections = |version| Sections {
        version,
        data: region(Part::Data, data),
        counters: region(Part::Counters, &counters),
        uniform: region(Part::Uniform, &uniform),
        bitmap: region(Part::Bitmap, &bitmap),
        names,
    };
    let mut profile = Evidence::of_image(&image).read(sections).ok()?.profile;
    profile
        .records
        .iter_mut()
        .for_each(|record| record.function_pointer = 0);
    profile.binary_ids = vec![image.id.0.to_vec()];
    let detail = ManifestImage {
        sha1: Some(image.id.to_string()),
        records: profile.records.len(),
        method: NEVER_LOADED.to_owned(),
        has_mapping: image.has_mapping,
        ..ManifestImage::default()
    };
    Some(Snapshot {
        profile,
        detail,
        image: Some(image),
    })
}
