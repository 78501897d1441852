//! The profile sections of a loaded ELF image, by its headers.

use std::{fmt, ops::Range};

use object::{
    LittleEndian, Object, ObjectSection, ObjectSymbol, SectionFlags, elf,
    read::elf::{ElfFile64, FileHeader, SectionHeader},
};
use sha1::{Digest, Sha1};
use thiserror::Error;

use crate::runtime::{LoadedObject, Runtime};

/// The table that [`luthier_profile.h`] and the LLVM 23 runtime define.
///
/// [`luthier_profile.h`]: https://clang.llvm.org/docs/SourceBasedCodeCoverage.html
pub const BOUNDS_TABLE: &str = "__llvm_profile_sections";
/// The compiler's version word; a suffix follows when it had to rename it.
pub const VERSION_SYMBOL: &str = "__llvm_profile_raw_version";
/// Variables that hold a function's record.
pub const RECORD_PREFIX: &str = "__profd_";
/// First and last address of the section of notes; `luthier_profile.h` defines it.
pub const NOTES_TABLE: &str = "__luthier_profile_notes";
/// Largest image worth reading.
const IMAGE_LIMIT: u64 = 4 << 30;

/// SHA-1 of an image file, used as the binary id that LLVM's tools look it up by.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ImageId(pub [u8; 20]);

impl ImageId {
    /// The id of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        let mut id = [0; 20];
        id.copy_from_slice(&Sha1::digest(bytes));
        ImageId(id)
    }
}

impl fmt::Display for ImageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ImageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// The profile sections.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Part {
    Data,
    Counters,
    Uniform,
    Bitmap,
    Names,
    /// Notes that say how counters follow from the tables of waves: see [`crate::sums`].
    Notes,
}

#[rustfmt::skip]
const SECTIONS: &[(&str, Part)] = &[
    ("__llvm_prf_data",   Part::Data),
    ("__llvm_prf_cnts",   Part::Counters),
    ("__llvm_prf_ucnts",  Part::Uniform),
    ("__llvm_prf_bits",   Part::Bitmap),
    ("__llvm_prf_names",  Part::Names),
    ("luthier_prf_notes", Part::Notes),
];

/// A profile section of an image.
#[derive(Clone, Debug)]
pub struct Section {
    /// Which one.
    pub part: Part,
    /// ELF address of its first byte.
    pub address: u64,
    /// Size in bytes.
    pub size: u64,
    /// The place of its contents in the file, if they are there and the loader leaves them unchanged.
    pub file: Option<Range<usize>>,
}

/// A variable of an image that matters for finding sections.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Name.
    pub name: String,
    /// ELF address.
    pub address: u64,
    /// Size in bytes.
    pub size: u64,
}

/// Why bytes are not a usable image.
#[derive(Clone, Debug, Error)]
pub enum ImageError {
    /// Not a little-endian ELF64 file, or a damaged one.
    #[error("not a readable ELF64 image: {0}")]
    Elf(#[from] object::Error),
}

/// A loaded image, kept whole: LLVM's coverage reports need it.
pub struct Image {
    /// Its id.
    pub id: ImageId,
    /// The file.
    pub bytes: Vec<u8>,
    /// Profile sections that are loaded.
    pub sections: Vec<Section>,
    /// Variables whose names matter here.
    pub variables: Vec<Variable>,
    /// The version word, when the compiler emitted one.
    pub version: Option<u64>,
    /// `true` if the coverage mapping is there; without it counts cannot be shown by line.
    pub has_mapping: bool,
}

impl fmt::Debug for Image {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Image({}, {} bytes)", self.id, self.bytes.len())
    }
}

impl Image {
    /// Reads an image.
    pub fn parse(bytes: Vec<u8>) -> Result<Self, ImageError> {
        let file = ElfFile64::<LittleEndian>::parse(bytes.as_slice())?;
        let mut sections = Vec::new();
        let mut has_mapping = false;
        for section in file.sections() {
            let Ok(name) = section.name() else { continue };
            has_mapping |= name == "__llvm_covfun";
            let loaded = matches!(section.flags(), SectionFlags::Elf { sh_flags, .. } if sh_flags.contains(elf::SHF_ALLOC));
            if let (true, Some((_, part))) =
                (loaded, SECTIONS.iter().find(|(known, _)| *known == name))
            {
                let file = section
                    .file_range()
                    .and_then(|(at, size)| {
                        Some(
                            usize::try_from(at).ok()?
                                ..usize::try_from(at.checked_add(size)?).ok()?,
                        )
                    })
                    .filter(|range| range.end <= bytes.len());
                sections.push(Section {
                    part: *part,
                    address: section.address(),
                    size: section.size(),
                    file,
                });
            }
        }
        for (address, _) in file.dynamic_relocations().into_iter().flatten() {
            let relocated = sections.iter_mut().find(|section| {
                address >= section.address && address - section.address < section.size
            });
            if let Some(section) = relocated {
                section.file = None;
            }
        }
        let mut variables: Vec<Variable> = Vec::new();
        for symbol in file
            .dynamic_symbols()
            .chain(file.symbols())
            .filter(|symbol| symbol.is_definition())
        {
            let Ok(name) = symbol.name() else { continue };
            // The few names that must be unique are in both tables; a search for the many others would be quadratic.
            let known = is_unique(name) && variables.iter().any(|known| known.name == name);
            if is_interesting(name) && !known {
                variables.push(Variable {
                    name: name.into(),
                    address: symbol.address(),
                    size: symbol.size(),
                });
            }
        }
        let version = variables
            .iter()
            .filter(|variable| variable.name.starts_with(VERSION_SYMBOL) && variable.size == 8)
            .find_map(|variable| {
                let holder = file.sections().find(|s| {
                    variable.address >= s.address() && variable.address - s.address() < s.size()
                })?;
                let data = holder.data_range(variable.address, 8).ok()??;
                Some(u64::from_le_bytes(data.try_into().ok()?))
            });
        let id = ImageId::of(&bytes);
        Ok(Image {
            id,
            sections,
            variables,
            version,
            has_mapping,
            bytes,
        })
    }

    /// The section of one kind.
    pub fn section(&self, part: Part) -> Option<&Section> {
        self.sections.iter().find(|section| section.part == part)
    }

    /// The contents of a section that nothing changes at run time, when the file holds them.
    pub fn contents(&self, part: Part) -> Option<&[u8]> {
        let section = self.section(part)?;
        let contents = self.bytes.get(section.file.clone()?)?;
        (contents.len() as u64 == section.size).then_some(contents)
    }
}

/// Returns `true` if a symbol is used for finding sections.
pub fn is_interesting(name: &str) -> bool {
    name.starts_with(BOUNDS_TABLE)
        || name.starts_with(VERSION_SYMBOL)
        || name.starts_with("__profc_")
        || name.starts_with(RECORD_PREFIX)
        || name == "__llvm_prf_nm"
        || name == NOTES_TABLE
}

fn is_unique(name: &str) -> bool {
    name.starts_with("__llvm_prof") || name == NOTES_TABLE
}

/// True if an object's image has profile sections; reads its headers only. `None` when it cannot be read.
pub fn is_instrumented(runtime: &dyn Runtime, object: &LoadedObject) -> Option<bool> {
    has_counters(object.image_size, &|offset, into| {
        runtime.read_image(object, offset, into)
    })
}

/// The same of an image of this size, whose parts `copy` copies if they can be read.
pub fn has_counters(image: u64, copy: &dyn Fn(u64, &mut [u8]) -> bool) -> Option<bool> {
    let read = |offset: u64, size: u64| {
        let end = offset.checked_add(size)?;
        if image == 0 || end > image || image > IMAGE_LIMIT {
            return None;
        }
        let mut bytes = vec![0; usize::try_from(size).ok()?];
        copy(offset, &mut bytes).then_some(bytes)
    };
    let start = read(0, 64)?;
    let header = elf::FileHeader64::<LittleEndian>::parse(start.as_slice()).ok()?;
    let endian = header.endian().ok()?;
    let (table, count) = (header.e_shoff(endian), u64::from(header.e_shnum(endian)));
    let names = u64::from(header.e_shstrndx(endian).0);
    if count == 0 || names >= count {
        // No section table to look at: symbols will have to tell.
        return Some(true);
    }
    let entry = size_of::<elf::SectionHeader64<LittleEndian>>() as u64;
    let headers = read(table, count.checked_mul(entry)?)?;
    let at = usize::try_from(names * entry).ok()?;
    let (string_header, _) =
        object::pod::from_bytes::<elf::SectionHeader64<LittleEndian>>(headers.get(at..)?).ok()?;
    let strings = read(
        string_header.sh_offset(endian),
        string_header.sh_size(endian),
    )?;
    let counters = b"__llvm_prf_cnts\0";
    Some(
        strings
            .windows(counters.len())
            .any(|window| window == counters),
    )
}

/// Reads an object's whole image.
pub fn read_whole(runtime: &dyn Runtime, object: &LoadedObject) -> Option<Vec<u8>> {
    if object.image_size == 0 || object.image_size > IMAGE_LIMIT {
        return None;
    }
    let mut bytes = vec![0; usize::try_from(object.image_size).ok()?];
    runtime.read_image(object, 0, &mut bytes).then_some(bytes)
}
