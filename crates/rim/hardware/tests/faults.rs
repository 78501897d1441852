//! Faults planted into a device that is well otherwise: the check finds them, and nothing else.

use crate::common::{checked, differing, faulty};
use gfx::Target;
use hardware::{
    Emulated, Job, Machine, Trouble, cases,
    frame::{FIRST, HEADER, Layout, arena::Arena},
    report::Outcome,
};

/// The layout for an instruction on single registers.
const WAVE64: Layout = Layout {
    wave_size: 64,
    width: 1,
    arena: Arena::None,
    accumulating: 0,
};

#[test]
fn a_sound_device_agrees() {
    for (target, only) in [
        ("gfx90a", "v_mul_"),
        ("gfx1100", "v_cmp_lt"),
        ("gfx1201", "s_a"),
        ("gfx942", "mfma"),
    ] {
        let report = checked(target, only, &mut Emulated::new());
        assert!(report.agrees(), "{target}: {:#?}", differing(&report));
        assert!(report.instructions.len() > 8, "{target}");
        for instruction in &report.instructions {
            let least = if instruction.format == "CASE" { 1 } else { 6 };
            let ran = matches!(instruction.outcome, Outcome::Agrees { waves } if waves >= least);
            assert!(ran, "{target}: {instruction:?}");
        }
    }
}

#[test]
fn a_wrong_opcode_is_found() {
    let target = Target::find("gfx90a").unwrap();
    let (cases, _) = cases(target, 64).unwrap();
    let word = |mnemonic: &str| {
        let case = cases
            .iter()
            .find(|case| case.mnemonic == mnemonic && case.words.len() == 1);
        case.unwrap().words[0].to_le_bytes()
    };
    let (right, wrong) = (word("v_add_u32"), word("v_sub_u32"));
    let mut gpu = faulty(
        |job| {
            let places = 0..job.object.len() - 4;
            for at in places
                .step_by(4)
                .filter(|&at| job.object[at..at + 4] == right)
                .collect::<Vec<_>>()
            {
                job.object[at..at + 4].copy_from_slice(&wrong);
            }
        },
        |_, _, _| (),
    );
    let report = checked("gfx90a", "v_add", &mut gpu);
    assert_eq!(differing(&report), ["v_add_u32"]);
    let found = report
        .instructions
        .iter()
        .find_map(|instruction| match &instruction.outcome {
            Outcome::Differs(found) => Some(found),
            _ => None,
        });
    let example = &found.unwrap().examples[0];
    assert_eq!(example.sources.len(), 2);
    let number = |text: &str| u32::from_str_radix(text.trim_start_matches("0x"), 16).unwrap();
    let [a, b] = [0, 1].map(|source| number(&example.sources[source].1));
    assert_eq!(number(&example.gpu), a.wrapping_sub(b));
    assert_eq!(number(&example.emulator), a.wrapping_add(b));
}

#[test]
fn flushed_denormals_are_found_and_called_so() {
    // MODE is the first word of every record: the device keeps no denormals of 32 bits.
    let mut gpu = faulty(
        |job| {
            for launch in &mut job.launches {
                let size = launch.output as usize / launch.groups as usize;
                for record in launch.input.chunks_exact_mut(size) {
                    record[0] &= !0x30;
                }
            }
        },
        |_, _, _| (),
    );
    let report = checked("gfx90a", "v_add_f", &mut gpu);
    assert_eq!(differing(&report), ["v_add_f32"]);
    let differences =
        report
            .instructions
            .iter()
            .filter_map(|instruction| match &instruction.outcome {
                Outcome::Differs(found) => Some((instruction.text.as_str(), found)),
                _ => None,
            });
    let (mut plain, mut others) = (None, 0);
    for (text, found) in differences {
        assert_eq!(found.elsewhere, 0, "{text}");
        match text {
            "v_add_f32_e32 v19, v16, v17" => plain = Some(found),
            _ => others += 1,
        }
    }
    assert!(
        plain.is_some_and(|found| found.only_flushed > 0),
        "{plain:?}"
    );
    // With NEG, clamp, DPP and so on.
    assert!(others > 5);
}

#[test]
fn a_lost_wait_is_found() {
    // The result arrives after it was stored: the register has its old value.
    let result = 4 * 3;
    let mut gpu = faulty(
        |_| (),
        |job, number, output| {
            let record = WAVE64.record();
            let launch = &job.launches[number];
            if launch.output as usize != record * launch.groups as usize {
                return;
            }
            let inputs = launch.input.chunks_exact(record);
            for (after, before) in output.chunks_exact_mut(record).zip(inputs) {
                for lane in 0..4 {
                    let at = HEADER + lane * WAVE64.lane() + result;
                    after[at..at + 4].copy_from_slice(&before[at..at + 4]);
                }
            }
        },
    );
    let report = checked("gfx90a", "v_min_u32", &mut gpu);
    assert_eq!(differing(&report), ["v_min_u32"]);
    for instruction in &report.instructions {
        if let Outcome::Differs(found) = &instruction.outcome {
            let registers = found
                .examples
                .iter()
                .map(|example| example.register.as_str());
            assert!(
                registers
                    .clone()
                    .all(|name| name == format!("v{}", FIRST + 3))
            );
            assert!(found.examples.iter().all(|example| example.lane < Some(4)));
        }
    }
}

#[test]
fn approximations_are_counted_in_units_of_the_last_place() {
    // Every result is the next larger float in magnitude, but for those that are none or zero.
    let mut gpu = faulty(
        |_| (),
        |_, _, output| {
            for record in output.chunks_exact_mut(WAVE64.record()) {
                for lane in record[HEADER..].chunks_exact_mut(WAVE64.lane()) {
                    let at = 4 * 3;
                    let value = u32::from_le_bytes(lane[at..at + 4].try_into().unwrap());
                    if f32::from_bits(value).is_normal() {
                        lane[at..at + 4].copy_from_slice(&(value + 1).to_le_bytes());
                    }
                }
            }
        },
    );
    let report = checked("gfx90a", "v_sqrt_f32", &mut gpu);
    assert_eq!(report.approximations.len(), 1);
    for found in &report.approximations {
        assert_eq!(found.inputs, 1 << 12);
        assert_eq!(found.worst(), 1);
        let ones = found.histogram.iter().find(|(distance, _)| *distance == 1);
        // Half of all bit patterns are negative and have no root.
        assert!(ones.is_some_and(|(_, count)| *count > 1 << 10), "{found:?}");
    }
}

#[test]
fn a_wrong_branch_is_found_by_cases_of_manuals() {
    // `s_cbranch_scc1` does what `s_cbranch_scc0` should: no single instruction in a frame shows that.
    let mut gpu = faulty(
        |job| {
            for at in (0..job.object.len() - 4).step_by(4) {
                if job.object[at + 2..at + 4] == [0x85, 0xbf] {
                    job.object[at + 2] = 0x84;
                }
            }
        },
        |_, _, _| (),
    );
    let report = checked("gfx90a", "s_cbranch_scc", &mut gpu);
    assert!(report.from_manuals.run > 1, "{:?}", report.from_manuals);
    let (mut differing, mut agreeing) = (0, 0);
    for instruction in &report.instructions {
        assert_eq!(instruction.format, "CASE");
        match (&instruction.outcome, instruction.text.contains("scc1")) {
            (Outcome::Differs(found), true) => {
                assert!(!found.examples.is_empty());
                differing += 1;
            }
            (Outcome::Agrees { .. }, false) => agreeing += 1,
            other => panic!("{}: {other:?}", instruction.text),
        }
    }
    assert!(differing > 0 && agreeing > 0, "{differing} {agreeing}");
}

#[test]
fn what_does_not_run_is_said() {
    struct Dead;
    impl Machine for Dead {
        fn run(&mut self, job: &Job) -> Vec<Result<Vec<u8>, Trouble>> {
            vec![Err(Trouble::Endless); job.launches.len()]
        }
    }
    let report = checked("gfx90a", "v_add_u32", &mut Dead);
    assert!(!report.agrees());
    for instruction in &report.instructions {
        let failed = matches!(&instruction.outcome, Outcome::GpuFailed { reason } if reason.contains("did not end"));
        assert!(failed, "{instruction:?}");
    }
    // Nothing of the target is forgotten: memory and branches are named with their reason.
    let tried: Vec<_> = report
        .not_tried
        .iter()
        .map(|left| (left.mnemonic.as_str(), left.reason.as_str()))
        .collect();
    assert!(tried.contains(&("s_getpc_b64", "its result is an address")));
}
