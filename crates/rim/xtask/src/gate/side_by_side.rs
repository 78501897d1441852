//! Test programs side by side. A program whose last test is long leaves processors idle, and so does one whose tests wait. The next
//! program starts as soon as those that run have fewer tests left than there are processors, or when processors have been idle.

use std::{
    cmp::Reverse,
    collections::BTreeMap,
    io::{self, Write},
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use anyhow::Result;

use super::{
    harness::Left,
    programs::{Outcome, Program},
    work,
};

/// The gate runs at most this many programs more than there are processors, however idle these are.
const MORE: usize = 2;
/// While another program starts, so much memory must be free: tests start compilers, which need half a gigabyte each.
const MEMORY: u64 = 3 << 30;

/// Shows the output of programs one after another: the first program's as it comes, the others' when it is their turn.
struct Console<W> {
    shown: W,
    turn: usize,
    /// The output of each program whose turn comes later, and `true` if the program has ended.
    kept: BTreeMap<usize, (Vec<u8>, bool)>,
}

impl<W: Write> Console<W> {
    fn print(&mut self, number: usize, text: &[u8]) -> io::Result<()> {
        if number == self.turn {
            return self.shown.write_all(text);
        }
        self.kept
            .entry(number)
            .or_default()
            .0
            .extend_from_slice(text);
        Ok(())
    }

    fn end(&mut self, number: usize) -> io::Result<()> {
        self.kept.entry(number).or_default().1 = true;
        while let Some((_, true)) = self.kept.get(&self.turn) {
            self.kept.remove(&self.turn);
            self.turn += 1;
            if let Some((text, _)) = self.kept.get_mut(&self.turn) {
                self.shown.write_all(&std::mem::take(text))?;
            }
        }
        Ok(())
    }
}

/// How many tests run.
#[derive(Default)]
struct Busy {
    /// By the number of the program.
    used: Mutex<BTreeMap<usize, usize>>,
    changed: Condvar,
}

impl Busy {
    fn set(&self, program: usize, used: usize) {
        let mut all = lock(&self.used);
        match used {
            0 => all.remove(&program),
            _ => all.insert(program, used),
        };
        self.changed.notify_all();
    }

    /// Waits until fewer tests run than there are processors, or until these are idle.
    fn wait(&self, threads: usize, mut idle: impl FnMut() -> bool) {
        let mut all = lock(&self.used);
        while all.values().sum::<usize>() >= threads {
            if all.len() < threads + MORE && idle() {
                return;
            }
            let woken = self.changed.wait_timeout(all, Idle::SPAN);
            (all, _) = woken.unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Finds out whether processors are idle, although tests run.
struct Idle {
    threads: usize,
    /// When the span began that is looked at, and what the machine had worked then.
    began: Instant,
    worked: Duration,
}

impl Idle {
    /// A shorter pause of all tests says nothing.
    const SPAN: Duration = Duration::from_secs(2);

    fn new(threads: usize, now: Instant, worked: Duration) -> Idle {
        Idle {
            threads,
            began: now,
            worked,
        }
    }

    /// Returns `true` at the end of a span in which half a processor or more was idle. `worked` is the time that all
    /// programs of the machine have worked until now.
    fn look(&mut self, now: Instant, worked: Duration) -> bool {
        let span = now.saturating_duration_since(self.began);
        if span < Idle::SPAN {
            return false;
        }
        let busy = worked.saturating_sub(self.worked).as_secs_f64() / span.as_secs_f64();
        *self = Idle::new(self.threads, now, worked);
        busy + 0.5 <= self.threads as f64
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs all programs, each with so many threads, and returns what came of them in their order.
pub fn run(
    programs: Vec<Program>,
    arguments: &[String],
    threads: usize,
) -> Result<Vec<(Program, Outcome)>> {
    let start = |program: &Program, hear: &mut dyn FnMut(&[u8])| program.run(arguments, hear);
    let title = |program: &Program| format!("\n     Running {}\n", program.name());
    let mut looked: Option<(usize, Idle)> = None;
    // Each program that starts begins a span of its own: its tests have to show what they use.
    let idle = move |number: usize| {
        let (now, Some(worked)) = (Instant::now(), work::of_machine()) else {
            return false;
        };
        match &mut looked {
            Some((last, idle)) if *last == number => {
                idle.look(now, worked) && work::free_memory() >= MEMORY
            }
            _ => {
                looked = Some((number, Idle::new(threads, now, worked)));
                false
            }
        }
    };
    all(programs, (threads, idle), io::stdout(), title, start)
}

/// `idle` is asked whether another program may start although enough tests run; it gets the number of this program.
fn all<P: Sync + Send, O: Send>(
    programs: Vec<P>,
    (threads, mut idle): (usize, impl FnMut(usize) -> bool),
    shown: impl Write + Send,
    title: impl Fn(&P) -> String,
    start: impl Fn(&P, &mut dyn FnMut(&[u8])) -> Result<O> + Sync,
) -> Result<Vec<(P, O)>> {
    let busy = Busy::default();
    let console = Mutex::new(Console {
        shown,
        turn: 0,
        kept: BTreeMap::new(),
    });
    let one = |number: usize, program: &P, titled: io::Result<()>| -> Result<O> {
        let mut left = Left::default();
        let mut failed = titled.err();
        let outcome = start(program, &mut |line| {
            left.hear(&String::from_utf8_lossy(line));
            busy.set(number, left.used(threads));
            failed = lock(&console).print(number, line).err().or(failed.take());
        });
        lock(&console).end(number)?;
        busy.set(number, 0);
        match failed {
            Some(error) => Err(error.into()),
            None => outcome,
        }
    };
    let outcomes: Vec<Result<O>> = std::thread::scope(|scope| {
        let mut started = Vec::new();
        for (number, program) in programs.iter().enumerate() {
            busy.wait(threads, || idle(number));
            busy.set(number, threads);
            // (What it prints first comes after its title.)
            let title = title(program);
            let titled = lock(&console).print(number, title.as_bytes());
            let one = &one;
            started.push(scope.spawn(move || one(number, program, titled)));
        }
        let ended = started.into_iter();
        ended
            .map(|thread| thread.join().expect("no program panics"))
            .collect()
    });
    let outcomes: Vec<O> = outcomes.into_iter().collect::<Result<_>>()?;
    Ok(programs.into_iter().zip(outcomes).collect())
}

/// The longest programs on two processors, in seconds: for a first gate.
const LONG: [(&str, u64); 10] = [
    ("cli --test cli", 400),
    ("programs --test programs", 370),
    ("programs --test run", 250),
    ("programs --test instrumented", 140),
    // One of its tests takes that long however idle the processors are.
    ("emulate --test emulate", 130),
    ("coverage --test coverage", 105),
    ("count --test count", 100),
    ("tool-build --test tool-build", 80),
    ("judge --test judge", 80),
    ("verify --test verify", 70),
];

/// The order in which programs start: the longest first, so that none is alone at the end. New ones, of which the last gate did not know, come
/// before all others.
pub fn order<P>(
    mut programs: Vec<P>,
    name: impl Fn(&P) -> String,
    known: &BTreeMap<String, Duration>,
) -> Vec<P> {
    let usual = |name: &str| {
        let row = LONG.iter().find(|(long, _)| *long == name);
        row.map_or(Duration::ZERO, |(_, seconds)| Duration::from_secs(*seconds))
    };
    let time = |program: &P| {
        let name = name(program);
        match known.is_empty() {
            true => usual(&name),
            false => known.get(&name).copied().unwrap_or(Duration::MAX),
        }
    };
    programs.sort_by_cached_key(|program| Reverse(time(program)));
    programs
}

/// How long programs took, as [`write`] wrote it. A file that is not there or says something else knows nothing.
pub fn read(text: &str) -> BTreeMap<String, Duration> {
    let rows = text.lines().filter_map(|line| {
        let (seconds, name) = line.split_once(' ')?;
        let time = Duration::try_from_secs_f64(seconds.parse().ok()?).ok()?;
        Some((name.to_owned(), time))
    });
    rows.collect()
}

/// A line for each program.
pub fn write(times: &[(Duration, String)]) -> String {
    let lines = times
        .iter()
        .map(|(time, name)| format!("{:.3} {name}\n", time.as_secs_f64()));
    lines.collect()
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, channel};

    use super::*;

    /// A program that says these lines, and waits after each for its next order.
    struct Said {
        lines: &'static [&'static str],
        orders: Mutex<Receiver<()>>,
    }

    #[test]
    fn a_program_starts_when_the_last_test_of_another_is_alone() {
        let (first, orders) = channel();
        let first_program = Said {
            lines: &["running 2 tests\n", "test a ... ok\n", "test long ... ok\n"],
            orders: Mutex::new(orders),
        };
        let (second, orders) = channel();
        let second_program = Said {
            lines: &["running 1 test\n", "test b ... ok\n"],
            orders: Mutex::new(orders),
        };
        let began = &Mutex::new(Vec::new());
        let (said, hears) = channel();
        let start = |program: &Said, hear: &mut dyn FnMut(&[u8])| {
            lock(began).push(program.lines.len());
            for line in program.lines {
                lock(&program.orders).recv().unwrap();
                hear(line.as_bytes());
                said.send(*line).unwrap();
            }
            Ok(program.lines.len())
        };
        let mut shown = Vec::new();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                // While two tests of the first run, the second is not started.
                first.send(()).unwrap();
                assert_eq!(hears.recv().unwrap(), "running 2 tests\n");
                assert_eq!(*lock(began), [3]);
                first.send(()).unwrap();
                assert_eq!(hears.recv().unwrap(), "test a ... ok\n");
                // Now it is: it ends before the first does.
                for _ in 0..2 {
                    second.send(()).unwrap();
                    hears.recv().unwrap();
                }
                first.send(()).unwrap();
                hears.recv().unwrap();
            });
            let title = |program: &Said| format!("{}:\n", program.lines.len());
            let programs = vec![first_program, second_program];
            let ended = all(programs, (2, |_| false), &mut shown, title, start).unwrap();
            let results: Vec<usize> = ended.iter().map(|(_, lines)| *lines).collect();
            assert_eq!(results, [3, 2]);
        });
        // The outputs of the programs are not mixed.
        assert_eq!(
            String::from_utf8(shown).unwrap(),
            "3:\nrunning 2 tests\ntest a ... ok\ntest long ... ok\n2:\nrunning 1 test\ntest b ... ok\n"
        );
    }

    #[test]
    fn programs_start_when_those_that_run_leave_processors_idle() {
        // Both run all the time, and the second lets the first end.
        let (order, orders) = channel();
        let orders = Mutex::new(orders);
        let start = |program: &u32, hear: &mut dyn FnMut(&[u8])| {
            hear(b"running 9 tests\n");
            match program {
                1 => lock(&orders).recv().unwrap(),
                _ => order.send(()).unwrap(),
            }
            Ok(*program)
        };
        let mut asked = Vec::new();
        let idle = |number| {
            asked.push(number);
            true
        };
        let mut shown = Vec::new();
        let ended = all(vec![1, 2], (2, idle), &mut shown, |_| String::new(), start);
        assert_eq!(ended.unwrap(), [(1, 1), (2, 2)]);
        assert_eq!(asked, [1]);
    }

    #[test]
    fn no_more_programs_start_than_there_is_use_for() {
        let busy = Busy::default();
        for program in 0..4 {
            busy.set(program, 2);
        }
        // They are as many as may run: processors may be idle, but one has to end.
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(20));
                busy.set(3, 0);
            });
            busy.wait(2, || true);
            assert_eq!(lock(&busy.used).len(), 3);
        });
    }

    #[test]
    fn processors_are_idle_if_half_of_one_is_for_a_span() {
        let began = Instant::now();
        let after = |millis| began + Duration::from_millis(millis);
        let work = Duration::from_millis;
        let mut idle = Idle::new(2, began, work(7000));
        // Not yet a span; 3.1 of 4 s; 2.9 of 4 s; the next span begins where this one ended.
        assert!(!idle.look(after(1000), work(7000)));
        assert!(!idle.look(after(2000), work(10_100)));
        assert!(idle.look(after(4000), work(13_000)));
        assert!(!idle.look(after(5000), work(13_000)));
        assert!(idle.look(after(6000), work(13_000)));
        // Others may use more than the tests may.
        assert!(!idle.look(after(8000), work(33_000)));
    }

    #[test]
    fn an_error_of_one_program_is_an_error() {
        let start = |program: &u32, _: &mut dyn FnMut(&[u8])| match program {
            2 => anyhow::bail!("cannot start"),
            _ => Ok(()),
        };
        let never = |_| false;
        let result = all(
            vec![1, 2, 3],
            (2, never),
            Vec::new(),
            |_| String::new(),
            start,
        );
        assert_eq!(result.unwrap_err().to_string(), "cannot start");
    }

    #[test]
    fn times_are_kept_from_one_gate_to_the_next() {
        let row = |millis, name: &str| (Duration::from_millis(millis), name.to_owned());
        let text = write(&[row(1500, "wave --lib"), row(20, "cli --test cli")]);
        let known = read(&format!("{text}nonsense\n-1 a\n"));
        assert_eq!(known.len(), 2);
        assert_eq!(known["wave --lib"], Duration::from_millis(1500));
        let names = vec!["cli --test cli", "new", "wave --lib", "another"];
        let ordered = order(names, |name| (*name).to_owned(), &known);
        assert_eq!(ordered, ["new", "another", "wave --lib", "cli --test cli"]);
    }

    #[test]
    fn the_first_gate_knows_which_programs_are_long() {
        let names = vec!["aql --lib", "cli --test cli", "programs --test programs"];
        let ordered = order(names, |name| (*name).to_owned(), &BTreeMap::new());
        assert_eq!(
            ordered,
            ["cli --test cli", "programs --test programs", "aql --lib"]
        );
    }
}
