//! Tables of operand values and results: one case per lane.

use crate::harness::Machine;

/// Targets with wave size.
pub type Targets = &'static [(&'static str, u32)];

pub const GFX9: Targets = &[("gfx90a", 64)];
pub const GFX10: Targets = &[("gfx1030", 32), ("gfx1030", 64)];

/// f32, f64 and f16 bit patterns as case values.
pub fn f(value: f32) -> u64 {
    u64::from(value.to_bits())
}

pub fn d(value: f64) -> u64 {
    value.to_bits()
}

/// Runs `text` once for every case. Sources are in v[4:7], v[8:11] and v[12:15]; the result is v0, or v[0:1] where the text
/// names that pair. v0 to v3 hold the poison before.
#[track_caller]
pub fn check(targets: Targets, text: &str, cases: &[(&[u64], u64)]) {
    check_with(targets, text, cases, |_| ());
}

/// [`check`] with further set-up.
#[track_caller]
pub fn check_with(
    targets: Targets,
    text: &str,
    cases: &[(&[u64], u64)],
    prepare: impl Fn(&mut Machine),
) {
    for &(target, wave_size) in targets {
        for cases in cases.chunks(wave_size as usize) {
            let mut machine = Machine::with_wave_size(target, wave_size, text);
            for source in 0..3 {
                machine.vgpr64(4 + 4 * source, |lane| {
                    cases[lane % cases.len()]
                        .0
                        .get(source)
                        .copied()
                        .unwrap_or(0)
                });
            }
            prepare(&mut machine);
            machine.run();
            for (lane, &(sources, expected)) in cases.iter().enumerate() {
                let low = u64::from(machine.wave.vgpr(0, lane));
                let value = if text.contains(" v[0:1]") {
                    low | u64::from(machine.wave.vgpr(1, lane)) << 32
                } else {
                    low
                };
                assert_eq!(
                    value, expected,
                    "{target} wave{wave_size} {text}: {sources:x?} gave {value:#x}, not {expected:#x}"
                );
            }
        }
    }
}

/// The lane mask in SGPRs `index` and up after `text` ran with the sources of [`check`].
pub fn mask(target: (&str, u32), text: &str, index: usize, sources: &[&[u64]]) -> u64 {
    let mut machine = Machine::with_wave_size(target.0, target.1, text);
    for (number, values) in sources.iter().enumerate() {
        machine.vgpr64(4 + 4 * number, |lane| values[lane % values.len()]);
    }
    machine.run();
    let high = if target.1 == 64 {
        machine.wave.sgpr(index + 1)
    } else {
        0
    };
    u64::from(machine.wave.sgpr(index)) | u64::from(high) << 32
}
