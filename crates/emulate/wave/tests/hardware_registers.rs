//! Hardware registers and messages: every number on every target is either modelled or stops with its name.

use crate::harness::{CYCLES_PER_TICK, Machine};
use gfx::{Family, TARGETS, Target};
use wave::Stop;

/// Targets whose instructions are executed.
fn targets() -> impl Iterator<Item = &'static Target> {
    TARGETS
        .iter()
        .filter(|target| target.family <= Family::Gfx12)
}

fn stop(target: &str, text: &str) -> Stop {
    Machine::new(target, &format!("{text}\ns_endpgm")).stop()
}

#[test]
fn no_register_is_made_up() {
    let (mut read, mut refused) = (0, 0);
    for target in targets() {
        for number in 0..64 {
            for mnemonic in ["s_getreg_b32 s0, ", "s_setreg_b32 "] {
                let immediate = 31 << 11 | number;
                let operands = if mnemonic.starts_with("s_get") {
                    ""
                } else {
                    ", s0"
                };
                let text = format!("{mnemonic}{immediate}{operands}");
                match stop(target.name, &text) {
                    Stop::End => read += 1,
                    Stop::Unsupported(why) => {
                        refused += 1;
                        assert!(why.contains("hardware register"), "{}: {why}", target.name);
                    }
                    other => panic!("{} {text}: {other:?}", target.name),
                }
            }
        }
    }
    assert!(
        read > 100 && refused > 500,
        "{read} read, {refused} refused"
    );
}

#[test]
fn what_is_not_modelled_stops_with_its_name() {
    for (target, text, name) in [
        (
            "gfx90a",
            "s_getreg_b32 s0, hwreg(HW_REG_TRAPSTS, 0, 9)",
            "TRAPSTS",
        ),
        ("gfx90a", "s_getreg_b32 s0, hwreg(HW_REG_STATUS)", "STATUS"),
        ("gfx1030", "s_getreg_b32 s0, hwreg(HW_REG_HW_ID2)", "HW_ID2"),
        (
            "gfx90a",
            "s_getreg_b32 s0, hwreg(HW_REG_GPR_ALLOC)",
            "GPR_ALLOC",
        ),
        (
            "gfx906",
            "s_getreg_b32 s0, hwreg(HW_REG_GPR_ALLOC, 24, 3)",
            "GPR_ALLOC",
        ),
        (
            "gfx1030",
            "s_getreg_b32 s0, hwreg(HW_REG_GPR_ALLOC, 8, 6)",
            "GPR_ALLOC",
        ),
        (
            "gfx950",
            "s_getreg_b32 s0, hwreg(HW_REG_LDS_ALLOC, 12, 9)",
            "LDS_ALLOC",
        ),
        ("gfx1200", "s_getreg_b32 s0, 0xf807", "IB_STS"),
        (
            "gfx1030",
            "s_setreg_b32 hwreg(HW_REG_TRAPSTS, 0, 9), s0",
            "TRAPSTS",
        ),
        (
            "gfx900",
            "s_getreg_b32 s0, hwreg(40)",
            "gfx900 has no hardware register 40",
        ),
    ] {
        let Stop::Unsupported(why) = stop(target, text) else {
            panic!("{target} {text} goes on")
        };
        assert!(why.contains(name), "{why}");
    }
}

#[test]
fn the_cycle_counter_counts() {
    // As clang reads it for `__builtin_readcyclecounter`.
    let text = "s_getreg_b32 s0, hwreg(HW_REG_SHADER_CYCLES, 0, 20)
                s_getreg_b32 s1, hwreg(HW_REG_SHADER_CYCLES, 0, 20)
                s_getreg_b32 s2, hwreg(HW_REG_SHADER_CYCLES, 4, 8)
                s_endpgm";
    let mut machine = Machine::new("gfx1030", text);
    machine.outside.tick = 3;
    assert_eq!(machine.stop(), Stop::End);
    let cycles = 3 * CYCLES_PER_TICK as u32;
    assert_eq!(machine.wave.sgpr(0), cycles);
    assert_eq!(machine.wave.sgpr(1), 2 * cycles);
    assert_eq!(machine.wave.sgpr(2), ((3 * cycles) >> 4) & 0xff);
    // 20 bits, and then from the beginning.
    let mut machine = Machine::new("gfx1030", text);
    machine.outside.tick = 1 << 20;
    machine.stop();
    assert_eq!(
        machine.wave.sgpr(0),
        ((CYCLES_PER_TICK << 20) & 0xf_ffff) as u32
    );
    assert!(matches!(
        stop("gfx1010", "s_getreg_b32 s0, 0xf81d"),
        Stop::Unsupported(_)
    ));
}

#[test]
fn waves_know_where_they_run() {
    for (target, name, simd, unit) in [
        ("gfx90a", "HW_REG_HW_ID", 4, 8),
        ("gfx1030", "HW_REG_HW_ID1", 8, 10),
    ] {
        let text = format!("s_getreg_b32 s0, hwreg({name})\ns_endpgm");
        let mut machine = Machine::new(target, &text);
        machine.wave.slot = 5 | 2 << 4 | 9 << 6;
        assert_eq!(machine.stop(), Stop::End);
        assert_eq!(machine.wave.sgpr(0), 5 | 2 << simd | 9 << unit, "{target}");
    }
}

/// In the units of the kernel driver's trap handlers, which save that much.
#[test]
fn waves_know_what_they_were_given() {
    let vgprs = |target, field| {
        let text = format!("s_getreg_b32 s0, hwreg(HW_REG_GPR_ALLOC, {field})\ns_endpgm");
        let mut machine = Machine::new(target, &text);
        assert_eq!(machine.stop(), Stop::End, "{target}");
        machine.wave.sgpr(0)
    };
    // VGPRs, and where there is one file for both kinds, all together and those in front of the AccVGPRs.
    for target in ["gfx900", "gfx908", "gfx1010"] {
        assert_eq!((vgprs(target, "8, 6") + 1) * 4, 64, "{target}");
    }
    for target in ["gfx90a", "gfx942", "gfx950"] {
        assert_eq!((vgprs(target, "6, 6") + 1) * 8, 96, "{target}");
        assert_eq!((vgprs(target, "12, 6") + 1) * 4, 64, "{target}");
    }
    for target in ["gfx906", "gfx90a", "gfx942", "gfx1010"] {
        for (asked, given) in [(0, 0), (4, 512), (1024, 1024), (1025, 1536), (65536, 65536)] {
            let text = "s_getreg_b32 s0, hwreg(HW_REG_LDS_ALLOC, 12, 9)\ns_endpgm";
            let mut machine = Machine::new(target, text);
            machine.lds = vec![0; asked];
            assert_eq!(machine.stop(), Stop::End, "{target}");
            assert_eq!(machine.wave.sgpr(0) * 256, given, "{target}");
        }
    }
}

#[test]
fn nothing_is_outstanding() {
    for target in targets().filter(|target| target.family < Family::Gfx12) {
        let text = "s_getreg_b32 s0, hwreg(HW_REG_IB_STS)\ns_endpgm";
        let mut machine = Machine::new(target.name, text);
        assert_eq!(machine.stop(), Stop::End, "{}", target.name);
        assert_eq!(machine.wave.sgpr(0), 0, "{}", target.name);
    }
}

#[test]
fn flat_scratch_is_what_was_set() {
    let text = "s_mov_b32 s0, 0x1234
                s_setreg_b32 hwreg(HW_REG_FLAT_SCR_LO), s0
                s_setreg_imm32_b32 hwreg(HW_REG_FLAT_SCR_HI), 0x56
                s_mov_b32 null, s0
                s_getreg_b32 s1, hwreg(HW_REG_FLAT_SCR_LO)
                s_getreg_b32 s2, hwreg(HW_REG_FLAT_SCR_HI, 4, 4)
                s_endpgm";
    let mut machine = Machine::new("gfx1030", text);
    assert_eq!(machine.stop(), Stop::End);
    assert_eq!((machine.wave.sgpr(1), machine.wave.sgpr(2)), (0x1234, 5));
}

#[test]
fn messages_that_nobody_takes_stop() {
    let mut taken = Vec::new();
    for target in targets() {
        for number in 0..16 {
            match stop(target.name, &format!("s_sendmsg {number}")) {
                Stop::End => taken.push((number, target.family)),
                Stop::Unsupported(why) => assert!(why.contains("message"), "{why}"),
                other => panic!("{} {number}: {other:?}", target.name),
            }
        }
    }
    // An interrupt everywhere, and since gfx11 that the registers are needed no more.
    let known = |(number, family): &(u32, Family)| match number {
        1 => true,
        3 => *family >= Family::Gfx11,
        _ => false,
    };
    assert!(taken.iter().all(known), "{taken:?}");
    let later = targets()
        .filter(|target| target.family >= Family::Gfx11)
        .count();
    assert_eq!(taken.len(), targets().count() + later);
}
