//! From device memory to a profile.

use rawprof::{Note, Profile, Region, Salvage, Sections, Version, layout::LAYOUTS};
use sha1::{Digest, Sha1};

use crate::{
    image::{Image, ImageId, Part, RECORD_PREFIX, VERSION_SYMBOL},
    locate::{Method, Span, Spans},
    runtime::{LoadedObject, Runtime, RuntimeError},
    sums,
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

/// Copies the notes, which never change on the device.
pub(super) fn notes(
    runtime: &dyn Runtime,
    object: &LoadedObject,
    image: Option<&Image>,
    spans: &Spans,
) -> Result<(Vec<sums::Note>, Option<String>), RuntimeError> {
    if spans.notes.size == 0 {
        return Ok((Vec::new(), None));
    }
    let contents = image
        .filter(|_| spans.method == Method::Sections)
        .and_then(|image| image.contents(Part::Notes));
    if let Some(contents) = contents {
        return Ok(sums::parse(contents, spans.notes.address));
    }
    let mut bytes = vec![0; usize::try_from(spans.notes.size).unwrap_or(0)];
    runtime.read(object.agent, spans.notes.address, &mut bytes)?;
    Ok(sums::parse(&bytes, spans.notes.address))
}

/// Copies the sections and reads them as a profile. The texts say what of it is missing.
pub(super) fn read_profile(
    runtime: &dyn Runtime,
    object: &LoadedObject,
    image: Option<&Image>,
    spans: &Spans,
) -> Result<(Salvage, Vec<String>), ReadError> {
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
    let mut counters = fetch(spans.counters)?;
    let (notes, damaged) = notes(runtime, object, image, spans)?;
    let mut problems = sums::complete(&notes, spans.counters, &mut counters, fetch)?;
    problems.extend(damaged);
    let uniform = fetch(spans.uniform)?;
    let bitmap = fetch(spans.bitmap)?;
    let sections = |version: Version| Sections {
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
    let evidence = evidence(runtime, object, image, spans)?;
    Ok((evidence.read(sections)?, problems))
}

/// For code without a version word: what `read` makes of the version whose records make sense.
fn most_sensible(
    record_size: Option<u64>,
    read: impl Fn(u64) -> Option<Salvage>,
) -> Option<Salvage> {
    let candidates = LAYOUTS
        .iter()
        .filter(|layout| {
            let size = layout.record_size as u64;
            record_size.is_none_or(|known| known == size)
        })
        .filter_map(|layout| {
            let salvage = read(layout.version)?;
            let partial = salvage
                .notes
                .iter()
                .any(|note| matches!(note, Note::PartialRecord { .. }));
            Some((salvage.dropped.len() + usize::from(partial), salvage))
        });
    let best = candidates.min_by_key(|(faults, _)| *faults);
    best.map(|(_, salvage)| salvage)
}

/// Facts that tell the version of the records.
#[derive(Default)]
pub(super) struct Evidence {
    /// The version word the code was compiled with; source-level code of LLVM 22 has none.
    version: Option<u64>,
    /// Size of a record's variable, when all are of one that a version has.
    record_size: Option<u64>,
}

impl Evidence {
    pub(super) fn of_image(image: &Image) -> Evidence {
        let records = image.variables.iter();
        Evidence {
            version: image.version,
            record_size: record_size(records.map(|variable| (&*variable.name, variable.size))),
        }
    }

    /// Reads sections as those of the version that they have.
    pub(super) fn read<'a>(
        &self,
        sections: impl Fn(Version) -> Sections<'a>,
    ) -> Result<Salvage, rawprof::Error> {
        let read = |version| rawprof::from_sections(&sections(Version(version)));
        match self.version {
            Some(version) => read(version),
            None => most_sensible(self.record_size, |version| read(version).ok())
                .ok_or(rawprof::Error::UnknownVersion { version: 0 }),
        }
    }
}

/// Looks for it in the image, the bounds table and the symbols.
fn evidence(
    runtime: &dyn Runtime,
    object: &LoadedObject,
    image: Option<&Image>,
    spans: &Spans,
) -> Result<Evidence, RuntimeError> {
    if let Some(image) = image {
        return Ok(Evidence::of_image(image));
    }
    let symbols = runtime.symbols(object.executable, object.agent)?;
    let record_size = record_size(symbols.iter().map(|symbol| (&*symbol.name, symbol.size)));
    let address = spans.version.or_else(|| {
        let named = symbols
            .iter()
            .find(|symbol| symbol.name.starts_with(VERSION_SYMBOL) && symbol.size == 8);
        named.map(|symbol| symbol.address)
    });
    let mut version = None;
    if let Some(address) = address {
        let mut word = [0; 8];
        runtime.read(object.agent, address, &mut word)?;
        version = Some(u64::from_le_bytes(word));
    }
    Ok(Evidence {
        version,
        record_size,
    })
}

fn record_size<'a>(symbols: impl Iterator<Item = (&'a str, u64)>) -> Option<u64> {
    let mut sizes = symbols
        .filter(|(name, _)| name.starts_with(RECORD_PREFIX))
        .map(|(_, size)| size);
    let first = sizes.next()?;
    let known = LAYOUTS
        .iter()
        .any(|layout| layout.record_size as u64 == first);
    (known && sizes.all(|size| size == first)).then_some(first)
}
