//! Lines of the file in which a process tells of its launches.

use crate::flip::Struck;

/// A launch among those of one kernel. Queues take turns as it comes, but the packets of each queue have an order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Turn {
    /// The node of the device.
    pub node: u32,
    /// The queue's number, which follows from the order in which the program makes queues.
    pub queue: u64,
    /// Among the launches of this kernel in this queue, from 0 on.
    pub number: u64,
}

/// A launch that was counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Launch {
    /// The kernel's symbol.
    pub kernel: String,
    pub turn: Turn,
    pub grid: [u32; 3],
    /// Most waves of a workgroup. The list of counts has this many for each workgroup.
    pub waves: u32,
    /// Instructions of all its waves, but for those that wait.
    pub executed: u64,
    /// The numbers of places of all waves, in order: a number, and how many waves in a row have it.
    pub places: Vec<(u64, u64)>,
}

/// The wave and the place in it, of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InLaunch {
    /// Its linear number.
    pub workgroup: u64,
    pub wave: u32,
    pub place: u64,
}

impl Launch {
    /// All places of the launch.
    pub fn total(&self) -> u64 {
        self.places.iter().map(|(count, times)| count * times).sum()
    }

    /// The place with this number, below [`Launch::total`].
    pub fn find(&self, mut number: u64) -> Option<InLaunch> {
        let mut first = 0;
        for &(count, times) in &self.places {
            if number < count * times {
                let index = first + number / count;
                let waves = u64::from(self.waves.max(1));
                return Some(InLaunch {
                    workgroup: index / waves,
                    wave: (index % waves) as u32,
                    place: number % count,
                });
            }
            number -= count * times;
            first += times;
        }
        None
    }

    /// Adds the count of the next wave.
    pub(crate) fn push(&mut self, count: u64) {
        match self.places.last_mut() {
            Some((last, times)) if *last == count => *times += 1,
            _ => self.places.push((count, 1)),
        }
    }
}

/// A line of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    Launch(Launch),
    /// The value was changed.
    Struck(Struck),
    /// A kernel has stopped with this fault.
    Fault(String),
    /// Waves wait for each other for ever.
    Stuck,
    /// More instructions were executed than the budget has.
    Exhausted,
    /// Instructions by this name may have such values, but the decoder does not know where.
    Missed(String),
}

impl Line {
    pub fn print(&self) -> String {
        match self {
            Line::Launch(launch) => {
                let runs = launch.places.iter();
                let runs: Vec<String> = runs
                    .map(|(count, times)| format!("{count}*{times}"))
                    .collect();
                let [x, y, z] = launch.grid;
                format!(
                    "launch\t{}\t{}\t{}\t{x}\t{y}\t{z}\t{}\t{}\t{}\t{}\n",
                    launch.turn.node,
                    launch.turn.queue,
                    launch.turn.number,
                    launch.waves,
                    launch.executed,
                    runs.join(","),
                    launch.kernel
                )
            }
            Line::Struck(struck) => {
                let lane = struck.lane.map_or("-".to_owned(), |lane| lane.to_string());
                format!(
                    "struck\t{}\t{}\t{}\t{}\t{lane}\t{}\t{}\t{}\n",
                    struck.offset,
                    struck.op,
                    struck.class,
                    struck.register,
                    struck.before,
                    struck.after,
                    struck
                        .source
                        .as_deref()
                        .unwrap_or_default()
                        .replace('\n', " ")
                )
            }
            Line::Fault(what) => format!("fault\t{}\n", what.replace('\n', " ")),
            Line::Stuck => "stuck\n".to_owned(),
            Line::Exhausted => "exhausted\n".to_owned(),
            Line::Missed(name) => format!("missed\t{name}\n"),
        }
    }

    /// None for any other line, such as one that a process was writing when it was killed.
    pub fn read(line: &str) -> Option<Line> {
        let parts: Vec<&str> = line.split('\t').collect();
        Some(match parts[..] {
            [
                "launch",
                node,
                queue,
                number,
                x,
                y,
                z,
                waves,
                executed,
                runs,
                ref kernel @ ..,
            ] => {
                let mut places = Vec::new();
                for run in runs.split(',').filter(|run| !run.is_empty()) {
                    let (count, times) = run.split_once('*')?;
                    places.push((count.parse().ok()?, times.parse().ok()?));
                }
                Line::Launch(Launch {
                    kernel: kernel.join("\t"),
                    turn: Turn {
                        node: node.parse().ok()?,
                        queue: queue.parse().ok()?,
                        number: number.parse().ok()?,
                    },
                    grid: [x.parse().ok()?, y.parse().ok()?, z.parse().ok()?],
                    waves: waves.parse().ok()?,
                    executed: executed.parse().ok()?,
                    places,
                })
            }
            [
                "struck",
                offset,
                op,
                class,
                register,
                lane,
                before,
                after,
                ref source @ ..,
            ] => Line::Struck(Struck {
                offset: offset.parse().ok()?,
                op: op.to_owned(),
                class: class.to_owned(),
                register: register.to_owned(),
                lane: match lane {
                    "-" => None,
                    lane => Some(lane.parse().ok()?),
                },
                before: before.parse().ok()?,
                after: after.parse().ok()?,
                source: Some(source.join("\t")).filter(|source| !source.is_empty()),
            }),
            ["fault", what] => Line::Fault(what.to_owned()),
            ["stuck"] => Line::Stuck,
            ["exhausted"] => Line::Exhausted,
            ["missed", name] => Line::Missed(name.to_owned()),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_read_as_it_was_printed() {
        let mut launch = Launch {
            kernel: "_Z3addPi".into(),
            turn: Turn {
                node: 1,
                queue: 4,
                number: 3,
            },
            grid: [256, 1, 2],
            waves: 2,
            executed: 99,
            places: Vec::new(),
        };
        [5, 5, 7, 0, 5]
            .into_iter()
            .for_each(|count| launch.push(count));
        assert_eq!(launch.places, [(5, 2), (7, 1), (0, 1), (5, 1)]);
        let struck = Struck {
            offset: -8,
            op: "v_add_u32".into(),
            class: "valu".into(),
            register: "v3".into(),
            lane: Some(7),
            before: 1,
            after: 3,
            source: Some("some folder/a\tb.hip:7".into()),
        };
        for line in [
            Line::Launch(launch),
            Line::Struck(Struck {
                lane: None,
                source: None,
                ..struck.clone()
            }),
            Line::Struck(struck),
            Line::Fault("memory at 0x10".into()),
            Line::Stuck,
            Line::Exhausted,
            Line::Missed("v_movreld_b32".into()),
        ] {
            let text = line.print();
            assert_eq!(Line::read(text.trim_end_matches('\n')), Some(line));
        }
        assert_eq!(Line::read("launch\t1\t2"), None);
    }

    #[test]
    fn each_place_of_a_launch_is_found_once() {
        let launch = Launch {
            waves: 2,
            places: vec![(2, 2), (0, 1), (3, 1)],
            ..Launch::default()
        };
        let found: Vec<_> = (0..launch.total())
            .filter_map(|one| launch.find(one))
            .collect();
        let places: Vec<_> = found
            .iter()
            .map(|one| (one.workgroup, one.wave, one.place))
            .collect();
        let expected = [
            (0, 0, 0),
            (0, 0, 1),
            (0, 1, 0),
            (0, 1, 1),
            (1, 1, 0),
            (1, 1, 1),
            (1, 1, 2),
        ];
        assert_eq!(places, expected);
        assert_eq!(launch.find(7), None);
    }
}
