//! Cases of the engine whose values come from manuals, as kernels: control flow, modes, M0, scalar memory and whatever else needs
//! more than one instruction and registers of our choice.

use std::collections::BTreeMap;

use documented::{
    AGPR_BASE, Case, FILES, IMAGE, Location, Registers, VECTOR_ROWS, assemble, written,
};
use gfx::{Family, Target};
use isa::{Decoder, Inst, RegKind};

use crate::{
    frame::{
        Word,
        whole::{Address, SCALARS, SCALARS_AT, Whole},
    },
    left::why_not_written,
    report::{Differences, Example, Outcome},
};

/// MODE of HIP kernels: nearest even, denormals kept.
const MODE: u32 = 0xf0;
/// Vector registers of a slot of the other frames, so that there are those that this frame has.
pub const WIDTH: u16 = 22;
/// Examples kept of a case.
const EXAMPLES: usize = 4;

/// One case on one target.
pub struct Documented {
    /// Mnemonic of its first instruction.
    pub mnemonic: String,
    /// All instructions in a line.
    pub text: String,
    /// File and line.
    pub place: String,
    pub layout: Whole,
    pub code: Vec<u8>,
    pub input: Vec<u8>,
    /// The manuals' values.
    #[cfg(test)]
    case: Case,
    #[cfg(test)]
    start: Registers,
}

/// Cases that are left out, by reason.
pub type Reasons = BTreeMap<&'static str, u32>;

/// Targets whose cases are for others of the family, too.
const FOR_FAMILY: &[(Family, &str)] = &[
    (Family::Gfx9, "gfx900"),
    (Family::Gfx10, "gfx1010"),
    (Family::Gfx10_3, "gfx1030"),
    (Family::Gfx11, "gfx1100"),
    (Family::Gfx12, "gfx1201"),
];

/// All cases of a target that assemble, and the reasons of those that are not run.
pub fn documented(
    target: &'static Target,
    wave_size: u8,
) -> crate::Result<(Vec<Documented>, Reasons)> {
    let decoder = Decoder::with_features(target, wave_size, "")?;
    let all = FILES.iter().flat_map(|(file, text)| {
        // The engine's tests read the same.
        let cases = written(text).unwrap_or_default();
        cases.into_iter().map(move |case| (*file, case))
    });
    let all: Vec<(&str, Case)> = all.collect();
    let size = u32::from(wave_size);
    let count = |name: &str| {
        let cases = all.iter();
        cases.filter(|(_, case)| case.is_for(name, size)).count()
    };
    // A target that no file names has few of its own.
    let family = FOR_FAMILY.iter().find(|row| row.0 == target.family);
    let name = match family {
        Some((_, name)) if count(name) > count(target.name) => *name,
        _ => target.name,
    };
    let mut cases = Vec::new();
    let mut left = Reasons::new();
    for (file, case) in all {
        if !case.is_for(name, size) {
            continue;
        }
        let Ok(code) = assemble(target, size, &case.text) else {
            continue;
        };
        let decoded = decoder.decode_all(&code, 0).filter_map(Result::ok);
        let decoded: Vec<Inst> = decoded.collect();
        match why_not(&case, &decoded) {
            Some(reason) => *left.entry(reason).or_default() += 1,
            None => cases.push(Documented::new(target, wave_size, file, &case, code)),
        }
    }
    Ok((cases, left))
}

fn why_not(case: &Case, decoded: &[Inst]) -> Option<&'static str> {
    let by_name = why_not_written(&case.text, decoded);
    match case.stop.as_deref() {
        _ if by_name.is_some() => by_name,
        None | Some("End") if case.waves > 1 => Some("is of several waves"),
        None | Some("End") => None,
        Some("Sleep" | "Barrier") if case.waves > 1 => Some("waits for other waves"),
        // Alone it goes on.
        Some("Sleep" | "Barrier") => None,
        Some(_) => Some("the emulated device refuses it"),
    }
}

impl Documented {
    fn new(
        target: &'static Target,
        wave_size: u8,
        file: &str,
        case: &Case,
        code: Vec<u8>,
    ) -> Documented {
        let memory = case.memory.as_ref();
        let address = match memory.map(|buffer| buffer.address) {
            Some(Location::Scalar(first, IMAGE)) => Address::Image(first),
            Some(Location::Scalar(first, _)) => Address::Scalar(first),
            Some(Location::Vector(first, _)) => Address::Vector(first),
            _ => Address::None,
        };
        let writes = [
            "s_store",
            "s_buffer_store",
            "s_atomic",
            "s_buffer_atomic",
            "s_scratch_store",
        ];
        let layout = Whole {
            wave_size,
            memory: memory.map_or(0, |buffer| buffer.words.len()),
            lds: case.lds.len(),
            address,
            scratch: case.scratch,
            writes_scalars: writes.iter().any(|name| case.text.contains(name)),
        };
        let poisoned = Registers::poisoned(wave_size.into());
        // The engine's tests have seen that it can.
        let start = case.start(poisoned.clone(), target, 0).unwrap_or(poisoned);
        let lines: Vec<&str> = case.text.lines().map(str::trim).collect();
        let first = lines.first().and_then(|line| line.split(' ').next());
        Documented {
            mnemonic: first.unwrap_or_default().to_owned(),
            text: lines.join("; "),
            place: format!("{file}:{}", case.line),
            layout,
            code,
            input: record(layout, case, &start),
            #[cfg(test)]
            case: case.clone(),
            #[cfg(test)]
            start,
        }
    }

    /// Bytes of LDS that the kernel needs.
    pub fn lds(&self) -> u32 {
        4 * self.layout.lds as u32
    }

    /// The words that differ between both outputs.
    pub fn compare(&self, gpu: &[u8], emulator: &[u8], has_accvgprs: bool) -> Outcome {
        let mut found = Differences {
            waves: 1,
            ..Differences::default()
        };
        for (place, lane, at) in self.places(has_accvgprs) {
            let [gpu, emulator] = [gpu, emulator].map(|all| word(all, at));
            if gpu == emulator {
                continue;
            }
            found.registers += 1;
            if found.examples.len() < EXAMPLES {
                found.examples.push(Example {
                    register: place,
                    lane,
                    mode: format!("{MODE:#x}"),
                    sources: Vec::new(),
                    gpu: format!("{gpu:#010x}"),
                    emulator: format!("{emulator:#010x}"),
                });
            }
        }
        match found.registers {
            0 => Outcome::Agrees { waves: 1 },
            _ => {
                found.differing_waves = 1;
                Outcome::Differs(found)
            }
        }
    }

    /// Name, lane and place of every word that means something; addresses do not, as devices have different ones.
    fn places(&self, has_accvgprs: bool) -> Vec<(String, Option<u32>, usize)> {
        let layout = self.layout;
        let mut places = Vec::new();
        let named = [
            (Word::ExecLow, "exec_lo"),
            (Word::ExecHigh, "exec_hi"),
            (Word::VccLow, "vcc_lo"),
            (Word::VccHigh, "vcc_hi"),
            (Word::Scc, "scc"),
            (Word::M0, "m0"),
        ];
        places.extend(named.map(|(word, name)| (name.to_owned(), None, 4 * word as usize)));
        let is_address = |kind, register| match layout.address {
            Address::Scalar(first) | Address::Image(first) => {
                kind == RegKind::Sgpr && (first..first + 2).contains(&register)
            }
            Address::Vector(first) => {
                kind == RegKind::Vgpr && (first..first + 2).contains(&register)
            }
            Address::None => false,
        };
        for scalar in (0..SCALARS).filter(|&index| !is_address(RegKind::Sgpr, index)) {
            places.push((format!("s{scalar}"), None, SCALARS_AT + 4 * scalar));
        }
        for row in (0..VECTOR_ROWS).filter(|&row| !is_address(RegKind::Vgpr, row)) {
            let name = match row.checked_sub(AGPR_BASE) {
                Some(number) if has_accvgprs => format!("a{number}"),
                _ => format!("v{row}"),
            };
            let lanes = 0..usize::from(layout.wave_size);
            places.extend(
                lanes.map(|lane| (name.clone(), Some(lane as u32), layout.vector_at(row, lane))),
            );
        }
        for (what, at, words) in [
            ("memory", layout.memory_at(), layout.memory),
            ("lds", layout.lds_at(), layout.lds),
        ] {
            let words = (0..words).map(|word| 4 * word);
            places.extend(words.map(|word| (format!("{what}+{word:#x}"), None, at + word)));
        }
        places
    }
}

/// The input.
fn record(layout: Whole, case: &Case, start: &Registers) -> Vec<u8> {
    let mut bytes = vec![0; layout.record()];
    let mut put = |at: usize, value: u32| bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
    for (word, value) in [
        (Word::Mode, MODE),
        (Word::ExecLow, start.exec as u32),
        (Word::ExecHigh, (start.exec >> 32) as u32),
        (Word::VccLow, start.vcc as u32),
        (Word::VccHigh, (start.vcc >> 32) as u32),
        (Word::Scc, start.scc.into()),
        (Word::M0, start.m0),
    ] {
        put(4 * word as usize, value);
    }
    for (scalar, &value) in start.scalars.iter().take(SCALARS).enumerate() {
        put(SCALARS_AT + 4 * scalar, value);
    }
    for (row, lanes) in start.vectors.iter().enumerate() {
        for (lane, &value) in lanes.iter().enumerate() {
            put(layout.vector_at(row, lane), value);
        }
    }
    let memory = case.memory.iter().flat_map(|buffer| &buffer.words);
    for (index, &value) in memory.enumerate() {
        put(layout.memory_at() + 4 * index, value);
    }
    for (index, &value) in case.lds.iter().enumerate() {
        put(layout.lds_at() + 4 * index, value);
    }
    bytes
}

fn word(bytes: &[u8], at: usize) -> u32 {
    let mut word = [0; 4];
    word.copy_from_slice(&bytes[at..at + 4]);
    u32::from_le_bytes(word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Emulated, Job, Kernel, Launch, Machine, frame::Frames, object};

    /// The registers in an output; those that it does not contain keep their start values.
    fn registers(case: &Documented, output: &[u8]) -> Registers {
        let at = |word: Word| word as usize * 4;
        let double =
            |low, high| u64::from(word(output, at(low))) | u64::from(word(output, at(high))) << 32;
        let mut after = case.start.clone();
        for (row, lanes) in after.vectors.iter_mut().enumerate() {
            for (lane, value) in lanes.iter_mut().enumerate() {
                *value = word(output, case.layout.vector_at(row, lane));
            }
        }
        for (index, value) in after.scalars.iter_mut().take(SCALARS).enumerate() {
            *value = word(output, SCALARS_AT + 4 * index);
        }
        after.exec = double(Word::ExecLow, Word::ExecHigh);
        // In wave32 the upper half is a register like others, of which manuals' cases say nothing.
        after.vcc = double(Word::VccLow, Word::VccHigh) & u64::MAX >> (64 - after.wave_size());
        after.scc = word(output, at(Word::Scc)) != 0;
        after.m0 = word(output, at(Word::M0));
        after
    }

    fn words(output: &[u8], at: usize, count: usize) -> Vec<u32> {
        (0..count)
            .map(|index| word(output, at + 4 * index))
            .collect()
    }

    /// Kernels around the cases leave what manuals say, and nothing else: frames lose no register and no word of memory.
    #[test]
    fn frames_leave_what_manuals_say() {
        let mut wrong = Vec::new();
        for (name, wave_size) in [
            ("gfx906", 64),
            ("gfx908", 64),
            ("gfx942", 64),
            ("gfx1030", 32),
            ("gfx1100", 64),
            ("gfx1201", 32),
        ] {
            let target = Target::find(name).unwrap();
            let mut frames = Frames::new(target, wave_size).unwrap();
            let (cases, left) = documented(target, wave_size).unwrap();
            assert!(cases.len() > 1000, "{name}: {} cases", cases.len());
            let has = |begins: &str| cases.iter().any(|case| case.mnemonic.starts_with(begins));
            for begins in ["image_load", "image_store", "image_atomic", "image_sample"] {
                // CDNA3 has no images.
                assert_eq!(has(begins), name != "gfx942", "{name}: {begins}");
            }
            assert!(left.values().sum::<u32>() < 20, "{name}: {left:?}");
            let mut emulated = Emulated::new();
            for batch in cases.chunks(64) {
                let kernels = batch.iter().enumerate().map(|(number, case)| Kernel {
                    name: format!("case{number}"),
                    code: frames.whole(case.layout, &case.code).unwrap(),
                    width: WIDTH,
                    scratch: case.layout.scratch,
                });
                let launches = batch.iter().enumerate().map(|(number, case)| Launch {
                    kernel: format!("case{number}"),
                    groups: 1,
                    block: wave_size.into(),
                    lds: case.lds(),
                    scratch: case.layout.scratch,
                    input: case.input.clone(),
                    output: case.layout.record() as u64,
                    seconds: 10,
                });
                let job = Job {
                    object: object(target, wave_size, &kernels.collect::<Vec<_>>()).unwrap(),
                    launches: launches.collect(),
                };
                let outputs = batch.iter().zip(emulated.run(&job));
                // Cases that stop in the engine's tests to be examined continue here.
                let ended =
                    |case: &Documented| matches!(case.case.stop.as_deref(), None | Some("End"));
                for (case, output) in outputs.filter(|(case, _)| ended(case)) {
                    let output = output
                        .unwrap_or_else(|trouble| panic!("{name} {}: {trouble:?}", case.place));
                    let (layout, after) = (case.layout, registers(case, &output));
                    let mut before = case.start.clone();
                    before.vcc &= u64::MAX >> (64 - before.wave_size());
                    match layout.address {
                        Address::Scalar(first) | Address::Image(first) => before.scalars
                            [first..first + 2]
                            .copy_from_slice(&after.scalars[first..first + 2]),
                        Address::Vector(first) => before.vectors[first..first + 2]
                            .clone_from_slice(&after.vectors[first..first + 2]),
                        Address::None => {}
                    }
                    let mut complaints = case.case.check(target, &before, &after);
                    for (what, found, expected) in [
                        (
                            "memory",
                            words(&output, layout.memory_at(), layout.memory),
                            case.case.memory_after(),
                        ),
                        (
                            "LDS",
                            words(&output, layout.lds_at(), layout.lds),
                            case.case.lds_after(),
                        ),
                    ] {
                        if found != expected {
                            complaints.push(format!("{what} is {found:x?}, not {expected:x?}"));
                        }
                    }
                    let complaints = complaints.into_iter();
                    wrong.extend(complaints.map(|what| format!("{name} {}: {what}", case.place)));
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
