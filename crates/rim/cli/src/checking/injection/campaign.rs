//! The runs of a campaign, several at a time.

use std::{
    fs,
    num::NonZeroUsize,
    ops::Range,
    os::unix::process::ExitStatusExt,
    process::ExitStatus,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use anyhow::{Context, Error, Result};
use injection::{Draws, Line, Spec, Target};
use launcher::interrupt;
use sha2::{Digest, Sha256};

use super::{
    super::Check,
    child::End,
    golden::{Golden, Numbered},
    results::{self, Change, Outcome, Run},
    run::{Ended, Order, Program},
};
use crate::progress::Steps;

pub struct Campaign<'g> {
    golden: &'g Golden,
    launches: Vec<&'g Numbered>,
    /// The places of all launches.
    places: u64,
    seed: u64,
    /// Most instructions of a run.
    budget: u64,
    device: String,
}

impl<'g> Campaign<'g> {
    pub fn new(
        check: &Check,
        golden: &'g Golden,
        launches: Vec<&'g Numbered>,
        program: &Program,
    ) -> Campaign<'g> {
        let options = &check.injection;
        Campaign {
            places: launches.iter().map(|one| one.launch.total()).sum(),
            launches,
            seed: options.seed,
            budget: golden.executed().saturating_mul(options.hang_factor),
            golden,
            device: program.device().to_owned(),
        }
    }

    /// The facts that all parts of the campaign have to agree on.
    pub fn describe(&self, check: &Check, spec: &Spec) -> Result<results::Campaign> {
        let options = &check.injection;
        let words = check.program.iter();
        let output = match options.compare {
            Some(_) => None,
            None => {
                let bytes = fs::read(self.golden.directory.join("stdout"))?;
                let digest = Sha256::digest(&bytes);
                Some(digest.iter().map(|byte| format!("{byte:02x}")).collect())
            }
        };
        Ok(results::Campaign {
            program: words
                .map(|word| word.to_string_lossy().into_owned())
                .collect(),
            device: self.device.clone(),
            inject: spec.to_string(),
            kernel: check
                .kernel
                .as_ref()
                .map(|kernel| kernel.as_str().to_owned()),
            launch: options.launch.clone(),
            compare: options.compare.clone(),
            seed: self.seed,
            hang_factor: options.hang_factor,
            places: self.places,
            launches: self
                .launches
                .iter()
                .filter(|one| one.launch.total() > 0)
                .count() as u64,
            instructions: self.golden.executed(),
            output,
            not_looked_at: self.golden.missed.iter().cloned().collect(),
        })
    }

    /// Makes these runs. The result is in the order of their numbers. It has fewer if the user asks to end, or if one of them fails.
    pub fn run(
        &self,
        program: &Program,
        runs: Range<u64>,
        jobs: Option<NonZeroUsize>,
    ) -> (Vec<Run>, Option<Error>) {
        let usual = || thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let all = runs.end - runs.start;
        let most = usize::try_from(all).unwrap_or(usize::MAX);
        let jobs = jobs.unwrap_or_else(usual).get().min(most);
        let (numbers, failed) = (Mutex::new(runs), AtomicBool::new(false));
        let done = Mutex::new((Vec::new(), Steps::new()));
        let work = || -> Result<()> {
            while !failed.load(Ordering::Relaxed) && !interrupt::came() {
                let number = numbers
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .next();
                let Some(number) = number else {
                    break;
                };
                let Some(run) = self.one(program, number)? else {
                    break;
                };
                let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
                let (done, steps) = &mut *done;
                done.push(run);
                steps.step("runs with a change", done.len(), most);
            }
            Ok(())
        };
        let failure = thread::scope(|scope| {
            let start =
                |_| scope.spawn(|| work().inspect_err(|_| failed.store(true, Ordering::Relaxed)));
            let threads: Vec<_> = (0..jobs).map(start).collect();
            let ends = threads.into_iter().map(|thread| match thread.join() {
                Ok(end) => end,
                Err(panic) => std::panic::resume_unwind(panic),
            });
            let ends: Vec<Result<()>> = ends.collect();
            ends.into_iter().find_map(Result::err)
        });
        let (mut done, _) = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        done.sort_by_key(|run| run.run);
        (done, failure)
    }

    /// The change of a run, which follows from the seed and its number.
    fn target(&self, number: u64) -> Option<(&Numbered, Target)> {
        let mut draws = Draws::of_run(self.seed, number);
        let mut place = draws.below(self.places);
        for numbered in &self.launches {
            let launch = &numbered.launch;
            if place < launch.total() {
                let target = Target {
                    kernel: launch.kernel.clone(),
                    turn: launch.turn,
                    place: launch.find(place)?,
                    seed: draws.draw(),
                };
                return Some((numbered, target));
            }
            place -= launch.total();
        }
        None
    }

    /// None: the user has asked to end.
    fn one(&self, program: &Program, number: u64) -> Result<Option<Run>> {
        let target = self.target(number);
        let (of, target) = target.context("the campaign has no places")?;
        let order = Order {
            target: Some(&target),
            budget: Some(self.budget),
            limit: Some(program.limit(self.golden.took)),
            room: Some(program.room(self.golden.written)),
        };
        let Some(ended) = program.run(&number.to_string(), &order)? else {
            return Ok(None);
        };
        let judged = self.judge(program, &ended);
        // Ctrl-C ends the command that compares, too.
        if interrupt::came() {
            return Ok(None);
        }
        let Some((outcome, why)) = judged? else {
            return Ok(None);
        };
        let change = ended.lines().find_map(|line| match line {
            Line::Struck(struck) => Some(Change {
                offset: struck.offset,
                instruction: struck.op.clone(),
                class: struck.class.clone(),
                source: struck.source.clone(),
                register: struck.register.clone(),
                lane: struck.lane,
                before: struck.before,
                after: struck.after,
            }),
            _ => None,
        });
        // The campaign's directory goes at the end with all that cannot be removed now.
        let _ = ended.remove();
        Ok(Some(Run {
            run: number,
            outcome: if change.is_none() {
                Outcome::NotReached
            } else {
                outcome
            },
            why,
            kernel: target.kernel,
            launch: of.number,
            workgroup: target.place.workgroup,
            wave: target.place.wave,
            place: target.place.place,
            change,
        }))
    }

    /// How a run has ended, and how that was noticed. None: the user has asked to end.
    fn judge(&self, program: &Program, ended: &Ended) -> Result<Option<(Outcome, Option<String>)>> {
        let because = |outcome, why: &str| Ok(Some((outcome, Some(why.to_owned()))));
        for line in ended.lines() {
            match line {
                Line::Exhausted => return because(Outcome::Hang, "instructions"),
                Line::Stuck => return because(Outcome::Hang, "waves wait for each other"),
                Line::Fault(what) => return because(Outcome::Detected, what),
                _ => {}
            }
        }
        let status = match ended.end {
            End::Late => return because(Outcome::Hang, "time"),
            End::Full => return because(Outcome::Hang, "output"),
            End::Status(status) => status,
        };
        if !status.success() {
            return because(Outcome::Detected, &in_words(status));
        }
        let limit = Some(program.limit(self.golden.took));
        let alike = program.alike(&self.golden.directory, &ended.directory, limit)?;
        Ok(alike.map(|alike| match alike {
            true => (Outcome::Masked, None),
            false => (Outcome::OutputDiffers, None),
        }))
    }
}

fn in_words(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit status {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => status.to_string(),
    }
}
