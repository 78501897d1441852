//! Cases and how they are written.

use std::collections::BTreeMap;

use gfx::{Family, Target};

use crate::{
    assemble,
    product::Product,
    registers::{AGPR_BASE, Registers, vector_name},
    wave_product::WaveProduct,
};

/// Targets, and others that have most of their instructions with the same meaning.
#[rustfmt::skip]
const ALIKE: &[(&str, &[&str])] = &[
    ("gfx1010", &["gfx1012"]),
    ("gfx1030", &["gfx1010", "gfx1012", "gfx1100", "gfx1102", "gfx1150", "gfx1151", "gfx1200", "gfx1201"]),
    ("gfx1100", &["gfx1102", "gfx1150", "gfx1151", "gfx1200", "gfx1201"]),
    ("gfx1150", &["gfx1151"]),
    ("gfx1201", &["gfx1200"]),
];

/// Unified formats of buffers in words of resources, which cases give in gfx10's numbers: the first, how many follow each other,
/// and gfx11's number of the first. From LLVM's names of both.
#[rustfmt::skip]
const FORMATS: &[(u32, u32, u32)] = &[
    (0, 30, 0), (36, 1, 30), (43, 1, 31), (44, 2, 32), (48, 2, 34), (50, 6, 36), (56, 6, 42), (62, 3, 48), (65, 7, 51),
    (72, 3, 58), (75, 3, 61),
];

/// Last word of a buffer resource with gfx11's number for its format.
fn word3_of_gfx11(word: u32) -> Option<u32> {
    let format = word >> 12 & 0x7f;
    let row = FORMATS
        .iter()
        .find(|row| (row.0..row.0 + row.1).contains(&format))?;
    Some(word & !(0x7f << 12) | (format - row.0 + row.2) << 12)
}

/// One program with its registers before and after.
#[derive(Clone, Debug, Default)]
pub struct Case {
    /// Line of its first instruction, from 1.
    pub line: usize,
    pub runs: Vec<(String, u32)>,
    /// Beginnings of the names of targets that are alike and where it does not run.
    not: Vec<String>,
    pub evidence: String,
    pub text: String,
    exec: Option<u64>,
    before: Vec<(Location, Vec<u64>)>,
    pub memory: Option<Buffer>,
    pub lds: Vec<u32>,
    pub scratch: u32,
    pub time: u64,
    product: Option<Product>,
    after: Vec<(Location, Option<Vec<u64>>)>,
    product_after: bool,
    wave_product: bool,
    /// Waves of the workgroup, as its barrier knows them; the case is the first of them.
    pub waves: u32,
    wave_product_after: bool,
    pub stop: Option<String>,
    pub messages: Vec<u32>,
    pub barriers: Vec<u32>,
    memory_after: Option<Vec<u32>>,
    lds_after: Option<Vec<u32>>,
}

/// Scalar registers of an image resource.
pub const IMAGE: usize = 8;

/// Memory of a case: where its address goes, what each further lane adds, and its words.
#[derive(Clone, Debug)]
pub struct Buffer {
    pub address: Location,
    pub step: u64,
    /// Last word of a buffer resource.
    word3: Option<u32>,
    /// The words of an image resource after its address, from the second word on.
    image: [u32; IMAGE - 1],
    pub words: Vec<u32>,
}

/// A register, or several as one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Location {
    /// First row and number of rows; AccVGPRs lie behind the VGPRs.
    Vector(usize, usize),
    Scalar(usize, usize),
    Vcc,
    Exec,
    Scc,
    M0,
}

/// All cases of a file with all that they run on, or the number and fault of a line.
pub fn parse(text: &str) -> Result<Vec<Case>, (usize, String)> {
    let mut cases = written(text)?;
    cases.iter_mut().for_each(Case::add_alike);
    Ok(cases)
}

/// All cases of a file, with what it names as their targets.
pub fn written(text: &str) -> Result<Vec<Case>, (usize, String)> {
    let mut reader = Reader::default();
    for (index, line) in text.lines().enumerate() {
        let number = index + 1;
        reader
            .line(number, line.trim())
            .map_err(|what| (number, what))?;
    }
    reader.finish()
}

/// A file as it is read, line by line.
#[derive(Default)]
struct Reader {
    cases: Vec<Case>,
    runs: Vec<(String, u32)>,
    evidence: String,
    /// The state that every case starts from.
    given: Case,
    case: Case,
    not: Vec<String>,
}

impl Reader {
    fn line(&mut self, number: usize, line: &str) -> Result<(), String> {
        if let Some(rest) = line.strip_prefix(";=") {
            return self.case.expect(rest);
        }
        if self.case.expects() && !line.is_empty() {
            let next = self.given.clone();
            self.cases.push(std::mem::replace(&mut self.case, next));
        }
        if let Some(rest) = line.strip_prefix(";!") {
            self.directive(rest)
        } else if line.is_empty() || line.starts_with(';') {
            Ok(())
        } else {
            self.instruction(number, line)
        }
    }

    fn directive(&mut self, text: &str) -> Result<(), String> {
        let (word, rest) = first_word(text);
        match word {
            "target" => self.runs = targets(rest)?,
            "by" => self.evidence = rest.to_owned(),
            "not" => self.not = rest.split_whitespace().map(str::to_owned).collect(),
            "given" if rest.is_empty() => (self.given, self.case) = Default::default(),
            "given" => {
                self.given.set(rest)?;
                self.case.set(rest)?;
            }
            _ => self.case.set(text)?,
        }
        Ok(())
    }

    /// An instruction, perhaps with directives and expectations on the same line.
    fn instruction(&mut self, number: usize, line: &str) -> Result<(), String> {
        let marks: Vec<usize> = (line.match_indices(';').map(|(at, _)| at))
            .filter(|at| line[at + 1..].starts_with(['!', '=']))
            .collect();
        let end = |index: usize| marks.get(index).copied().unwrap_or(line.len());
        let behind = |mark: &'static str| {
            let starts = marks.iter().enumerate();
            starts
                .filter(move |(_, at)| line[**at..].starts_with(mark))
                .map(move |(index, at)| &line[at + 2..end(index + 1)])
        };
        for directive in behind(";!") {
            self.directive(directive)?;
        }
        if self.case.text.is_empty() {
            if self.runs.is_empty() || self.evidence.is_empty() {
                return Err("no `;! target` or no `;! by` above".to_owned());
            }
            self.case.line = number;
            self.case.runs = self.runs.clone();
            self.case.evidence = self.evidence.clone();
            self.case.not = std::mem::take(&mut self.not);
        }
        self.case.text += line[..end(0)].trim_end();
        self.case.text.push('\n');
        behind(";=").try_for_each(|expectation| self.case.expect(expectation))
    }

    fn finish(self) -> Result<Vec<Case>, (usize, String)> {
        let Reader {
            mut cases, case, ..
        } = self;
        if !case.expects() && !case.text.is_empty() {
            return Err((case.line, "the last case expects nothing".to_owned()));
        }
        if case.expects() {
            cases.push(case);
        }
        match cases.iter().find(|case| case.text.is_empty()) {
            Some(case) => Err((case.line, "a case has no instruction".to_owned())),
            None => Ok(cases),
        }
    }
}

/// The first word of `text`, and what follows it.
fn first_word(text: &str) -> (&str, &str) {
    let text = text.trim();
    let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
    (word, rest.trim())
}

impl Case {
    /// Takes one directive about what is there before.
    fn set(&mut self, text: &str) -> Result<(), String> {
        let (word, rest) = first_word(text);
        match word {
            "exec" => self.exec = Some(integer(rest)?),
            "memory" => self.memory = Some(buffer(rest)?),
            "lds" => self.lds = words(rest.trim_start_matches('='))?,
            "time" => self.time = integer(rest)?,
            "waves" => self.waves = integer(rest)? as u32,
            "wave-matrix" => self.wave_product = true,
            "matrix" => self.product = Some(Product::parse(rest)?),
            "scratch" => self.scratch = integer(rest)? as u32,
            "in" => match assignment(rest)? {
                (place, Some(values)) => self.before.push((place, values)),
                _ => return Err("an input has a value".to_owned()),
            },
            _ => return Err(format!("unknown directive {word:?}")),
        }
        Ok(())
    }

    /// Takes one line about what is there after it.
    fn expect(&mut self, text: &str) -> Result<(), String> {
        match text
            .split_once('=')
            .map(|(place, list)| (place.trim(), list))
        {
            Some(("memory", list)) => self.memory_after = Some(words(list)?),
            Some(("lds", list)) => self.lds_after = Some(words(list)?),
            Some(("stop", name)) => self.stop = Some(name.trim().to_owned()),
            Some(("messages", list)) => self.messages = words(list)?,
            Some(("barriers", list)) => self.barriers = words(list)?,
            None if text.trim() == "matrix" => self.product_after = true,
            None if text.trim() == "wave-matrix" => self.wave_product_after = true,
            _ => self.after.push(assignment(text)?),
        }
        Ok(())
    }
}

fn targets(text: &str) -> Result<Vec<(String, u32)>, String> {
    let mut runs = Vec::new();
    for word in text.split_whitespace().take_while(|word| *word != ";") {
        let (name, size) = word.split_once('/').unwrap_or((word, ""));
        let target = Target::find(name).ok_or_else(|| format!("unknown target {name}"))?;
        let sizes = [(64, target.vgpr_granule[0]), (32, target.vgpr_granule[1])];
        for (wave_size, granule) in sizes {
            if granule != 0 && (size.is_empty() || size == wave_size.to_string()) {
                runs.push((name.to_owned(), wave_size));
            }
        }
    }
    Ok(runs)
}

/// `PLACE [step N | word3 WORD | image WORDS] = u32[…]`.
fn buffer(text: &str) -> Result<Buffer, String> {
    let (place, list) = text
        .split_once('=')
        .ok_or("expected REGISTERS = u32[WORDS]")?;
    let (place, word3) = match place.split_once(" word3 ") {
        Some((place, word)) => (place, Some(integer(word.trim())? as u32)),
        None => (place, None),
    };
    let (place, step) = place.split_once(" step ").unwrap_or((place, "0"));
    let (place, resource) = place.split_once(" image ").unwrap_or((place, ""));
    let (address, mut image) = (register(place.trim())?, [0; IMAGE - 1]);
    let resource = resource.split_whitespace().collect::<Vec<_>>();
    if resource.is_empty() == matches!(address, Location::Scalar(_, IMAGE))
        || resource.len() > image.len()
    {
        return Err(
            "eight scalars, and only they, have at most seven words of an `image`".to_owned(),
        );
    }
    for (word, text) in image.iter_mut().zip(resource) {
        *word = integer(text)? as u32;
    }
    Ok(Buffer {
        address,
        step: integer(step.trim())?,
        word3,
        image,
        words: words(list)?,
    })
}

fn words(text: &str) -> Result<Vec<u32>, String> {
    let (_, values) = assignment(&format!("m0 = {text}"))?;
    let values = values.ok_or("expected u32[WORDS]")?;
    Ok(values.into_iter().map(|value| value as u32).collect())
}

/// `PLACE = TYPE[VALUE, …]`, where `FIRST..=LAST` stands for whole numbers, or `PLACE = any`.
fn assignment(text: &str) -> Result<(Location, Option<Vec<u64>>), String> {
    let (place, values) = text
        .split_once('=')
        .ok_or("expected REGISTER = TYPE[VALUES]")?;
    let (place, values) = (register(place.trim())?, values.trim());
    if values == "any" {
        return Ok((place, None));
    }
    let (kind, list) = values
        .split_once('[')
        .ok_or_else(|| format!("expected TYPE[VALUES], not {values:?}"))?;
    let list = list.split(']').next().unwrap_or_default();
    let parse = |value: &str| match kind.trim() {
        "u32" => integer(value).map(|value| value & 0xffff_ffff),
        "u64" => integer(value),
        "f32" if !value.starts_with("0x") => value
            .parse()
            .map(|value: f32| u64::from(value.to_bits()))
            .map_err(|error| format!("{value:?}: {error}")),
        "f64" if !value.starts_with("0x") => value
            .parse()
            .map(f64::to_bits)
            .map_err(|error| format!("{value:?}: {error}")),
        "f32" | "f64" => integer(value),
        other => Err(format!("unknown type {other:?}")),
    };
    let values = list.split(',').map(|value| match value.split_once("..=") {
        Some((first, last)) if kind.trim().starts_with('u') => {
            Ok((parse(first.trim())?..=parse(last.trim())?).collect())
        }
        _ => Ok(vec![parse(value.trim())?]),
    });
    let values: Result<Vec<Vec<u64>>, String> = values.collect();
    Ok((place, Some(values?.concat())))
}

fn integer(text: &str) -> Result<u64, String> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let value = if let Some(digits) = digits.strip_prefix("0x") {
        u64::from_str_radix(digits, 16)
    } else if let Some(digits) = digits.strip_prefix("0b") {
        u64::from_str_radix(digits, 2)
    } else {
        digits.parse()
    };
    let value = value.map_err(|error| format!("{text:?}: {error}"))?;
    Ok(if negative {
        value.wrapping_neg()
    } else {
        value
    })
}

fn register(text: &str) -> Result<Location, String> {
    let fail = || format!("unknown register {text:?}");
    match text {
        "vcc" => return Ok(Location::Vcc),
        "exec" => return Ok(Location::Exec),
        "scc" => return Ok(Location::Scc),
        "m0" => return Ok(Location::M0),
        _ => {}
    }
    let (file, numbers) = text.split_at_checked(1).ok_or_else(fail)?;
    let range = match numbers.strip_prefix('[') {
        Some(range) => range
            .strip_suffix(']')
            .and_then(|range| range.split_once(':')),
        None => Some((numbers, numbers)),
    };
    let (first, last) = range.ok_or_else(fail)?;
    let parse = |number: &str| number.parse::<usize>().map_err(|_| fail());
    let (first, last) = (parse(first)?, parse(last)?);
    let count = (last + 1).checked_sub(first).ok_or_else(fail)?;
    match file {
        "v" => Ok(Location::Vector(first, count)),
        "a" => Ok(Location::Vector(AGPR_BASE + first, count)),
        "s" => Ok(Location::Scalar(first, count)),
        _ => Err(fail()),
    }
}

impl Location {
    /// Names of its parts in a [`snapshot`].
    pub(crate) fn parts(self) -> Vec<String> {
        match self {
            Location::Vector(first, count) => (first..first + count).map(vector_name).collect(),
            Location::Scalar(first, count) => (first..first + count)
                .map(|index| format!("s{index}"))
                .collect(),
            Location::Vcc => vec!["vcc".to_owned()],
            Location::Exec => vec!["exec".to_owned()],
            Location::Scc => vec!["scc".to_owned()],
            Location::M0 => vec!["m0".to_owned()],
        }
    }
}

impl Case {
    fn expects(&self) -> bool {
        !self.after.is_empty()
            || self.memory_after.is_some()
            || self.lds_after.is_some()
            || self.product_after
            || self.wave_product_after
            || self.stop.is_some()
    }

    /// Returns `true` if it is for a target, or for one that has most of its instructions in common; the code may not assemble there then.
    pub fn is_for(&self, target: &str, wave_size: u32) -> bool {
        let runs = self.runs.iter().filter(|run| run.1 == wave_size);
        let alike = |name: &str| {
            let row = ALIKE.iter().find(|row| row.0 == name);
            row.is_some_and(|row| row.1.contains(&target)) && !self.excludes(target)
        };
        runs.into_iter()
            .any(|(name, _)| name == target || alike(name))
    }

    /// Returns `true` if it means something else on a target that is alike.
    fn excludes(&self, target: &str) -> bool {
        let word3 = self.memory.as_ref().and_then(|buffer| buffer.word3);
        self.not
            .iter()
            .any(|prefix| target.starts_with(prefix.as_str()))
            || word3.is_some_and(|word| word3_of_gfx11(word).is_none())
    }

    /// Lets it run on the targets that are alike.
    fn add_alike(&mut self) {
        for (name, wave_size) in self.runs.clone() {
            let alike = ALIKE
                .iter()
                .find(|row| row.0 == name)
                .map_or(&[][..], |row| row.1);
            for &other in alike {
                let run = (other.to_owned(), wave_size);
                let target = Target::find(other).expect("a target");
                if !self.excludes(other)
                    && !self.runs.contains(&run)
                    && assemble(target, wave_size, &self.text).is_ok()
                {
                    self.runs.push(run);
                }
            }
        }
    }

    /// The registers before: `all`, and then the values of the case. `address` is that of its memory.
    pub fn start(
        &self,
        mut all: Registers,
        target: &'static Target,
        address: u64,
    ) -> Result<Registers, String> {
        for (place, values) in &self.before {
            let lane_value = |lane: usize| values[lane % values.len()];
            match *place {
                Location::Vector(first, count) => {
                    for part in 0..count {
                        all.fill(first + part, |lane| {
                            (lane_value(lane) >> (32 * part)) as u32
                        });
                    }
                }
                Location::Scalar(first, count) => {
                    for part in 0..count {
                        all.scalars[first + part] = (values[0] >> (32 * part)) as u32;
                    }
                }
                Location::Vcc => all.vcc = values[0],
                Location::Exec => all.exec = values[0],
                Location::Scc => all.scc = values[0] != 0,
                Location::M0 => all.m0 = values[0] as u32,
            }
        }
        if let Some(product) = &self.product {
            product.set_inputs(&mut all);
        }
        if let Some(product) = self.wave_product(target, all.wave_size())? {
            product.set_inputs(&mut all);
        }
        if let Some(buffer) = &self.memory {
            match buffer.address {
                Location::Vector(first, _) => {
                    let of = |lane: usize| address + buffer.step * lane as u64;
                    all.fill(first, |lane| of(lane) as u32);
                    all.fill(first + 1, |lane| (of(lane) >> 32) as u32);
                }
                // Its memory begins at a multiple of 256 bytes.
                Location::Scalar(first, IMAGE) => {
                    all.scalars[first + 1..first + IMAGE].copy_from_slice(&buffer.image);
                    all.scalars[first] = (address >> 8) as u32;
                    all.scalars[first + 1] |= (address >> 40) as u32;
                }
                Location::Scalar(first, count) => {
                    all.scalars[first] = address as u32;
                    all.scalars[first + 1] = (address >> 32) as u32;
                    if count == 4 {
                        all.scalars[first + 2] = 4 * buffer.words.len() as u32;
                        all.scalars[first + 3] = buffer.last_word(target);
                    }
                }
                _ => return Err("an address goes to general registers".to_owned()),
            }
        }
        if let Some(mask) = self.exec {
            all.exec = mask;
        }
        all.exec &= u64::MAX >> (64 - all.wave_size());
        Ok(all)
    }

    fn wave_product(
        &self,
        target: &Target,
        wave_size: usize,
    ) -> Result<Option<WaveProduct>, String> {
        self.wave_product
            .then(|| WaveProduct::parse(&self.text, target.name, wave_size as u32))
            .transpose()
    }

    /// The differences of the registers after it.
    pub fn check(
        &self,
        target: &'static Target,
        before: &Registers,
        after: &Registers,
    ) -> Vec<String> {
        let mut complaints = Vec::new();
        let mut named: Vec<String> = Vec::new();
        if let Some(product) = self.product.as_ref().filter(|_| self.product_after) {
            complaints.extend(product.check(after));
            named.extend(product.result().parts());
        }
        let wave_product = match self.wave_product(target, before.wave_size()) {
            Ok(product) => product,
            Err(error) => return vec![error],
        };
        if let Some(product) = wave_product.filter(|_| self.wave_product_after) {
            complaints.extend(product.check(after));
            named.extend(product.result().parts());
        }
        let exec = before.exec;
        let (before, after) = (before.by_name(), after.by_name());
        let wave_size = if before["v0"].len() == 32 { 32 } else { 64 };
        for (place, expected) in &self.after {
            named.extend(place.parts());
            if let Some(expected) = expected {
                complaints.extend(compare(*place, expected, exec, &before, &after, wave_size));
            }
        }
        for (name, values) in &after {
            if before[name] != *values && !named.contains(name) {
                complaints.push(format!("{name} changed to {values:x?}"));
            }
        }
        complaints
    }

    /// The contents of memory after it.
    pub fn memory_after(&self) -> &[u32] {
        let before = self.memory.as_ref().map_or(&[][..], |buffer| &buffer.words);
        self.memory_after.as_deref().unwrap_or(before)
    }

    /// The contents of LDS after it.
    pub fn lds_after(&self) -> &[u32] {
        self.lds_after.as_ref().unwrap_or(&self.lds)
    }
}

impl Buffer {
    /// The last word of a resource.
    fn last_word(&self, target: &Target) -> u32 {
        // Raw: no stride, data format 32.
        let raw = match target.family {
            Family::Gfx9 => 0x0002_7000,
            _ => 0x3101_4fac,
        };
        let word = self.word3.unwrap_or(raw);
        match target.family >= Family::Gfx11 {
            true => word3_of_gfx11(word).unwrap_or(word),
            false => word,
        }
    }
}

/// Differences between what a register holds and what it should.
fn compare(
    place: Location,
    expected: &[u64],
    exec: u64,
    before: &BTreeMap<String, Vec<u64>>,
    after: &BTreeMap<String, Vec<u64>>,
    wave_size: u32,
) -> Vec<String> {
    let parts = place.parts();
    let joined = |state: &BTreeMap<String, Vec<u64>>, lane: usize| {
        let part = |(index, name): (usize, &String)| state[name][lane] << (32 * index);
        parts
            .iter()
            .enumerate()
            .map(part)
            .fold(0, |all, part| all | part)
    };
    let lanes = after[&parts[0]].len();
    let mask = match place {
        Location::Vcc | Location::Exec if wave_size == 32 => 0xffff_ffff,
        _ => !0,
    };
    let mut complaints = Vec::new();
    for lane in 0..lanes {
        let active = lanes == 1 || exec >> lane & 1 != 0;
        let want = if active {
            expected[lane % expected.len()] & mask
        } else {
            joined(before, lane)
        };
        let found = joined(after, lane);
        if found != want {
            let at = if lanes == 1 {
                String::new()
            } else {
                format!(" lane {lane}")
            };
            complaints.push(format!("{}{at} is {found:#x}, not {want:#x}", parts[0]));
        }
    }
    complaints.truncate(3);
    complaints
}
