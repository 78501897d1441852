//! From device memory to a profile.

use rawprof::{Note, Profile, Region, Salvage, Sections, Version};
use sha1::{Digest, Sha1};

use crate::{
    image::{Image, ImageId, Part, VERSION_SYMBOL},
    locate::{Method, Span, Spans},
    runtime::{LoadedObject, Runtime, RuntimeError},
};

/// Why an object's counters could not be had.
#[derive(Debug, thiserror::Error)]
pub(super) enum ReadError {
    #[error(transparent)]
    Runtime(#[from] RuntimeError),
    #[error(transparent)]
    Profile(#[from] rawprof::Error),
}

/// A stand-in for the image's hash when the image is out of reach: what the profile says about itself.
pub(super) fn identity(profile: &Profile) -> ImageId {
    let mut hash = Sha1::new();
    hash.update(&profile.names);
    for record in &profile.records {
        hash.update(record.name_ref.to_le_bytes());
        hash.update(record.function_hash.to_le_bytes());
        hash.update((record.counters.len() as u64).to_le_bytes());
    }
    let mut id = [0; 20];
    id.copy_from_slice(&hash.finalize());
    ImageId(id)
}

/// Copies the sections and reads them as a profile.
pub(super) fn read_profile(
    runtime: &dyn Runtime,
    object: &LoadedObject,
    image: Option<&Image>,
    spans: &Spans,
) -> Result<Salvage, ReadError> {
    let fetch = |span: Span| -> Result<Vec<u8>, RuntimeError> {
        let mut bytes = vec![0; usize::try_from(span.size).unwrap_or(0)];
        if !bytes.is_empty() {
            runtime.read(object.agent, span.address, &mut bytes)?;
        }
        Ok(bytes)
    };
    // Records and names never change on the device, so the image's copy spares two transfers.
    let constant = |part, span| -> Result<Vec<u8>, RuntimeError> {
        match image
            .filter(|_| spans.method == Method::Sections)
            .and_then(|image| image.contents(part))
        {
            Some(contents) => Ok(contents.to_vec()),
            None => fetch(span),
        }
    };
    let data = constant(Part::Data, spans.data)?;
    let names = constant(Part::Names, spans.names)?;
    let counters = fetch(spans.counters)?;
    let uniform = fetch(spans.uniform)?;
    let bitmap = fetch(spans.bitmap)?;
    let sections = |version| Sections {
        version,
        data: Region {
            address: spans.data.address,
            bytes: &data,
        },
        counters: Region {
            address: spans.counters.address,
            bytes: &counters,
        },
        uniform: Region {
            address: spans.uniform.address,
            bytes: &uniform,
        },
        bitmap: Region {
            address: spans.bitmap.address,
            bytes: &bitmap,
        },
        names: &names,
    };
    if let Some(version) = version_of(runtime, object, image, spans)? {
        return Ok(rawprof::from_sections(&sections(Version(version)))?);
    }
    // Code without a version word: the version whose records make sense.
    let candidates = rawprof::layout::LAYOUTS.iter().filter_map(|layout| {
        let salvage = rawprof::from_sections(&sections(Version(layout.version))).ok()?;
        let partial = salvage
            .notes
            .iter()
            .any(|note| matches!(note, Note::PartialRecord { .. }));
        Some((salvage.dropped.len() + usize::from(partial), salvage))
    });
    let best = candidates
        .min_by_key(|(faults, _)| *faults)
        .map(|(_, salvage)| salvage);
    best.ok_or(ReadError::Profile(rawprof::Error::UnknownVersion {
        version: 0,
    }))
}

/// The version word the code was compiled with, from the image, the bounds table or the symbols.
fn version_of(
    runtime: &dyn Runtime,
    object: &LoadedObject,
    image: Option<&Image>,
    spans: &Spans,
) -> Result<Option<u64>, RuntimeError> {
    if let Some(image) = image {
        return Ok(image.version);
    }
    let mut address = spans.version;
    if address.is_none() {
        let symbols = runtime.symbols(object.executable, object.agent)?;
        let named = symbols
            .iter()
            .find(|symbol| symbol.name.starts_with(VERSION_SYMBOL) && symbol.size == 8);
        address = named.map(|symbol| symbol.address);
    }
    let Some(address) = address else {
        return Ok(None);
    };
    let mut word = [0; 8];
    runtime.read(object.agent, address, &mut word)?;
    Ok(Some(u64::from_le_bytes(word)))
}
