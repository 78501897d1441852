//! Contestants by turns: each has the same share of the machine's quiet and busy moments. The best turn of each counts.

use std::{
    fs,
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

use emulate::Device;

use crate::{
    Outcome, machine,
    programs::{Launches, PROGRAMS, Program, Run},
    published::{PUBLISHED, Published},
    time::Spent,
};

/// A program's turns go on until this is over for each contestant, and are at least two.
const PATIENCE: Duration = Duration::from_secs(2);

/// The time that a program takes.
pub struct Row {
    pub program: &'static Program,
    /// Seconds on one thread of the CPU; None: it is not a program for CPUs.
    pub cpu: Option<f64>,
    /// Per target.
    pub targets: Vec<Times>,
}

pub struct Times {
    pub best: Spent,
    pub wave_instructions: u64,
}

impl Times {
    const NONE: Times = Times {
        best: Spent {
            clock: f64::MAX,
            processor: f64::MAX,
        },
        wave_instructions: 0,
    };

    fn turn<'d>(&mut self, device: &'d Device<'d>, run: &mut Run<'d>) -> Outcome<()> {
        let mut launches = Launches::new(device);
        run(&mut launches)?;
        self.best = self.best.least(launches.time);
        self.wave_instructions = launches.wave_instructions;
        Ok(())
    }
}

/// The programs with `part` in their names, each on one thread.
pub fn all(directory: &Path, targets: &[&str], part: &str) -> Outcome<Vec<Row>> {
    let objects = targets
        .iter()
        .map(|target| fs::read(directory.join(format!("{target}.co"))));
    let objects = objects.collect::<Result<Vec<_>, _>>()?;
    let chosen = PROGRAMS
        .iter()
        .filter(|program| program.name.contains(part));
    chosen
        .map(|program| row(directory, program, &objects))
        .collect()
}

fn row(directory: &Path, program: &'static Program, objects: &[Vec<u8>]) -> Outcome<Row> {
    let devices = objects.iter().map(|object| machine::device(object, 1));
    let devices = devices.collect::<Outcome<Vec<_>>>()?;
    let runs = devices.iter().map(|device| (program.prepare)(device));
    let mut runs = runs.collect::<Outcome<Vec<_>>>()?;
    let mut cpu = None;
    let mut times: Vec<Times> = devices.iter().map(|_| Times::NONE).collect();
    let (began, mut turns) = (Instant::now(), 0);
    while turns < 2 || began.elapsed() < PATIENCE * (1 + devices.len() as u32) {
        if let Some(seconds) = on_cpu(directory, program.name)? {
            cpu = Some(cpu.unwrap_or(f64::MAX).min(seconds));
        }
        for ((device, run), times) in devices.iter().zip(&mut runs).zip(&mut times) {
            times.turn(device, run)?;
        }
        turns += 1;
    }
    Ok(Row {
        program,
        cpu,
        targets: times,
    })
}

/// Seconds of processor time that the CPU's program of this name takes, if there is one.
pub fn on_cpu(directory: &Path, name: &str) -> Outcome<Option<f64>> {
    let host = directory.join("host").canonicalize()?;
    let output = Command::new(host).arg(name).output()?;
    Ok(String::from_utf8(output.stdout)?.trim().parse().ok())
}

/// The time on one thread of the shapes that AMD publishes.
pub fn published(directory: &Path) -> Outcome<Vec<(&'static Published, Times)>> {
    let measure = |shape: &'static Published| {
        let object = fs::read(directory.join(format!("published-{}.co", shape.target)))?;
        let device = machine::device(&object, 1)?;
        let mut run = (shape.prepare)(&device)?;
        let mut times = Times::NONE;
        let (began, mut turns) = (Instant::now(), 0);
        while turns < 2 || began.elapsed() < PATIENCE {
            times.turn(&device, &mut run)?;
            turns += 1;
        }
        Ok((shape, times))
    };
    PUBLISHED.iter().map(measure).collect()
}
