//! Records of both machines, register by register.

use isa::{Effects, Operand, Reg, RegKind};

use crate::{
    case::Case,
    frame::{FIRST, HEADER, Layout, SCALARS, SCALARS_AT, SLOTS, Word},
    imitation,
    report::{Approximation, Differences, Example, Outcome},
    ulp::Float,
};

/// Examples kept of a case.
const EXAMPLES: usize = 4;

/// The results of a case on both machines.
pub struct Results<'a> {
    pub case: &'a Case,
    pub wave_size: u8,
    pub input: &'a [u8],
    pub gpu: &'a [u8],
    pub emulator: &'a [u8],
}

/// A word of a record.
#[derive(Clone, Copy)]
struct RecordWord {
    /// `None` is memory.
    kind: Option<RegKind>,
    /// The register's number, or which dword of the arena it is.
    index: u16,
    lane: Option<u32>,
    /// Byte in the record.
    at: usize,
}

impl RecordWord {
    fn name(&self) -> String {
        let Some(kind) = self.kind else {
            return format!("memory+{:#x}", 4 * self.index);
        };
        match kind {
            RegKind::Vgpr => format!("v{}", self.index),
            RegKind::Agpr => format!("a{}", self.index),
            RegKind::Sgpr => format!("s{}", self.index),
            RegKind::Vcc => ["vcc_lo", "vcc_hi"][usize::from(self.index & 1)].to_owned(),
            RegKind::Exec => ["exec_lo", "exec_hi"][usize::from(self.index & 1)].to_owned(),
            RegKind::Scc => "scc".to_owned(),
            kind => format!("{kind:?}").to_lowercase(),
        }
    }
}

impl Results<'_> {
    fn layout(&self) -> Layout {
        self.case.layout(self.wave_size)
    }

    fn size(&self) -> usize {
        self.layout().record()
    }

    /// Bit by bit.
    pub fn exact(&self) -> Outcome {
        let size = self.size();
        let waves = (self.input.len() / size) as u32;
        if self.gpu == self.emulator {
            return Outcome::Agrees { waves };
        }
        let places = self.places();
        let float = result_type(self.case);
        let mut found = Differences {
            waves,
            ..Default::default()
        };
        for wave in 0..waves as usize {
            let at = wave * size;
            if self.gpu[at..at + size] == self.emulator[at..at + size] {
                continue;
            }
            found.differing_waves += 1;
            for place in &places {
                let [gpu, emulator] = [self.gpu, self.emulator].map(|all| word(all, at + place.at));
                if gpu != emulator {
                    self.count(&mut found, at, place, float, [gpu, emulator]);
                }
            }
        }
        Outcome::Differs(found)
    }

    fn count(
        &self,
        found: &mut Differences,
        record: usize,
        place: &RecordWord,
        float: Option<Float>,
        [gpu, emulator]: [u32; 2],
    ) {
        found.registers += 1;
        let result = self.result(place);
        if found.examples.len() < EXAMPLES {
            found.examples.push(self.example(record, place));
        }
        let (Some(result), Some(float)) = (result, float) else {
            found.elsewhere += u64::from(result.is_none() && !self.is_written(place));
            return;
        };
        // Both halves of a double, of which this is one.
        let pair = |all: &[u8]| {
            let first = place.at - 4 * usize::from(place.index - result.index);
            u64::from(word(all, record + first)) | u64::from(word(all, record + first + 4)) << 32
        };
        let mut values = match float {
            Float::F64 if result.width == 2 => vec![[pair(self.gpu), pair(self.emulator)]],
            Float::F64 => return,
            Float::F32 => vec![[gpu.into(), emulator.into()]],
            Float::F16 | Float::Bf16 => [0, 16]
                .map(|shift| [gpu, emulator].map(|both| u64::from(both >> shift & 0xffff)))
                .to_vec(),
        };
        values.retain(|[gpu, emulator]| gpu != emulator);
        let all = |is: &dyn Fn(u64, u64) -> bool| values.iter().all(|&[a, b]| is(a, b));
        if all(&|a, b| float.is_nan(a) && float.is_nan(b)) {
            found.only_nan_bits += 1;
        } else if all(&|a, b| is_flushed(float, a, b)) {
            found.only_flushed += 1;
        } else {
            let distances = values
                .iter()
                .filter_map(|&[gpu, emulator]| float.distance(gpu, emulator));
            let worst = distances.map(|distance| distance.unsigned_abs()).max();
            found.worst_ulp = found.worst_ulp.max(worst);
        }
    }

    /// The result of the instruction that has this register.
    fn result(&self, place: &RecordWord) -> Option<Reg> {
        let explicit = self.case.decoded.operands.iter();
        let explicit = explicit.filter_map(|operand| match operand {
            Operand::Def(reg) => Some(*reg),
            _ => None,
        });
        let implicit = self.case.decoded.implicit_defs.iter().copied();
        explicit.chain(implicit).find(|reg| {
            Some(reg.kind) == place.kind
                && (reg.index..reg.index + u16::from(reg.width.max(1))).contains(&place.index)
        })
    }

    /// Returns `true` if it is memory and the instruction writes such.
    fn is_written(&self, place: &RecordWord) -> bool {
        let writes = Effects::STORE.union(Effects::ATOMIC);
        place.kind.is_none() && self.case.decoded.effects.intersects(writes)
    }

    /// Every word of an output record that means something.
    fn places(&self) -> Vec<RecordWord> {
        let control = [
            (Word::ExecLow, RegKind::Exec, 0),
            (Word::ExecHigh, RegKind::Exec, 1),
            (Word::VccLow, RegKind::Vcc, 0),
            (Word::VccHigh, RegKind::Vcc, 1),
            (Word::Scc, RegKind::Scc, 0),
            (Word::M0, RegKind::M0, 0),
        ];
        let new = |kind, index, lane, at| RecordWord {
            kind: Some(kind),
            index,
            lane,
            at,
        };
        let control = control
            .into_iter()
            .map(|(word, kind, index)| new(kind, index, None, 4 * word as usize));
        let scalars = SCALARS.zip((SCALARS_AT..).step_by(4));
        let scalars = scalars.map(|(index, at)| new(RegKind::Sgpr, index, None, at));
        let (lane_size, accumulating) = (self.layout().lane(), self.layout().accumulating);
        let vectors = (0..u32::from(self.wave_size)).flat_map(|lane| {
            (0..SLOTS * self.case.width).map(move |register| {
                let slot = register / self.case.width;
                let kind = match accumulating >> slot & 1 {
                    0 => RegKind::Vgpr,
                    _ => RegKind::Agpr,
                };
                let at = HEADER + lane as usize * lane_size + 4 * usize::from(register);
                new(kind, FIRST + register, Some(lane), at)
            })
        });
        let memory = self.layout().arena_at()..self.size();
        let memory = memory.step_by(4).zip(0..).map(|(at, index)| RecordWord {
            kind: None,
            index,
            lane: None,
            at,
        });
        control
            .chain(scalars)
            .chain(vectors)
            .chain(memory)
            .collect()
    }

    fn example(&self, record: usize, place: &RecordWord) -> Example {
        let [gpu, emulator] =
            [self.gpu, self.emulator].map(|all| format!("{:#010x}", word(all, record + place.at)));
        Example {
            register: place.name(),
            lane: place.lane,
            mode: format!("{:#x}", word(self.input, record)),
            sources: self.sources(record, place.lane),
            gpu,
            emulator,
        }
    }

    /// The values that the instruction reads in this lane.
    fn sources(&self, record: usize, lane: Option<u32>) -> Vec<(String, String)> {
        let explicit = self.case.decoded.operands.iter();
        let explicit = explicit.filter_map(|operand| match operand {
            Operand::Use(reg) => Some(*reg),
            _ => None,
        });
        // EXEC and MODE are read by nearly all: one is told by the lanes, the other has a line of its own.
        let implicit = self.case.decoded.implicit_uses.iter().copied();
        let implicit = implicit.filter(|reg| !matches!(reg.kind, RegKind::Exec | RegKind::Mode));
        let mut sources = Vec::new();
        for reg in explicit.chain(implicit) {
            for index in reg.index..reg.index + u16::from(reg.width.max(1)) {
                let found = self.places().into_iter().find(|place| {
                    let lane = if place.lane.is_some() {
                        lane.or(Some(0))
                    } else {
                        None
                    };
                    (place.kind, place.index, place.lane) == (Some(reg.kind), index, lane)
                });
                if let Some(place) = found {
                    let value = word(self.input, record + place.at);
                    sources.push((place.name(), format!("{value:#010x}")));
                }
            }
        }
        sources
    }

    /// In units of the last place.
    pub fn approximate(&self) -> Approximation {
        let case = self.case;
        let mut found = Approximation {
            mnemonic: case.mnemonic.to_owned(),
            wave_size: self.wave_size,
            ..Default::default()
        };
        let Some(float) = result_type(case) else {
            found.failed = Some("its type is not known".to_owned());
            return found;
        };
        let result = case
            .decoded
            .operands
            .iter()
            .find_map(|operand| match operand {
                Operand::Def(reg) => Some(*reg),
                _ => None,
            });
        let places: Vec<RecordWord> = self
            .places()
            .into_iter()
            .filter(|place| {
                result.is_some_and(|reg| (Some(reg.kind), reg.index) == (place.kind, place.index))
            })
            .collect();
        let mut counts = std::collections::BTreeMap::new();
        let mut distances = Vec::new();
        let mut farthest = 1;
        for record in (0..self.input.len()).step_by(self.size()) {
            for place in &places {
                let value = |all: &[u8]| {
                    let low = u64::from(word(all, record + place.at));
                    let high = match float {
                        Float::F64 => u64::from(word(all, record + place.at + 4)),
                        _ => 0,
                    };
                    (low | high << 32) & float.mask()
                };
                let [gpu, emulator] = [self.gpu, self.emulator].map(value);
                found.inputs += 1;
                distances.push(imitation::small(float.distance(gpu, emulator)));
                let special = if gpu == emulator {
                    false
                } else if float.is_nan(gpu) && float.is_nan(emulator) {
                    found.nan_bits += 1;
                    continue;
                } else if is_flushed(float, gpu, emulator) {
                    found.flushed += 1;
                    continue;
                } else {
                    float
                        .distance(gpu, emulator)
                        .is_none_or(|distance| distance == 0)
                };
                if special {
                    found.special += 1;
                    if found.special == 1 {
                        found.examples.push(self.example(record, place));
                    }
                    continue;
                }
                let Some(distance) = float.distance(gpu, emulator) else {
                    continue;
                };
                if distance.unsigned_abs() > farthest {
                    farthest = distance.unsigned_abs();
                    found.examples.truncate(EXAMPLES - 1);
                    found.examples.insert(0, self.example(record, place));
                }
                let row = distance.clamp(-Approximation::FAR - 1, Approximation::FAR + 1);
                *counts.entry(row).or_insert(0) += 1;
            }
        }
        found.histogram = counts.into_iter().collect();
        // Functions of scalars are measured for too few inputs.
        if case.width > 0 {
            found.distances = Some(imitation::encode(&distances));
        }
        found
    }
}

fn word(bytes: &[u8], at: usize) -> u32 {
    let mut word = [0; 4];
    word.copy_from_slice(&bytes[at..at + 4]);
    u32::from_le_bytes(word)
}

/// One is a denormal, the other a zero.
fn is_flushed(float: Float, one: u64, other: u64) -> bool {
    let is_zero = |bits: u64| float.distance(bits, 0) == Some(0);
    float.is_denormal(one) && is_zero(other) || float.is_denormal(other) && is_zero(one)
}

/// The type of a float result: conversions name it first, others have it last.
fn result_type(case: &Case) -> Option<Float> {
    let mut types: Vec<&str> = case.types().skip(1).collect();
    let is_conversion = types.first() == Some(&"cvt");
    if !is_conversion {
        types.reverse();
        return types.into_iter().find_map(Float::named);
    }
    let integer = |part: &&str| {
        part.starts_with(['i', 'u']) && part[1..].chars().all(|digit| digit.is_ascii_digit())
    };
    let first = types
        .iter()
        .find(|part| Float::named(part).is_some() || integer(part))?;
    Float::named(first)
}
