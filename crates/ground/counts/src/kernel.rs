//! A kernel of a process.

use std::{borrow::Cow, collections::BTreeMap};

use serde::{Deserialize, Serialize};

use crate::{Executed, Inexact, Name, Reached};

/// Mnemonics of inexact instructions that a line names; further ones are summed up by reason under [`OTHERS`].
const TOLD: usize = 12;
/// Uses of such results that a line names; further ones are summed up by what they are.
const USES: usize = 8;
/// Bytes that a line has of an instruction's place.
const PLACE: usize = 120;
const OTHERS: Name = Cow::Borrowed("others");

/// The instructions that one kernel executed in one process on one emulated GPU.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct Kernel {
    /// Its symbol.
    pub kernel: String,
    pub device: Name,
    /// Number of the GPU, from 1.
    pub node: u32,
    /// None in sums of several processes.
    #[serde(default)]
    pub pid: Option<u32>,
    pub dispatches: u64,
    pub faults: u64,
    pub workgroups: u64,
    pub work_items: u64,
    /// From start to end of its dispatches.
    pub nanoseconds: u64,
    #[serde(flatten)]
    pub executed: Executed,
    /// By AMD's names of counters, but for those that are 0. Earlier versions wrote none.
    #[serde(default)]
    pub counters: BTreeMap<Name, u64>,
    /// Instructions whose results a GPU may compute otherwise. Earlier versions did not look for them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inexact: Option<Vec<Inexact>>,
    /// Uses of results that a GPU may compute otherwise. None if such results were not followed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reached: Option<Vec<Reached>>,
    /// Launches whose waves did nothing for a while but look whether memory had changed. Earlier versions did not count them.
    #[serde(default)]
    pub waited: u64,
}

impl Kernel {
    /// Instructions whose results a GPU may compute otherwise, as far as they are known.
    pub fn inexact(&self) -> &[Inexact] {
        self.inexact.as_deref().unwrap_or_default()
    }

    pub fn add_counter(&mut self, name: &'static str, count: u64) {
        *self.counters.entry(Name::Borrowed(name)).or_default() += count;
    }

    pub fn add_inexact(&mut self, more: Inexact) {
        add(self.inexact.get_or_insert_default(), more);
    }

    pub fn add_reached(&mut self, more: Reached) {
        let all = self.reached.get_or_insert_default();
        let same = |known: &&mut Reached| {
            (&known.what, &known.by, &known.from) == (&more.what, &more.by, &more.from)
        };
        match all.iter_mut().find(same) {
            Some(known) => known.times += more.times,
            None => all.push(more),
        }
    }

    /// Leaves only the first uses with short places, and sums the others up.
    fn shorten_reached(&mut self) {
        let Some(all) = &mut self.reached else { return };
        for rest in all.split_off(all.len().min(USES)) {
            self.add_reached(Reached {
                by: OTHERS,
                from: OTHERS,
                ..rest
            });
        }
        for one in self.reached.iter_mut().flatten() {
            for place in [&mut one.by, &mut one.from] {
                if place.len() > PLACE {
                    let start = (place.len() - PLACE..).find(|at| place.is_char_boundary(*at));
                    *place = format!("...{}", &place[start.unwrap_or(0)..]).into();
                }
            }
        }
    }
}

fn add(to: &mut Vec<Inexact>, more: Inexact) {
    let same = |known: &&mut Inexact| known.op == more.op && known.reason == more.reason;
    match to.iter_mut().find(same) {
        Some(known) => {
            known.waves += more.waves;
            known.lanes += more.lanes;
        }
        None => to.push(more),
    }
}

/// The kernel in one line of `size` bytes, its newline included, so that a line can be written over an earlier one. Spaces fill it. A name
/// too long for the line is cut, and of many inexact instructions and uses of their results the line names the first.
pub fn line(kernel: &Kernel, size: usize) -> Vec<u8> {
    let mut told = kernel.clone();
    if let Some(inexact) = &mut told.inexact {
        for rest in inexact.split_off(inexact.len().min(TOLD)) {
            add(inexact, Inexact { op: OTHERS, ..rest });
        }
    }
    told.shorten_reached();
    let json = |told: &Kernel| serde_json::to_vec(told).expect("names and numbers");
    let mut line = json(&told);
    // Each byte of the name takes up to six of the line (`\u001b`), so that no more is cut than must be.
    while line.len() >= size && !told.kernel.is_empty() {
        let mut end =
            told.kernel.len() - (line.len() + 1 - size).div_ceil(6).min(told.kernel.len());
        while !told.kernel.is_char_boundary(end) {
            end -= 1;
        }
        told.kernel.truncate(end);
        line = json(&told);
    }
    line.resize(size - 1, b' ');
    line.push(b'\n');
    line
}

/// The kernels in lines of emulated GPUs.
pub fn lines(text: &str) -> serde_json::Result<Vec<Kernel>> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.map(serde_json::from_str).collect()
}

/// The instructions that a kernel executed, as the tool `instr-count` counted it.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct OfTool {
    pub kernel: String,
    /// SHA-256 of its code object, or its target.
    pub object: String,
    pub launches: u64,
    pub wave_instructions: u64,
    pub lane_instructions: u64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Class;

    fn inexact(reason: &'static str, op: String, waves: u64) -> Inexact {
        Inexact {
            reason: reason.into(),
            op: op.into(),
            waves,
            lanes: 2 * waves,
        }
    }

    fn kernel(name: &str) -> Kernel {
        Kernel {
            kernel: name.to_owned(),
            device: "gfx90a".into(),
            node: 1,
            pid: Some(7),
            executed: Executed {
                waves: 1,
                wave_instructions: 3,
                lane_instructions: 64,
                classes: [("branch".into(), Class(1, 64))].into(),
            },
            ..Kernel::default()
        }
    }

    #[test]
    fn lines_have_one_length_and_are_read_again() {
        let long = "ä\"\n".repeat(300);
        for name in ["plain", "a \"name\"\\ with\ttabs", &long] {
            let written = kernel(name);
            let line = line(&written, 1000);
            assert_eq!((line.len(), line.last()), (1000, Some(&b'\n')));
            let text = String::from_utf8(line).unwrap();
            let [read] = &lines(&text).unwrap()[..] else {
                panic!("{text}")
            };
            assert!(name.starts_with(&read.kernel), "{}", read.kernel);
            assert!(read.kernel.len() == name.len() || text.trim_end().len() > 950);
            let cut = read.kernel.clone();
            assert_eq!(
                *read,
                Kernel {
                    kernel: cut,
                    ..written
                }
            );
        }
    }

    #[test]
    fn uses_beyond_the_first_are_summed_up_by_what_they_are() {
        let reached = |what: &'static str, by: &str| Reached {
            what: what.into(),
            by: by.to_owned().into(),
            from: "v_exp_f32 a.hip:1".into(),
            times: 2,
        };
        let mut many = kernel("k");
        for number in 0..USES + 3 {
            let what = if number % 2 == 0 { "address" } else { "branch" };
            many.add_reached(reached(what, &format!("{}{number}", "ä".repeat(PLACE))));
            many.add_reached(reached(what, &format!("{}{number}", "ä".repeat(PLACE))));
        }
        let line = String::from_utf8(line(&many, 6000)).unwrap();
        let told = lines(&line).unwrap().remove(0).reached.unwrap();
        assert_eq!(told.len(), USES + 2);
        assert!(told[3].by.starts_with("...ä") && told[3].by.ends_with("ä3"));
        assert!(told.iter().all(|one| one.by.len() <= PLACE + 3));
        let sums: Vec<_> = told[USES..]
            .iter()
            .map(|one| (&*one.what, one.times))
            .collect();
        assert_eq!(sums, [("address", 8), ("branch", 4)]);
        assert_eq!((&told[USES].by, &told[USES].from), (&OTHERS, &OTHERS));
    }

    #[test]
    fn mnemonics_beyond_the_first_are_summed_up_by_reason() {
        let mut many = kernel("k");
        for number in 0..TOLD as u64 + 3 {
            let reason = if number % 2 == 0 { "sums" } else { "order" };
            many.add_inexact(inexact(reason, format!("op{number}"), number));
        }
        let line = String::from_utf8(line(&many, 4000)).unwrap();
        let read = lines(&line).unwrap().remove(0);
        let told = read.inexact();
        assert_eq!(told.len(), TOLD + 2);
        assert_eq!(told[..TOLD], many.inexact()[..TOLD]);
        assert_eq!(told[TOLD], inexact("sums", "others".into(), 12 + 14));
        assert_eq!(told[TOLD + 1], inexact("order", "others".into(), 13));
    }
}
