//! Lines and inlined calls of all code of an object, found in one pass over its debug information: what `addr2line` answers
//! for one address after the other.
//!
//! Debug information that is not as compilers write it (ranges that overlap, rows that go back, parts in other files) has no
//! map, and is left to `addr2line`.

use crate::edit::InlinedCall;
use crate::lines::ByAddress;
use gimli::{
    AttributeValue, DebugInfoOffset, Dwarf, Reader, ReaderOffset, Unit, UnitOffset, UnitRef,
    UnitType,
};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasher, Hash, RandomState};
use std::ops::Range;
use std::sync::Arc;

/// See the module.
#[derive(Debug)]
pub(crate) struct LineMap {
    /// Addresses from which on something else holds, ascending, and what.
    stretches: Vec<(u64, Location)>,
    files: Vec<Arc<str>>,
    /// Outermost first.
    calls: Vec<Arc<[InlinedCall]>>,
}

/// The source location of an address. Locations are equal if file, line and calls are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Location {
    file: u32,
    /// 0: unknown, as is the file then.
    pub line: u32,
    calls: u32,
}

impl Location {
    const UNKNOWN: Location = Location {
        file: 0,
        line: 0,
        calls: 0,
    };

    pub fn is_known(self) -> bool {
        self.line != 0
    }
}

impl LineMap {
    /// `code`: from the first to the last; nothing else is of interest. None if the debug information is damaged or unusual.
    pub fn read<R: Reader>(dwarf: &Dwarf<R>, code: Range<u64>) -> Option<LineMap> {
        let mut builder = Builder {
            dwarf,
            code,
            units: Vec::new(),
            texts: Interner::default(),
            calls: Interner::default(),
            names: HashMap::default(),
        };
        // Number 0 is none.
        builder.calls.number((0, None));
        let stretches = builder.all().ok()??;
        let texts: Vec<Arc<str>> = builder.texts.all.into_iter().map(Arc::from).collect();
        let text = |number: u32| texts[number as usize].clone();
        let mut calls: Vec<Arc<[InlinedCall]>> = Vec::with_capacity(builder.calls.all.len());
        for (outer, call) in builder.calls.all {
            let outer = calls.get(outer as usize).into_iter();
            let outer = outer.flat_map(|outer| outer.iter().cloned());
            let inner = call.map(|call| InlinedCall {
                function: text(call.function),
                file: text(call.file),
                line: call.line,
            });
            calls.push(outer.chain(inner).collect());
        }
        Some(LineMap {
            stretches,
            calls,
            files: texts,
        })
    }

    /// The location of an address, and the range around it with the same location. `near` is kept from call to call, because most addresses
    /// lie near the previous one.
    pub fn at(&self, address: u64, near: &mut usize) -> (Location, Range<u64>) {
        let start = |index: usize| {
            self.stretches
                .get(index)
                .map_or(u64::MAX, |(start, _)| *start)
        };
        let from = |next: usize| match next.checked_sub(1) {
            Some(this) => start(this),
            None => 0,
        };
        let next = (*near..*near + 4).find(|next| (from(*next)..start(*next)).contains(&address));
        let next = next.unwrap_or_else(|| {
            let before = |stretches: &[(u64, Location)]| {
                stretches.partition_point(|(start, _)| *start <= address)
            };
            // Or soon behind.
            let (first, last) = (*near, self.stretches.len().min(*near + NEAR));
            match from(first) <= address && address < start(last) {
                true => first + before(&self.stretches[first.min(last)..last]),
                false => before(&self.stretches),
            }
        });
        *near = next;
        let place = match next.checked_sub(1) {
            Some(this) => self.stretches[this].1,
            None => Location::UNKNOWN,
        };
        (place, from(next)..start(next))
    }

    pub fn file(&self, place: Location) -> &Arc<str> {
        &self.files[place.file as usize]
    }

    pub fn calls(&self, place: Location) -> &Arc<[InlinedCall]> {
        &self.calls[place.calls as usize]
    }
}

/// Equal things have equal numbers.
struct Interner<T, S = RandomState> {
    all: Vec<T>,
    numbers: HashMap<T, u32, S>,
}

impl<T, S: Default> Default for Interner<T, S> {
    fn default() -> Self {
        Interner {
            all: Vec::new(),
            numbers: HashMap::default(),
        }
    }
}

impl<T: Clone + Eq + Hash, S: BuildHasher> Interner<T, S> {
    fn number(&mut self, thing: T) -> u32 {
        match self.numbers.entry(thing) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(place) => {
                let number = self.all.len() as u32;
                self.all.push(place.key().clone());
                *place.insert(number)
            }
        }
    }
}

/// An inlined call by the numbers of its texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Call {
    function: u32,
    file: u32,
    line: u32,
}

struct Builder<'d, R: Reader> {
    dwarf: &'d Dwarf<R>,
    code: Range<u64>,
    units: Vec<(DebugInfoOffset<R::Offset>, Unit<R>)>,
    texts: Interner<String>,
    /// A call, and the number of those around it.
    calls: Interner<(u32, Option<Call>), ByAddress>,
    /// Names of entries that others refer to, by unit and offset.
    names: HashMap<(usize, usize), Option<u32>, ByAddress>,
}

/// A stretch of code and something that holds there.
type Stretch<T> = (Range<u64>, T);

/// A function's inlined calls: by depth, where each is; `None` for one of which not all is known.
type Inlined = Vec<Vec<Stretch<Option<Call>>>>;

/// The part of an entry that is read: where its code is and, for an inlined call, which function it calls and where.
struct DebugEntry<R: Reader> {
    attributes: Attributes<R>,
    name: Option<u32>,
    file: Option<u32>,
    line: u32,
}

impl<R: Reader> Default for DebugEntry<R> {
    fn default() -> DebugEntry<R> {
        DebugEntry {
            attributes: Attributes::default(),
            name: None,
            file: None,
            line: 0,
        }
    }
}

impl<R: Reader> DebugEntry<R> {
    /// The call, if all of it is known.
    fn call(&self) -> Option<Call> {
        let (function, file, line) = (self.name?, self.file?, self.line);
        (line != 0).then_some(Call {
            function,
            file,
            line,
        })
    }
}

/// The entry that contains other entries.
enum Parent {
    /// A function, with its position, if it has code.
    Function(Option<usize>),
    /// An inlined call, with its depth.
    Call(usize),
}

impl<R: Reader> Builder<'_, R> {
    fn all(&mut self) -> gimli::Result<Option<Vec<(u64, Location)>>> {
        let mut headers = self.dwarf.units();
        while let Some(header) = headers.next()? {
            let Some(offset) = header.debug_info_offset() else {
                continue;
            };
            match header.type_() {
                UnitType::Type { .. } | UnitType::SplitType { .. } => continue,
                UnitType::Skeleton(_) | UnitType::SplitCompilation(_) => return Ok(None),
                UnitType::Compilation | UnitType::Partial => {}
            }
            let partial = matches!(header.type_(), UnitType::Partial);
            let unit = self.dwarf.unit(header)?;
            if unit.dwo_id.is_some() || partial {
                return Ok(None);
            }
            self.units.push((offset, unit));
        }
        let (mut all, mut ranges): (Vec<Stretch<Location>>, Vec<_>) = (Vec::new(), Vec::new());
        for unit in 0..self.units.len() {
            match self.unit(unit, &mut ranges)? {
                // Mostly there is one unit.
                Some(stretches) if all.is_empty() => all = stretches,
                Some(stretches) => all.extend(stretches),
                None => return Ok(None),
            }
        }
        if !in_order(&mut all) || !in_order(&mut ranges) {
            return Ok(None);
        }
        let mut stretches: Vec<(u64, Location)> = Vec::with_capacity(all.len() + 1);
        let mut add = |start: u64, place: Location| {
            if stretches.last().map_or(Location::UNKNOWN, |last| last.1) != place {
                stretches.push((start, place));
            }
        };
        let mut end = 0;
        for (range, place) in all {
            if range.start != end {
                add(end, Location::UNKNOWN);
            }
            end = range.end;
            add(range.start, place);
        }
        add(end, Location::UNKNOWN);
        Ok(Some(stretches))
    }

    /// A range if it is in the code; none at all if it is partly.
    fn inside(&self, range: Range<u64>) -> Option<Option<Range<u64>>> {
        let code = &self.code;
        if range.end <= code.start || code.end <= range.start {
            return Some(None);
        }
        (code.start <= range.start && range.end <= code.end).then_some(Some(range))
    }

    /// Everything known of one unit's code.
    fn unit(
        &mut self,
        index: usize,
        of_units: &mut Vec<Stretch<()>>,
    ) -> gimli::Result<Option<Vec<Stretch<Location>>>> {
        let Some((files, lines)) = self.lines(index)? else {
            return Ok(None);
        };
        let Some(ranges) = self.ranges(index, &lines)? else {
            return Ok(None);
        };
        if ranges.is_empty() {
            return Ok(Some(Vec::new()));
        }
        of_units.extend(ranges.iter().map(|range| (range.clone(), ())));
        let Some(stacks) = self.functions(index, &files)? else {
            return Ok(None);
        };
        // All three are in order.
        let mut found = Vec::with_capacity(lines.len() + stacks.len());
        let (mut stack, mut range) = (0, 0);
        for (line, (file, number)) in lines {
            let Some(&file) = files.get(file as usize).filter(|_| number != 0) else {
                continue;
            };
            while ranges
                .get(range)
                .is_some_and(|range| range.end <= line.start)
            {
                range += 1;
            }
            let mut at = line.start;
            for known in ranges[range..]
                .iter()
                .take_while(|known| known.start < line.end)
            {
                at = at.max(known.start);
                let end = line.end.min(known.end);
                while at < end {
                    while stacks.get(stack).is_some_and(|(stack, _)| stack.end <= at) {
                        stack += 1;
                    }
                    let (calls, until) = match stacks.get(stack) {
                        Some((stack, calls)) if stack.start <= at => (*calls, stack.end),
                        Some((stack, _)) => (0, stack.start),
                        None => (0, u64::MAX),
                    };
                    let until = until.min(end);
                    let place = Location {
                        file,
                        line: number,
                        calls,
                    };
                    found.push((at..until, place));
                    at = until;
                }
            }
        }
        Ok(Some(found))
    }

    /// The unit's own ranges, in order.
    fn ranges(
        &self,
        index: usize,
        lines: &[Stretch<(u64, u32)>],
    ) -> gimli::Result<Option<Vec<Range<u64>>>> {
        let (offset, unit) = &self.units[index];
        let unit = UnitRef::new(self.dwarf, unit);
        let mut entries = unit.entries_raw(None)?;
        let mut attributes = Attributes::default();
        if let Some(abbreviation) = entries.read_abbreviation()? {
            for specification in abbreviation.attributes() {
                let attribute = entries.read_attribute(*specification)?;
                attributes.take(unit, attribute.name(), &attribute.value())?;
            }
        }
        let mut all = Vec::new();
        if attributes.ranges.is_none() {
            let mut headers = self.dwarf.debug_aranges.headers();
            while let Some(header) = headers.next()? {
                if header.debug_info_offset() != *offset {
                    continue;
                }
                let mut entries = header.entries();
                while let Some(entry) = entries.next()? {
                    all.push(entry.range().begin..entry.range().end);
                }
            }
            all.retain(|range| range.start < range.end);
        }
        if all.is_empty() {
            attributes.all(unit, &mut all)?;
        }
        // Without any, it is where the line table says.
        let mut known: Vec<Stretch<()>> = Vec::new();
        if all.is_empty() {
            known.extend(lines.iter().map(|(range, _)| (range.clone(), ())));
        }
        for range in all {
            match self.inside(range) {
                Some(range) => known.extend(range.map(|range| (range, ()))),
                None => return Ok(None),
            }
        }
        let ordered = in_order(&mut known);
        let known = known.into_iter().map(|(range, ())| range).collect();
        Ok(ordered.then_some(known))
    }

    /// Numbers of the files' paths, and rows of the line table: file and line.
    #[allow(clippy::type_complexity)]
    fn lines(
        &mut self,
        index: usize,
    ) -> gimli::Result<Option<(Vec<u32>, Vec<Stretch<(u64, u32)>>)>> {
        let unit = UnitRef::new(self.dwarf, &self.units[index].1);
        let Some(program) = unit.line_program.clone() else {
            return Ok(Some((Vec::new(), Vec::new())));
        };
        // Most rows take three bytes or more; memory that is not touched costs nothing.
        let bytes = program.header().raw_program_buf().len().into_u64() as usize;
        let mut all = Vec::with_capacity(bytes / 3);
        let mut rows = program.rows();
        // The row that is open: its first address, and its file and line.
        let mut open: Option<(u64, (u64, u32))> = None;
        let mut first = 0;
        while let Some((_, row)) = rows.next_row()? {
            let address = row.address();
            let line = row.line().map_or(0, |line| line.get() as u32);
            if let Some((start, what)) = open {
                if address < start {
                    return Ok(None);
                }
                if address > start {
                    all.push((start..address, what));
                }
            } else {
                first = all.len();
            }
            open = Some((address, (row.file_index(), line)));
            if row.end_sequence() {
                open = None;
                // Sequences of other code, such as what the linker threw away.
                let (Some((start, _)), Some((end, _))) = (all.get(first), all.last()) else {
                    continue;
                };
                match self.inside(start.start..end.end) {
                    Some(Some(_)) => {}
                    Some(None) => all.truncate(first),
                    None => return Ok(None),
                }
            }
        }
        // A sequence without an end has no rows.
        if open.is_some() {
            all.truncate(first);
        }
        if !in_order(&mut all) {
            return Ok(None);
        }
        let header = rows.header();
        let mut files = Vec::new();
        for number in 0.. {
            let path = match header.file(number) {
                Some(file) => path(unit, file, header)?,
                None if number == 0 => String::new(),
                None => break,
            };
            files.push(self.texts.number(path));
        }
        Ok(Some((files, all)))
    }

    /// Functions' code with the numbers of the calls that are inlined there.
    fn functions(
        &mut self,
        index: usize,
        files: &[u32],
    ) -> gimli::Result<Option<Vec<Stretch<u32>>>> {
        let dwarf = self.dwarf;
        let mut functions: Vec<Stretch<usize>> = Vec::new();
        let mut inlined: Vec<Inlined> = Vec::new();
        let mut open: Vec<(isize, Parent)> = Vec::new();
        // The unit cannot be borrowed while names are looked up in it and others.
        let units = std::mem::take(&mut self.units);
        let unit = UnitRef::new(dwarf, &units[index].1);
        let mut entries = unit.entries_raw(None)?;
        let mut usual = true;
        let mut ranges = Vec::new();
        while usual && !entries.is_empty() {
            let depth = entries.next_depth();
            let Some(abbreviation) = entries.read_abbreviation()? else {
                continue;
            };
            while open.last().is_some_and(|(outer, _)| *outer >= depth) {
                open.pop();
            }
            let function = open.iter().rev().find_map(|(_, open)| match open {
                Parent::Function(number) => Some(*number),
                Parent::Call(_) => None,
            });
            let is_function = abbreviation.tag() == gimli::DW_TAG_subprogram;
            let call_of = function
                .flatten()
                .filter(|_| abbreviation.tag() == gimli::DW_TAG_inlined_subroutine);
            if !is_function && call_of.is_none() {
                entries.skip_attributes(abbreviation.attributes())?;
                continue;
            }
            let mut entry = DebugEntry::default();
            for specification in abbreviation.attributes() {
                let attribute = entries.read_attribute(*specification)?;
                let value = attribute.value();
                entry.attributes.take(unit, attribute.name(), &value)?;
                if call_of.is_some() {
                    self.take_of_call(&mut entry, &units, index, files, &attribute)?;
                }
            }
            entry.attributes.all(unit, &mut ranges)?;
            ranges.retain(|range| match self.inside(range.clone()) {
                Some(range) => range.is_some(),
                None => {
                    usual = false;
                    false
                }
            });
            match call_of {
                Some(function) => {
                    let inner = open.last().map_or(0, |(_, open)| match open {
                        Parent::Function(_) => 0,
                        Parent::Call(depth) => depth + 1,
                    });
                    let call = entry.call();
                    if inner >= DEEPEST {
                        usual = false;
                        break;
                    }
                    let depths = &mut inlined[function];
                    if depths.len() <= inner {
                        depths.resize_with(inner + 1, Vec::new);
                    }
                    depths[inner].extend(ranges.drain(..).map(|range| (range, call)));
                    open.push((depth, Parent::Call(inner)));
                }
                None => {
                    let number = (!ranges.is_empty()).then_some(inlined.len());
                    if let Some(number) = number {
                        functions.extend(ranges.drain(..).map(|range| (range, number)));
                        inlined.push(Inlined::new());
                    }
                    open.push((depth, Parent::Function(number)));
                }
            }
        }
        self.units = units;
        Ok(match usual {
            true => self.all_stacks(functions, inlined),
            false => None,
        })
    }

    /// The calls inlined in the code of all functions; `None` if some of it overlaps.
    fn all_stacks(
        &mut self,
        mut functions: Vec<Stretch<usize>>,
        mut inlined: Vec<Inlined>,
    ) -> Option<Vec<Stretch<u32>>> {
        let mut usual = in_order(&mut functions);
        for depth in inlined.iter_mut().flatten() {
            usual &= in_order(depth);
        }
        if !usual {
            return None;
        }
        let mut stacks = Vec::new();
        for (range, number) in functions {
            self.stacks(range, &inlined[number], 0, &mut stacks);
        }
        Some(stacks)
    }

    /// Reads an attribute of an inlined call in unit `index`: which function it calls, and where.
    fn take_of_call(
        &mut self,
        entry: &mut DebugEntry<R>,
        units: &[(DebugInfoOffset<R::Offset>, Unit<R>)],
        index: usize,
        files: &[u32],
        attribute: &gimli::Attribute<R>,
    ) -> gimli::Result<()> {
        let unit = UnitRef::new(self.dwarf, &units[index].1);
        let value = attribute.value();
        match attribute.name() {
            gimli::DW_AT_linkage_name | gimli::DW_AT_MIPS_linkage_name => {
                if let Ok(text) = unit.attr_string(value) {
                    entry.name = Some(self.text(&text)?);
                }
            }
            gimli::DW_AT_name if entry.name.is_none() => {
                if let Ok(text) = unit.attr_string(value) {
                    entry.name = Some(self.text(&text)?);
                }
            }
            gimli::DW_AT_abstract_origin | gimli::DW_AT_specification if entry.name.is_none() => {
                entry.name = self.name_of(units, index, value, LONGEST_CHAIN)?;
            }
            gimli::DW_AT_call_file => {
                if let AttributeValue::FileIndex(number) = value
                    && (number > 0 || unit.header.version() >= 5)
                {
                    entry.file = files.get(number as usize).copied();
                }
            }
            gimli::DW_AT_call_line => {
                entry.line = attribute.udata_value().unwrap_or(0) as u32;
            }
            _ => {}
        }
        Ok(())
    }

    /// Appends what is inlined in a stretch, given the number of the calls around it.
    fn stacks(
        &mut self,
        range: Range<u64>,
        deeper: &[Vec<Stretch<Option<Call>>>],
        outer: u32,
        stacks: &mut Vec<Stretch<u32>>,
    ) {
        let (here, deeper) = match deeper.split_first() {
            Some((here, deeper)) => (&here[..], deeper),
            None => (&[][..], deeper),
        };
        let mut at = range.start;
        let first = here.partition_point(|(inlined, _)| inlined.end <= at);
        let within = here[first..].iter();
        for (inlined, call) in within.take_while(|(inlined, _)| inlined.start < range.end) {
            let (start, end) = (inlined.start.max(at), inlined.end.min(range.end));
            if at < start {
                stacks.push((at..start, outer));
            }
            let inner = match call {
                Some(call) => self.calls.number((outer, Some(*call))),
                // If a call is not completely known, the calls around it are left out.
                None => 0,
            };
            self.stacks(start..end, deeper, inner, stacks);
            at = end;
        }
        if at < range.end {
            stacks.push((at..range.end, outer));
        }
    }

    fn text(&mut self, text: &R) -> gimli::Result<u32> {
        let text = text.to_slice()?;
        Ok(self
            .texts
            .number(String::from_utf8_lossy(&text).into_owned()))
    }

    /// The name of the entry that an attribute refers to.
    fn name_of(
        &mut self,
        units: &[(DebugInfoOffset<R::Offset>, Unit<R>)],
        unit: usize,
        value: AttributeValue<R>,
        further: usize,
    ) -> gimli::Result<Option<u32>> {
        if further == 0 {
            return Ok(None);
        }
        let (unit, offset) = match value {
            AttributeValue::UnitRef(offset) => (unit, offset),
            AttributeValue::DebugInfoRef(offset) => {
                let behind = units.partition_point(|(start, _)| start.0 <= offset.0);
                let found = behind.checked_sub(1).and_then(|index| {
                    let header = &units[index].1.header;
                    Some((index, offset.to_unit_offset(header)?))
                });
                found.ok_or(gimli::Error::NoEntryAtGivenOffset(offset.0.into_u64()))?
            }
            _ => return Ok(None),
        };
        let key = (unit, offset.0.into_u64() as usize);
        if let Some(known) = self.names.get(&key) {
            return Ok(*known);
        }
        let name = self.name_at(units, unit, offset, further)?;
        // A result that a shorter chain of references might still find must not be remembered as missing.
        if name.is_some() || further == LONGEST_CHAIN {
            self.names.insert(key, name);
        }
        Ok(name)
    }

    fn name_at(
        &mut self,
        units: &[(DebugInfoOffset<R::Offset>, Unit<R>)],
        index: usize,
        offset: UnitOffset<R::Offset>,
        further: usize,
    ) -> gimli::Result<Option<u32>> {
        let unit = UnitRef::new(self.dwarf, &units[index].1);
        let mut entries = unit.entries_raw(Some(offset))?;
        let abbreviation = entries
            .read_abbreviation()?
            .ok_or(gimli::Error::NoEntryAtGivenOffset(offset.0.into_u64()))?;
        let (mut name, mut next) = (None, None);
        for specification in abbreviation.attributes() {
            let attribute = entries.read_attribute(*specification)?;
            match attribute.name() {
                gimli::DW_AT_linkage_name | gimli::DW_AT_MIPS_linkage_name => {
                    if let Ok(text) = unit.attr_string(attribute.value()) {
                        return self.text(&text).map(Some);
                    }
                }
                gimli::DW_AT_name => {
                    if let Ok(text) = unit.attr_string(attribute.value()) {
                        name = Some(text);
                    }
                }
                gimli::DW_AT_abstract_origin | gimli::DW_AT_specification => {
                    next = Some(attribute.value());
                }
                _ => {}
            }
        }
        match (name, next) {
            (Some(name), _) => self.text(&name).map(Some),
            (None, Some(next)) => self.name_of(units, index, next, further - 1),
            (None, None) => Ok(None),
        }
    }
}

/// Stretches behind the last one that are looked at before all are.
const NEAR: usize = 64;

/// Calls inlined into each other; each takes room on the stack.
const DEEPEST: usize = 256;

/// References that are followed to find a name.
const LONGEST_CHAIN: usize = 16;

/// The attributes that say where an entry's code is.
struct Attributes<R: Reader> {
    low: Option<u64>,
    high: Option<u64>,
    size: Option<u64>,
    ranges: Option<gimli::RangeListsOffset<R::Offset>>,
}

impl<R: Reader> Default for Attributes<R> {
    fn default() -> Self {
        Attributes {
            low: None,
            high: None,
            size: None,
            ranges: None,
        }
    }
}

impl<R: Reader> Attributes<R> {
    fn take(
        &mut self,
        unit: UnitRef<'_, R>,
        name: gimli::DwAt,
        value: &AttributeValue<R>,
    ) -> gimli::Result<()> {
        let address = |value: &AttributeValue<R>| match *value {
            AttributeValue::Addr(address) => Ok(Some(address)),
            AttributeValue::DebugAddrIndex(index) => unit.address(index).map(Some),
            _ => Ok(None),
        };
        match name {
            gimli::DW_AT_low_pc => self.low = address(value)?,
            gimli::DW_AT_high_pc => match *value {
                AttributeValue::Udata(size) => self.size = Some(size),
                _ => self.high = address(value)?,
            },
            gimli::DW_AT_ranges => self.ranges = unit.attr_ranges_offset(value.clone())?,
            _ => {}
        }
        Ok(())
    }

    /// Puts the ranges that are not empty into `all`, and nothing else.
    fn all(&self, unit: UnitRef<'_, R>, all: &mut Vec<Range<u64>>) -> gimli::Result<()> {
        all.clear();
        match (self.ranges, self.low, self.high, self.size) {
            (Some(offset), ..) => {
                let mut ranges = unit.ranges(offset)?;
                while let Some(range) = ranges.next()? {
                    all.push(range.begin..range.end);
                }
            }
            (None, Some(low), Some(high), _) => all.push(low..high),
            (None, Some(low), None, Some(size)) => all.push(low..low.wrapping_add(size)),
            _ => {}
        }
        all.retain(|range| range.start < range.end);
        Ok(())
    }
}

/// Sorts stretches; says whether they are apart from each other.
fn in_order<T>(stretches: &mut [Stretch<T>]) -> bool {
    stretches.sort_by_key(|(range, _)| range.start);
    stretches
        .windows(2)
        .all(|pair| pair[0].0.end <= pair[1].0.start)
}

/// A file's path: directory of the compilation, directory of the file, name, as far as each is relative.
fn path<R: Reader>(
    unit: UnitRef<'_, R>,
    file: &gimli::FileEntry<R, R::Offset>,
    header: &gimli::LineProgramHeader<R, R::Offset>,
) -> gimli::Result<String> {
    let mut path = match &unit.comp_dir {
        Some(directory) => directory.to_string_lossy()?.into_owned(),
        None => String::new(),
    };
    if file.directory_index() != 0
        && let Some(directory) = file.directory(header)
    {
        push(&mut path, &unit.attr_string(directory)?.to_string_lossy()?);
    }
    push(
        &mut path,
        &unit.attr_string(file.path_name())?.to_string_lossy()?,
    );
    Ok(path)
}

fn push(path: &mut String, part: &str) {
    let unix = |path: &str| path.starts_with('/') || path.get(1..3) == Some(":/");
    let windows = |path: &str| path.starts_with('\\') || path.get(1..3) == Some(":\\");
    if unix(part) || windows(part) {
        *path = part.to_owned();
        return;
    }
    let separator = if windows(path) { '\\' } else { '/' };
    if !path.is_empty() && !path.ends_with(separator) {
        path.push(separator);
    }
    path.push_str(part);
}
