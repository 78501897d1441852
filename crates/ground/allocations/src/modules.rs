//! Variables of code objects, and the bytes between them.

use std::ops::Range;

use codeobj::{CodeObject, elf::SymbolKind};

use crate::{
    Callers, Event,
    facts::{are_kept, known, tell, variable},
};

const WRITE: u64 = 1;
/// Sections in which every variable has a symbol.
const OF_VARIABLES: [&str; 2] = [".data", ".bss"];
/// Newer compilers put `__constant__` variables there, among constants that have no names.
const OF_CONSTANTS: &str = ".rodata";
/// The names of kernels' descriptors end so.
const DESCRIPTOR: &str = ".kd";
const PAGE: u64 = 4096;

/// A piece of a section of variables, in addresses of the object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part<'o> {
    Variable {
        name: &'o str,
        bytes: Range<u64>,
    },
    /// Bytes of no variable, up to the next one or the end of the section.
    Beside(Range<u64>),
}

/// The sections of variables that the object's symbols divide, ascending within each.
pub fn parts<'o>(object: &'o CodeObject<'_>) -> Vec<Part<'o>> {
    // A stripped object does not name its static variables.
    let symbols = object.symbols().iter();
    let variables = symbols.filter(|symbol| symbol.kind == SymbolKind::Object && symbol.size != 0);
    let mut variables: Vec<_> = variables.collect();
    variables.sort_by_key(|symbol| symbol.value);
    let mut parts = Vec::new();
    let sections = object.elf().sections.iter();
    for section in sections.filter(|section| {
        let mut names = OF_VARIABLES.iter();
        let holds_variables = names.any(|name| section.name.starts_with(name));
        holds_variables && section.flags & WRITE != 0 && section.address != 0
    }) {
        let end = section.address + section.size;
        let mut behind = section.address;
        let within = section.address..end;
        for symbol in variables.iter().filter(|one| within.contains(&one.value)) {
            if behind < symbol.value {
                parts.push(Part::Beside(behind..symbol.value));
            }
            let bytes = symbol.value..symbol.value + symbol.size;
            behind = behind.max(bytes.end);
            let name = symbol.name;
            parts.push(Part::Variable { name, bytes });
        }
        if behind != section.address && behind < end {
            parts.push(Part::Beside(behind..end));
        }
    }
    let sections = object.elf().sections.iter();
    for section in sections.filter(|one| one.name.starts_with(OF_CONSTANTS) && one.address != 0) {
        let within = section.address..section.address + section.size;
        let named = variables
            .iter()
            .filter(|one| within.contains(&one.value) && !one.name.ends_with(DESCRIPTOR));
        parts.extend(named.map(|one| Part::Variable {
            name: one.name,
            bytes: one.value..one.value + one.size,
        }));
    }
    parts
}

/// The bytes before, between and behind the segments of an object, up to the end of the last page.
pub fn between_segments(object: &CodeObject<'_>) -> Vec<Range<u64>> {
    let mut behind = 0;
    let mut all = Vec::new();
    for segment in &object.image().segments {
        all.push(behind..segment.address);
        behind = segment.address + segment.memory_size;
    }
    all.push(behind..behind.next_multiple_of(PAGE));
    all.retain(|range| !range.is_empty());
    all
}

/// A module on a device.
pub(crate) struct Loaded {
    /// As the caller numbers what it loads.
    owner: u64,
    end: u64,
    /// First bytes of its variables.
    variables: Vec<u64>,
    beside: Vec<Range<u64>>,
    /// Constants and code.
    fixed: Vec<Range<u64>>,
}

/// The bytes of a module that are no variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Between variables.
    Beside,
    /// In this range of constants and code.
    Fixed(Range<u64>),
}

/// A code object was loaded, with its address 0 there: from now on its variables are allocations, until [`unloaded`] gets the same number.
pub fn loaded(owner: u64, base: u64, object: &[u8]) {
    if !are_kept() {
        return;
    }
    // The parts of Luthier that need more of an object say why it cannot be read.
    let Ok(object) = &CodeObject::parse(object) else {
        return;
    };
    let image = object.image();
    let moved = |range: &Range<u64>| base + range.start..base + range.end;
    let fixed = image.segments.iter().filter(|segment| !segment.writable);
    let fixed = fixed.map(|one| moved(&(one.address..one.address + one.memory_size)));
    let mut module = Loaded {
        owner,
        end: base + image.size.next_multiple_of(PAGE),
        variables: Vec::new(),
        beside: between_segments(object).iter().map(moved).collect(),
        fixed: fixed.collect(),
    };
    for part in parts(object) {
        match part {
            Part::Beside(range) => module.beside.push(moved(&range)),
            Part::Variable { name, bytes } => {
                variable(base + bytes.start, bytes.end - bytes.start, name);
                module.variables.push(base + bytes.start);
            }
        }
    }
    known().modules.insert(base, module);
}

/// The objects that were loaded with this number are gone.
pub fn unloaded(owner: u64) {
    let mut known = known();
    let gone = known.modules.extract_if(.., |_, one| one.owner == owner);
    let variables: Vec<u64> = gone.flat_map(|(_, one)| one.variables).collect();
    let freed = variables.iter();
    let freed = freed.filter_map(|first| known.blocks.free(*first, Callers::new()));
    let freed: Vec<_> = freed.collect();
    drop(known);
    freed.iter().for_each(|one| tell(&Event::Freed(one)));
}

/// The place of an address in a module, if there is no variable.
pub fn place(address: u64) -> Option<Place> {
    let known = known();
    let (_, module) = known.modules.range(..=address).next_back()?;
    if address >= module.end {
        return None;
    }
    let has = |range: &&Range<u64>| range.contains(&address);
    match module.fixed.iter().find(has) {
        Some(range) => Some(Place::Fixed(range.clone())),
        None => module.beside.iter().find(has).map(|_| Place::Beside),
    }
}
