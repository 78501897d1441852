//! Devices that do something wrong, and what the check says of them.

use hardware::{Emulated, Job, Machine, Options, Report, Trouble, check, report::Outcome};
use hsa_device::About;

/// The emulated device with something wrong.
pub struct Faulty<F, G> {
    device: Emulated,
    before: F,
    behind: G,
}

impl<F: FnMut(&mut Job), G: FnMut(&Job, usize, &mut Vec<u8>)> Machine for Faulty<F, G> {
    fn run(&mut self, job: &Job) -> Vec<Result<Vec<u8>, Trouble>> {
        let mut changed = Job {
            object: job.object.clone(),
            launches: job.launches.clone(),
        };
        (self.before)(&mut changed);
        let mut outputs = self.device.run(&changed);
        for (number, output) in outputs.iter_mut().enumerate() {
            // Cases of manuals have records of their own, and one wave each.
            if let Ok(output) = output
                && job.launches[number].groups > 1
            {
                (self.behind)(job, number, output);
            }
        }
        outputs
    }
}

fn about(target: &str) -> About {
    About {
        isa: format!("amdgcn-amd-amdhsa--{target}"),
        ..Default::default()
    }
}

pub fn checked(target: &str, only: &str, gpu: &mut dyn Machine) -> Report {
    let options = Options {
        only: Some(only.to_owned()),
        sweep: 1 << 12,
        ..Default::default()
    };
    let mut emulator = Emulated::new();
    check(&about(target), gpu, &mut emulator, &options, &mut |_, _| ()).expect("it runs")
}

pub fn faulty(
    before: impl FnMut(&mut Job),
    behind: impl FnMut(&Job, usize, &mut Vec<u8>),
) -> impl Machine {
    Faulty {
        device: Emulated::new(),
        before,
        behind,
    }
}

/// Mnemonics with a difference.
pub fn differing(report: &Report) -> Vec<&str> {
    let differs = |outcome: &Outcome| matches!(outcome, Outcome::Differs(_));
    let mut names: Vec<&str> = report
        .instructions
        .iter()
        .filter(|instruction| differs(&instruction.outcome))
        .map(|instruction| instruction.mnemonic.as_str())
        .collect();
    names.dedup();
    names
}
