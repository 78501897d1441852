//! Instruction tests as text: what llvm-mc would read, with our lines as comments.
//!
//! ```text
//! ;! target gfx90a gfx1030/32        ; from here on; `/32` or `/64` picks a wave size, else the target has all of its own
//! ;! by spec CDNA3 "VOP2"            ; where the values below come from
//! ;! exec 0b1011                     ; this case only
//! ;! in v4 = f32[1.0, 2.0]           ; this case only: lane values, repeated to the end of the wave
//! ;! in s[4:5] = u64[7]
//! ;! not gfx11 gfx12                 ; this case only: what is alike (see below) but has another meaning there
//! v_add_f32_e32 v0, v4, v4
//! ;= v0 = f32[2.0, 4.0]
//!
//! ;! memory s[2:3] = u32[1, 2]       ; a buffer and where its address goes; four scalars get a raw buffer resource,
//! ;! memory v[2:3] step 8 = u32[..]  ; vector registers the address plus 8 times the lane
//! ;! memory s[4:7] word3 0x27fac = …  ; another last word of the resource
//! ;! lds = u32[1, 2]
//! ;! scratch 64                      ; bytes per lane
//! s_store_dword s4, s[2:3], 0x4
//! ;= memory = u32[1, 0xdead0bad]
//!
//! ;! waves 3                         ; in the workgroup, of which this is the last
//! ;! time 0x123                      ; of the constant-rate counter
//! s_barrier
//! ;= stop = Barrier                  ; a `wave::Stop`, `End` if not said
//! ;= messages = u32[1, 7]            ; what was sent with `s_sendmsg`: id and M0 of each
//! ;= barriers = u32[1, 7]            ; resource and count of each `ds_gws_*`
//!
//! ;! matrix 32x32x8 f16              ; A in v0 and up, B in v16, C in a0; `harness/product.rs` has their values
//! v_mfma_f32_32x32x8f16 a[0:15], v[0:1], v[16:17], a[0:15]
//! ;= matrix                          ; D = A B + C in a0 and up
//!
//! ;! wave-matrix                     ; A in v0, B in v16, index in v40, C in v48: `harness/wave_product.rs` has their values
//! v_wmma_f32_16x16x16_f16 v[48:55], v[0:3], v[16:19], v[48:55]
//! ;= wave-matrix                     ; D = A B + C in v48 and up
//! ```
//!
//! A case for a target of [`ALIKE`] runs also on the targets behind it if it assembles there.
//!
//! A case ends where lines follow its `;=` lines. Registers that are not set hold poison, and whatever changes without being
//! named under `;=` is an error; `;= vcc = any` names what may change unseen. In lanes that EXEC turns off, vector registers
//! must keep their value.

use std::collections::{BTreeMap, BTreeSet};

use gfx::Target;

use crate::harness::{AGPR_BASE, Machine, assemble};

#[path = "product.rs"]
mod product;

use product::Product;

#[path = "wave_product.rs"]
mod wave_product;

use wave_product::WaveProduct;

/// Numbers of special registers in scalar operand fields.
const VCC: usize = 106;
const M0: usize = 124;

/// Targets, and others that have most of their instructions with the same meaning.
const ALIKE: &[(&str, &[&str])] = &[
    ("gfx1030", &["gfx1010", "gfx1100", "gfx1201"]),
    ("gfx1100", &["gfx1201"]),
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
    /// Of its first instruction, from 1.
    pub line: usize,
    pub runs: Vec<(String, u32)>,
    /// Beginnings of the names of targets that are alike and where it does not run.
    not: Vec<String>,
    pub evidence: String,
    pub text: String,
    exec: Option<u64>,
    before: Vec<(Location, Vec<u64>)>,
    memory: Option<Buffer>,
    lds: Vec<u32>,
    scratch: u32,
    time: u64,
    product: Option<Product>,
    after: Vec<(Location, Option<Vec<u64>>)>,
    product_after: bool,
    wave_product: bool,
    /// Of the workgroup, as its barrier knows them; the case is the first of them.
    waves: u32,
    wave_product_after: bool,
    stop: Option<String>,
    messages: Vec<u32>,
    barriers: Vec<u32>,
    memory_after: Option<Vec<u32>>,
    lds_after: Option<Vec<u32>>,
}

/// Memory of a case: where its address goes, what each further lane adds, and its words.
#[derive(Clone, Debug)]
struct Buffer {
    address: Location,
    step: u64,
    /// Last word of a buffer resource.
    word3: Option<u32>,
    words: Vec<u32>,
}

/// A register, or several as one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Location {
    /// First row and number of rows; AccVGPRs lie behind the VGPRs.
    Vector(usize, usize),
    Scalar(usize, usize),
    Vcc,
    Exec,
    Scc,
    M0,
}

/// All cases of a file, or the number and fault of a line.
pub fn parse(text: &str) -> Result<Vec<Case>, (usize, String)> {
    let mut cases = Vec::new();
    let (mut runs, mut evidence) = (Vec::new(), String::new());
    let mut case = Case::default();
    let mut not: Vec<String> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let number = index + 1;
        let fail = |what: String| (number, what);
        let line = line.trim();
        let expectation = line.strip_prefix(";=");
        if expectation.is_none() && case.expects() && !line.is_empty() {
            cases.push(std::mem::take(&mut case));
        }
        if let Some(rest) = expectation {
            match rest
                .split_once('=')
                .map(|(place, list)| (place.trim(), list))
            {
                Some(("memory", list)) => case.memory_after = Some(words(list).map_err(fail)?),
                Some(("lds", list)) => case.lds_after = Some(words(list).map_err(fail)?),
                Some(("stop", name)) => case.stop = Some(name.trim().to_owned()),
                Some(("messages", list)) => case.messages = words(list).map_err(fail)?,
                Some(("barriers", list)) => case.barriers = words(list).map_err(fail)?,
                None if rest.trim() == "matrix" => case.product_after = true,
                None if rest.trim() == "wave-matrix" => case.wave_product_after = true,
                _ => case.after.push(assignment(rest).map_err(fail)?),
            }
        } else if let Some(rest) = line.strip_prefix(";!") {
            let rest = rest.trim();
            let (word, rest) = rest.split_once(' ').unwrap_or((rest, ""));
            match word {
                "target" => runs = targets(rest).map_err(fail)?,
                "by" => evidence = rest.trim().to_owned(),
                "not" => not = rest.split_whitespace().map(str::to_owned).collect(),
                "exec" => case.exec = Some(integer(rest.trim()).map_err(fail)?),
                "memory" => case.memory = Some(buffer(rest).map_err(fail)?),
                "lds" => case.lds = words(rest.trim().trim_start_matches('=')).map_err(fail)?,
                "time" => case.time = integer(rest.trim()).map_err(fail)?,
                "waves" => case.waves = integer(rest.trim()).map_err(fail)? as u32,
                "wave-matrix" => case.wave_product = true,
                "matrix" => case.product = Some(Product::parse(rest).map_err(fail)?),
                "scratch" => case.scratch = integer(rest.trim()).map_err(fail)? as u32,
                "in" => match assignment(rest).map_err(fail)? {
                    (place, Some(values)) => case.before.push((place, values)),
                    _ => return Err(fail("an input has a value".to_owned())),
                },
                _ => return Err(fail(format!("unknown directive {word:?}"))),
            }
        } else if !line.is_empty() && !line.starts_with(';') {
            if case.text.is_empty() {
                if runs.is_empty() || evidence.is_empty() {
                    return Err(fail("no `;! target` or no `;! by` above".to_owned()));
                }
                (case.line, case.runs, case.evidence) = (number, runs.clone(), evidence.clone());
                case.not = std::mem::take(&mut not);
            }
            case.text += line;
            case.text.push('\n');
        }
    }
    if !case.expects() && !case.text.is_empty() {
        return Err((case.line, "the last case expects nothing".to_owned()));
    }
    if case.expects() {
        cases.push(case);
    }
    cases.iter_mut().for_each(Case::add_alike);
    match cases.iter().find(|case| case.text.is_empty()) {
        Some(case) => Err((case.line, "a case has no instruction".to_owned())),
        None => Ok(cases),
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

/// `PLACE [step N] = u32[…]`.
fn buffer(text: &str) -> Result<Buffer, String> {
    let (place, list) = text
        .split_once('=')
        .ok_or("expected REGISTERS = u32[WORDS]")?;
    let (place, word3) = match place.split_once(" word3 ") {
        Some((place, word)) => (place, Some(integer(word.trim())? as u32)),
        None => (place, None),
    };
    let (place, step) = place.split_once(" step ").unwrap_or((place, "0"));
    Ok(Buffer {
        address: register(place.trim())?,
        step: integer(step.trim())?,
        word3,
        words: words(list)?,
    })
}

fn words(text: &str) -> Result<Vec<u32>, String> {
    let (_, values) = assignment(&format!("m0 = {text}"))?;
    let values = values.ok_or("expected u32[WORDS]")?;
    Ok(values.into_iter().map(|value| value as u32).collect())
}

/// `PLACE = TYPE[VALUE, …]` or `PLACE = any`.
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
    let values: Result<Vec<u64>, String> =
        list.split(',').map(|value| parse(value.trim())).collect();
    Ok((place, Some(values?)))
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

/// Every register of a wave by name, vector registers as one value per lane.
fn snapshot(machine: &Machine) -> BTreeMap<String, Vec<u64>> {
    let wave = &machine.wave;
    let mut all = BTreeMap::new();
    for row in 0..wave.vector_rows() {
        let name = match row.checked_sub(AGPR_BASE) {
            Some(number) => format!("a{number}"),
            None => format!("v{row}"),
        };
        all.insert(name, machine.row(row).into_iter().map(u64::from).collect());
    }
    for index in 0..102 {
        all.insert(format!("s{index}"), vec![u64::from(wave.sgpr(index))]);
    }
    all.insert("vcc".to_owned(), vec![wave.vcc()]);
    all.insert("exec".to_owned(), vec![wave.exec()]);
    all.insert("scc".to_owned(), vec![u64::from(wave.scc())]);
    all.insert("m0".to_owned(), vec![u64::from(wave.sgpr(M0))]);
    all
}

impl Location {
    /// Names of its parts in a [`snapshot`].
    fn parts(self) -> Vec<String> {
        match self {
            Location::Vector(first, count) => (first..first + count)
                .map(|row| match row.checked_sub(AGPR_BASE) {
                    Some(number) => format!("a{number}"),
                    None => format!("v{row}"),
                })
                .collect(),
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

    /// The rows that execute it on `target`; none if that does not assemble.
    pub fn rows(&self, target: &'static Target, wave_size: u32) -> BTreeSet<&'static str> {
        let decoder = isa::Decoder::with_features(target, wave_size as u8, "").expect("LLVM");
        let Ok(code) = assemble(target, wave_size, &self.text) else {
            return BTreeSet::new();
        };
        let insts = decoder.decode_all(&code, 0).filter_map(Result::ok);
        insts
            .filter_map(|inst| wave::rows_of(inst.mnemonic, target))
            .flatten()
            .collect()
    }

    /// Lets it run on the targets that are alike.
    fn add_alike(&mut self) {
        let mut further = Vec::new();
        for (name, wave_size) in &self.runs {
            let alike = ALIKE
                .iter()
                .find(|row| row.0 == name)
                .map_or(&[][..], |row| row.1);
            for &other in alike {
                let excluded = self
                    .not
                    .iter()
                    .any(|prefix| other.starts_with(prefix.as_str()));
                let word3 = self.memory.as_ref().and_then(|buffer| buffer.word3);
                let excluded = excluded || word3.is_some_and(|word| word3_of_gfx11(word).is_none());
                let run = (other.to_owned(), *wave_size);
                let target = Target::find(other).expect("a target");
                if !excluded
                    && !self.runs.contains(&run)
                    && assemble(target, *wave_size, &self.text).is_ok()
                {
                    further.push(run);
                }
            }
        }
        self.runs.extend(further);
    }

    /// Runs the case everywhere it is for; what was wrong, one line each.
    pub fn check(&self) -> Vec<String> {
        let mut complaints = Vec::new();
        for (target, wave_size) in &self.runs {
            let complain = |what: String| format!("{target} wave{wave_size}: {what}");
            complaints.extend(self.check_on(target, *wave_size).into_iter().map(complain));
        }
        complaints
    }

    fn check_on(&self, target: &str, wave_size: u32) -> Vec<String> {
        let mut machine = match Machine::assembled(target, wave_size, &self.text) {
            Ok(machine) => machine,
            Err(error) => return vec![error],
        };
        for (place, values) in &self.before {
            let lane_value = |lane: usize| values[lane % values.len()];
            match *place {
                Location::Vector(first, count) => {
                    for part in 0..count {
                        machine.vgpr(first + part, |lane| {
                            (lane_value(lane) >> (32 * part)) as u32
                        });
                    }
                }
                Location::Scalar(first, count) => {
                    for part in 0..count {
                        machine.sgpr(first + part, (values[0] >> (32 * part)) as u32);
                    }
                }
                Location::Vcc => _ = machine.sgpr64(VCC, values[0]),
                Location::Exec => machine.wave.set_exec(values[0]),
                Location::Scc => machine.wave.set_scc(values[0] != 0),
                Location::M0 => _ = machine.sgpr(M0, values[0] as u32),
            }
        }
        if let Some(product) = &self.product {
            product.set_inputs(&mut machine);
        }
        let wave_product = match self.wave_product {
            true => match WaveProduct::parse(&self.text, target, wave_size) {
                Ok(product) => Some(product),
                Err(error) => return vec![error],
            },
            false => None,
        };
        if let Some(product) = &wave_product {
            product.set_inputs(&mut machine);
        }
        machine.barrier = wave::SplitBarrier::new(self.waves.max(1));
        machine.wave.index_in_workgroup = self.waves.max(1) - 1;
        machine.outside.time = self.time.into();
        machine.lds_words(self.lds.iter().copied());
        let mut memory = self
            .memory
            .as_ref()
            .map_or(Vec::new(), |buffer| buffer.words.clone());
        if let Some(buffer) = &self.memory {
            let address = machine.map(&mut memory);
            match buffer.address {
                Location::Vector(first, _) => {
                    machine.vgpr64(first, |lane| address + buffer.step * lane as u64);
                }
                Location::Scalar(first, count) => {
                    machine.sgpr64(first, address);
                    if count == 4 {
                        let gfx10 = !target.starts_with("gfx9");
                        machine.sgpr(first + 2, 4 * buffer.words.len() as u32);
                        // Raw: no stride, data format 32.
                        let raw = if gfx10 { 0x3101_4fac } else { 0x0002_7000 };
                        let word = buffer.word3.unwrap_or(raw);
                        let family = Target::find(target).expect("a target").family;
                        let word = if family >= gfx::Family::Gfx11 {
                            word3_of_gfx11(word).unwrap_or(word)
                        } else {
                            word
                        };
                        machine.sgpr(first + 3, word);
                    }
                }
                _ => return vec!["an address goes to general registers".to_owned()],
            }
        }
        let mut scratch = vec![0_u32; (self.scratch * wave_size / 4) as usize];
        if self.scratch != 0 {
            machine.wave.scratch_base = machine.map(&mut scratch);
            machine.wave.scratch_bytes_per_lane = self.scratch;
        }
        if let Some(mask) = self.exec {
            machine.exec(mask);
        }
        let before = snapshot(&machine);
        let stop = machine.stop();
        if format!("{stop:?}") != self.stop.as_deref().unwrap_or("End") {
            return vec![format!("stopped by {stop:?}")];
        }
        let after = snapshot(&machine);
        let mut complaints = Vec::new();
        let outside = &machine.outside;
        for (what, found, expected) in [
            ("messages", &outside.messages, &self.messages),
            ("barriers", &outside.barriers, &self.barriers),
        ] {
            let pairs = found.lock().unwrap();
            let found: Vec<u32> = pairs.iter().flat_map(|&(a, b)| [a, b]).collect();
            if found != *expected {
                complaints.push(format!("{what} are {found:x?}, not {expected:x?}"));
            }
        }
        let words_before = self.memory.as_ref().map_or(&[][..], |buffer| &buffer.words);
        let expected = self.memory_after.as_deref().unwrap_or(words_before);
        if memory != expected {
            complaints.push(format!("memory is {memory:x?}, not {expected:x?}"));
        }
        let lds: Vec<u32> = (0..machine.lds.len() / 4)
            .map(|index| machine.lds_word(index))
            .collect();
        let expected = self.lds_after.as_ref().unwrap_or(&self.lds);
        if lds != *expected {
            complaints.push(format!("LDS is {lds:x?}, not {expected:x?}"));
        }
        let mut named: Vec<String> = Vec::new();
        if let Some(product) = self.product.as_ref().filter(|_| self.product_after) {
            complaints.extend(product.check(&machine));
            named.extend(product.result().parts());
        }
        if let Some(product) = wave_product.as_ref().filter(|_| self.wave_product_after) {
            complaints.extend(product.check(&machine));
            named.extend(product.result().parts());
        }
        for (place, expected) in &self.after {
            named.extend(place.parts());
            if let Some(expected) = expected {
                complaints.extend(compare(*place, expected, &before, &after, wave_size));
            }
        }
        for (name, values) in &after {
            if before[name] != *values && !named.contains(name) {
                complaints.push(format!("{name} changed to {values:x?}"));
            }
        }
        complaints
    }
}

/// Differences between what a register holds and what it should.
fn compare(
    place: Location,
    expected: &[u64],
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
        let active = lanes == 1 || before["exec"][0] >> lane & 1 != 0;
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
