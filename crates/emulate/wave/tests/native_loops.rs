//! Loops as host code, against the same loops in the interpreter.

use wave::HostCode;

use crate::{
    harness::{Machine, random::Random},
    native::{Result, difference, instruction, lds_load, pick, rename, set_up, with_masks},
};

/// Random programs of each kind.
const PROGRAMS: u64 = 150;
/// Vector registers that instructions use.
const REGISTERS: u64 = 8;
/// Time slices: the shortest ones end in each turn.
const SLICES: [u32; 4] = [1, 2, 33, 100_000];

/// Scalar instructions by the words of their result and their sources. 0: there is none.
#[rustfmt::skip]
const SCALAR: &[([u8; 3], &[&str])] = &[
    ([1, 1, 1], &["s_add_u32", "s_sub_u32", "s_add_i32", "s_sub_i32", "s_addc_u32", "s_subb_u32", "s_min_i32", "s_min_u32", "s_max_i32", "s_max_u32",
                  "s_cselect_b32", "s_mul_i32", "s_and_b32", "s_or_b32", "s_xor_b32", "s_andn2_b32", "s_orn2_b32", "s_nand_b32", "s_nor_b32",
                  "s_xnor_b32", "s_lshl_b32", "s_lshr_b32", "s_ashr_i32"]),
    ([2, 2, 2], &["s_cselect_b64", "s_and_b64", "s_or_b64", "s_xor_b64", "s_andn2_b64", "s_orn2_b64", "s_nand_b64", "s_nor_b64", "s_xnor_b64"]),
    ([2, 2, 1], &["s_lshl_b64", "s_lshr_b64", "s_ashr_i64"]),
    ([1, 1, 0], &["s_mov_b32", "s_not_b32"]),
    ([2, 2, 0], &["s_mov_b64", "s_not_b64"]),
    ([0, 1, 1], &["s_cmp_eq_i32", "s_cmp_lg_i32", "s_cmp_gt_i32", "s_cmp_ge_i32", "s_cmp_lt_i32", "s_cmp_le_i32", "s_cmp_eq_u32", "s_cmp_lg_u32",
                  "s_cmp_gt_u32", "s_cmp_ge_u32", "s_cmp_lt_u32", "s_cmp_le_u32", "s_bitcmp0_b32", "s_bitcmp1_b32"]),
    ([0, 2, 2], &["s_cmp_eq_u64", "s_cmp_lg_u64"]),
    ([0, 2, 1], &["s_bitcmp0_b64", "s_bitcmp1_b64"]),
];

/// Instructions with an immediate for their last source.
#[rustfmt::skip]
const IMMEDIATE: &[&str] = &[
    "s_movk_i32", "s_addk_i32", "s_mulk_i32", "s_cmpk_eq_i32", "s_cmpk_lg_i32", "s_cmpk_gt_i32", "s_cmpk_ge_i32", "s_cmpk_lt_i32",
    "s_cmpk_le_i32", "s_cmpk_eq_u32", "s_cmpk_lg_u32", "s_cmpk_gt_u32", "s_cmpk_ge_u32", "s_cmpk_lt_u32", "s_cmpk_le_u32",
];

/// The operations of instructions that save EXEC; the last ones are of gfx9 and later.
const SAVING: &[&str] = &[
    "and", "or", "xor", "andn2", "orn2", "nand", "nor", "xnor", "andn1", "orn1",
];

/// Instructions whose handlers host code calls, on gfx9 and since gfx11: they see SCC and EXEC, write scalars, and access LDS.
#[rustfmt::skip]
const CALLED: &[[&str; 2]] = &[
    ["ds_write_b32 v44, v1", "ds_store_b32 v44, v1"],
    ["ds_write_b8 v45, v6", "ds_store_b8 v45, v6"],
    ["ds_read_u8 v3, v45", "ds_load_u8 v3, v45"],
    ["ds_add_rtn_u32 v4, v51, v2", "ds_add_rtn_u32 v4, v51, v2"],
    ["v_mov_b32_e32 v2, src_scc", "v_mov_b32_e32 v2, src_scc"],
    ["v_mov_b32_e32 v5, exec_lo", "v_mov_b32_e32 v5, exec_lo"],
    ["v_add_f64 v[6:7], v[2:3], v[4:5]", "v_add_f64 v[6:7], v[2:3], v[4:5]"],
    ["v_exp_f32_e32 v1, v2", "v_exp_f32_e32 v1, v2"],
    ["v_readfirstlane_b32 s41, v3", "v_readfirstlane_b32 s41, v3"],
    ["v_readlane_b32 s36, v4, 5", "v_readlane_b32 s36, v4, 5"],
    ["v_writelane_b32 v6, s42, 9", "v_writelane_b32 v6, s42, 9"],
    ["v_mov_b32_dpp v1, v2 row_shr:1 row_mask:0xf bank_mask:0xf", "v_mov_b32_dpp v1, v2 row_shr:1 row_mask:0xf bank_mask:0xf"],
    ["v_add_u32_dpp v3, v7, v2 row_ror:3 row_mask:0x5 bank_mask:0xf", "v_add_nc_u32_dpp v3, v7, v2 row_ror:3 row_mask:0x5 bank_mask:0xf"],
    ["ds_bpermute_b32 v5, v45, v3", "ds_bpermute_b32 v5, v45, v3"],
    ["v_mul_f32_e64 v2, v3, v4 clamp", "v_mul_f32_e64 v2, v3, v4 clamp"],
];

/// A wave's masks and their instructions.
struct Masks {
    /// `b32` or `b64`.
    size: &'static str,
    exec: &'static str,
    /// Masks for saved lanes, then others.
    saved: [&'static str; 2],
    others: [&'static str; 3],
}

const SHORT: Masks = Masks {
    size: "b32",
    exec: "exec_lo",
    saved: ["s24", "s26"],
    others: ["vcc_lo", "s36", "s38"],
};
const LONG: Masks = Masks {
    size: "b64",
    exec: "exec",
    saved: ["s[24:25]", "s[26:27]"],
    others: ["vcc", "s[36:37]", "s[38:39]"],
};

/// A random scalar instruction on s40 to s47.
fn scalar(random: &mut Random) -> String {
    if random.below(4) == 0 {
        let register = 40 + random.below(8);
        let name = pick(random, IMMEDIATE);
        let unsigned = name.ends_with("u32");
        let value = random.below(1 << 16) as u16;
        return match unsigned {
            true => format!("{name} s{register}, {value}"),
            false => format!("{name} s{register}, {}", value as i16),
        };
    }
    let (words, names) = *pick(random, SCALAR);
    let name = *pick(random, names);
    let mut has_literal = false;
    let operands = words.iter().enumerate().filter(|(_, words)| **words != 0);
    let operands: Vec<String> = operands
        .map(|(index, words)| {
            let is_source = index > 0;
            match (random.below(8), words) {
                (0, _) if is_source => (*pick(random, &["0", "1", "-7", "31", "64"])).to_owned(),
                (1, 1) if is_source && !has_literal => {
                    has_literal = true;
                    format!("{:#x}", random.bits() as u32 | 1 << 20)
                }
                (2, 2) if is_source => "vcc".to_owned(),
                (_, 1) => format!("s{}", 40 + random.below(8)),
                _ => {
                    let first = 40 + 2 * random.below(4);
                    format!("s[{first}:{}]", first + 1)
                }
            }
        })
        .collect();
    format!("{name} {}", operands.join(", "))
}

/// A write of EXEC, most of which leave some lanes on.
fn exec_write(random: &mut Random, masks: &Masks) -> String {
    let (size, exec) = (masks.size, masks.exec);
    let other = *pick(random, &masks.others);
    match random.below(10) {
        0 => "s_mov_b32 exec_hi, s36".to_owned(),
        1 => "s_or_b32 exec_lo, exec_lo, s37".to_owned(),
        2 => "s_or_b64 exec, exec, s[36:37]".to_owned(),
        3 | 4 => format!("s_mov_{size} {exec}, -1"),
        5 => format!("s_or_{size} {exec}, {exec}, {other}"),
        6 | 7 => format!("s_andn2_{size} {exec}, {exec}, {other}"),
        _ => {
            let operation = pick(random, SAVING);
            let saved = masks.saved[1];
            format!("s_{operation}_saveexec_{size} {saved}, {other}")
        }
    }
}

/// Instructions of a loop's body.
fn body(random: &mut Random, masks: &Masks, later: bool) -> Vec<String> {
    let line = |random: &mut Random| match random.below(24) {
        0 => exec_write(random, masks),
        1..=5 => scalar(random),
        6..=9 => with_masks(random, REGISTERS, later),
        10 => lds_load(random, REGISTERS),
        11 => "s_nop 0".to_owned(),
        13..=15 => pick(random, CALLED)[usize::from(later)].to_owned(),
        12 => format!("s_and_{} vcc, vcc, {}", masks.size, masks.exec)
            .replace("b32 vcc, vcc", "b32 vcc_lo, vcc_lo"),
        _ => instruction(random, REGISTERS),
    };
    let count = random.below(9);
    (0..count).map(|_| line(random)).collect()
}

/// A random branch over what follows.
fn skip(random: &mut Random, to: &str) -> String {
    let conditions = ["scc0", "scc1", "vccz", "vccnz", "execz", "execnz"];
    format!("s_cbranch_{} {to}", pick(random, &conditions))
}

/// A program with a loop in a loop, and a part that some lanes alone execute.
fn program(random: &mut Random, masks: &Masks, later: bool) -> String {
    let size = masks.size;
    let (exec, [saved, _]) = (masks.exec, masks.saved);
    let turns = 1 + random.below(40);
    let mut text = vec![format!("s_mov_b32 s20, {turns}"), "s_mov_b32 s22, 0".into()];
    // Control comes into the middle first, as compilers have it.
    if random.below(2) == 0 {
        text.push("s_branch middle".into());
    }
    text.push("again:".into());
    text.extend(body(random, masks, later));
    text.push("middle:".into());
    text.extend(body(random, masks, later));
    text.push(format!(
        "s_and_saveexec_{size} {saved}, {}",
        masks.others[0]
    ));
    text.push("s_cbranch_execz behind".into());
    text.extend(body(random, masks, later));
    text.push("behind:".into());
    text.push(format!("s_or_{size} {exec}, {exec}, {saved}"));
    if random.below(2) == 0 {
        text.push("s_mov_b32 s22, 3".into());
        text.push("inner:".into());
        text.extend(body(random, masks, later));
        text.push("s_sub_i32 s22, s22, 1".into());
        text.push("s_cmp_lg_u32 s22, 0".into());
        text.push("s_cbranch_scc1 inner".into());
    }
    text.push(skip(random, "over"));
    text.extend(body(random, masks, later));
    text.push("over:".into());
    text.push("s_sub_u32 s20, s20, 1".into());
    if random.below(2) == 0 {
        text.push("s_cmp_eq_u32 s20, 0".into());
        text.push("s_cbranch_scc1 out".into());
        text.push("s_branch again".into());
        text.push("out:".into());
    } else {
        text.push("s_cmp_gt_u32 s20, 0".into());
        text.push("s_cbranch_scc1 again".into());
    }
    text.extend(body(random, masks, later));
    if later {
        text.iter_mut().for_each(rename);
    }
    text.join("\n")
}

/// The rests of slices and what the program leaves behind, with host code or without.
fn result(machine: &mut Machine, seed: u64, slice: u32) -> (Vec<u32>, Result) {
    machine.restart();
    set_up(machine, seed);
    let rests = machine.rests_of_slices(slice);
    (rests, Result::of(machine))
}

fn compare(target: &str, wave_size: u32) {
    let masks = if wave_size == 32 { &SHORT } else { &LONG };
    let mut random = Random(u64::from(wave_size));
    let (mut loops, mut finished) = (0, 0);
    for number in 0..PROGRAMS {
        let text = program(&mut random, masks, target != "gfx90a");
        let seed = random.bits();
        let mut plain = Machine::native(target, wave_size, &text, None);
        let mut native = Machine::native(target, wave_size, &text, Some(1));
        for slice in SLICES {
            let expected = result(&mut plain, seed, slice);
            let found = result(&mut native, seed, slice);
            assert!(
                found == expected,
                "{target} program {number}, slices of {slice}, runs of 1: {}\n{:?}\n{:?}\n{text}",
                difference(&found.1, &expected.1),
                found.0,
                expected.0
            );
            finished += 1;
        }
        loops += native.host_loops();
    }
    if wave::host_code_is_possible().is_ok() {
        // Some have a step that is none, such as a read of EXEC as a number.
        assert!(loops as u64 >= PROGRAMS / 2, "{loops} loops of {finished}");
    }
}

#[test]
fn random_loops_do_the_same() {
    compare("gfx90a", 64);
}

#[test]
fn random_loops_do_the_same_with_32_lanes() {
    compare("gfx1100", 32);
}

/// Clang's loop of the benchmark's mandelbrot, without what it computes.
const NESTED: &str = "
    s_mov_b32 s2, 0
    s_branch head
tail:
    s_or_b32 exec_lo, exec_lo, s5
    s_delay_alu instid0(SALU_CYCLE_1)
    s_and_b32 s5, exec_lo, s4
    s_or_b32 s3, s5, s3
    s_andn2_b32 exec_lo, exec_lo, s3
    s_cbranch_execz done
head:
    s_delay_alu instid0(VALU_DEP_1)
    v_add_u32_e32 v6, v4, v4
    s_or_b32 s4, s4, exec_lo
    v_cmp_gt_u32_e32 vcc_lo, s2, v1
    s_and_saveexec_b32 s5, vcc_lo
    s_cbranch_execz tail
    s_add_i32 s2, s2, 1
    v_add_u32_e32 v4, 1, v4
    s_branch tail
done:";

#[test]
fn a_loop_with_lanes_that_leave_is_host_code() {
    let text = NESTED.replace("v_add_u32", "v_add_nc_u32");
    let mut machine = Machine::native("gfx1100", 32, &text, Some(1));
    // No lane passes the comparison: all do the tail alone, until none is left that is on.
    machine.vgpr(1, |_| u32::MAX).sgpr(3, u32::MAX);
    machine.run();
    if wave::host_code_is_possible().is_ok() {
        assert_eq!(machine.host_loops(), 1);
    }
}

/// A call that has to wait for other waves is tried again, and counts once.
#[test]
fn a_call_that_waits_is_tried_again() {
    let text = "again:\nv_add_u32_e32 v1, 1, v1\nds_gws_barrier v2 offset:1 gds\ns_sub_u32 s40, s40, 1\ns_cmp_lg_u32 s40, 0\n\
        s_cbranch_scc1 again";
    let ends = [None, Some(1)].map(|native| {
        let mut machine = Machine::native("gfx90a", 64, text, native);
        machine.outside.refusals = 2;
        machine.vgpr(1, |_| 0).vgpr(2, |_| 3).sgpr(40, 50);
        let rests = machine.rests_of_slices(1000);
        machine.check(1, |_| 50);
        if native.is_some() && wave::host_code_is_possible().is_ok() {
            assert_eq!(machine.host_loops(), 1);
        }
        (rests, Result::of(&machine))
    });
    // Two pauses at each barrier, and the end.
    assert_eq!(ends[0].0.len(), 101);
    assert!(ends[0] == ends[1], "{:?}", ends.map(|end| end.0));
}

/// The micro-op of a loop's head lies elsewhere. A fault of the host in it is one of the instruction at the head all the same.
#[test]
fn faults_of_the_host_are_found_at_heads() {
    let text = "again:\nglobal_load_dword v5, v[2:3], off\nv_add_u32_e32 v1, 1, v1\ns_sub_u32 s40, s40, 1\ns_cmp_lg_u32 s40, 0\n\
        s_cbranch_scc1 again";
    let mut machine = Machine::native("gfx90a", 64, text, Some(1));
    // Lanes lie so far apart that a fault is of one lane alone.
    let mut buffer = vec![0u32; 64 * 16];
    let address = machine.map(&mut buffer);
    machine.vgpr64(2, |lane| address + 64 * lane as u64);
    machine.vgpr(1, |_| 0).sgpr(40, 3);
    machine.run();
    let code = machine.wave.code_range();
    let mut found = 0;
    for word in code.step_by(64) {
        let stop = machine.wave.host_fault(&[word], address + 64 * 7, false);
        if matches!(stop, wave::Stop::Fault(fault) if fault.lane == 7) {
            found += 1;
            assert_eq!(machine.wave.stopped_at(), machine.start());
        }
    }
    // The place of the head, and that of its micro-op.
    let is_loop = wave::host_code_is_possible().is_ok();
    assert_eq!(found, if is_loop { 2 } else { 1 });
}

/// A loop with calls that turns a few times each time that it is entered does not stay host code; one that turns often does. Both do the same as in
/// the interpreter.
#[test]
fn loops_that_turn_seldom_do_the_same() {
    let run = "v_add_u32_e32 v1, 1, v1\nv_xor_b32_e32 v3, v1, v3\n".repeat(4);
    let text = "outer:\ns_mov_b32 s40, TURNS\nagain:\nRUN\nds_write_b32 v44, v1\n\
        s_sub_u32 s40, s40, 1\ns_cmp_lg_u32 s40, 0\ns_cbranch_scc1 again\ns_barrier\ns_sub_u32 s41, s41, 1\ns_cmp_lg_u32 s41, 0\n\
        s_cbranch_scc1 outer";
    let soon = HostCode {
        after: 2,
        ..HostCode::OFTEN
    };
    for turns in [2, 30] {
        let text = text
            .replace("TURNS", &turns.to_string())
            .replace("RUN", &run);
        let ends = [None, Some(soon)].map(|native| {
            let mut machine = Machine::translated("gfx90a", 64, &text, native);
            set_up(&mut machine, 5);
            machine.sgpr(41, 200);
            let mut stops = 0;
            while machine.stop() == wave::Stop::Barrier {
                stops += 1;
            }
            if native.is_some() && wave::host_code_is_possible().is_ok() {
                assert_eq!(machine.host_loops(), 1);
            }
            (stops, Result::of(&machine))
        });
        assert_eq!(ends[0].0, 200);
        assert!(
            ends[0] == ends[1],
            "{turns} turns: {}",
            difference(&ends[1].1, &ends[0].1)
        );
    }
}

/// An endless loop gives its turn back when its slice is used up.
#[test]
fn an_endless_loop_gives_its_turn_back() {
    let text = "again:\nv_add_u32_e32 v1, 1, v1\ns_add_u32 s40, s40, s41\ns_branch again";
    let mut machine = Machine::native("gfx90a", 64, text, Some(1));
    machine.vgpr(1, |_| 0).sgpr(40, 0).sgpr(41, 3);
    assert_eq!(machine.stop_once(1000), wave::Stop::Slice);
    machine.check(1, |_| 1000);
    assert_eq!(machine.wave.sgpr(40), 3000);
    if wave::host_code_is_possible().is_ok() {
        assert_eq!(machine.host_loops(), 1);
    }
}

/// Jumps to addresses in registers use up a slice, and nothing looks at it before the next branch back. (At the end, addresses of the code
/// are forgotten: the machines differ in them.)
#[test]
fn jumps_in_front_of_a_loop_use_up_the_slice() {
    let jump = "s_getpc_b64 s[50:51]\ns_add_u32 s50, s50, 12\ns_addc_u32 s51, s51, 0\ns_setpc_b64 s[50:51]\n";
    let body =
        "v_add_u32_e32 v1, 1, v1\ns_sub_u32 s40, s40, 1\ns_cmp_lg_u32 s40, 0\ns_cbranch_scc1";
    for jumps in [1, 2, 31, 32, 33, 40] {
        let jumps = jump.repeat(jumps);
        let inner = format!("{jumps}again:\n{body} again\ns_mov_b64 s[50:51], 0\ns_endpgm");
        let outer = format!(
            "outer:\ns_movk_i32 s40, 9\n{jumps}again:\n{body} again\ns_sub_u32 s41, s41, 1\ns_cmp_lg_u32 s41, 0\ns_cbranch_scc1 outer\ns_mov_b64 s[50:51], 0\ns_endpgm"
        );
        for text in [inner, outer] {
            let mut native = Machine::native("gfx90a", 64, &text, Some(1));
            let mut plain = Machine::native("gfx90a", 64, &text, None);
            for slice in SLICES.into_iter().chain([34, 64, 66, 100]) {
                let result = |machine: &mut Machine| {
                    machine.restart();
                    machine.vgpr(1, |_| 0).sgpr(40, 200).sgpr(41, 30);
                    (machine.rests_of_slices(slice), Result::of(machine))
                };
                let (found, expected) = (result(&mut native), result(&mut plain));
                assert_eq!(found.0, expected.0, "slices of {slice}: {text}");
                assert!(found == expected, "slices of {slice}: {text}");
            }
        }
    }
}

/// `and eax, ecx`, and the opcode that makes it an `or`.
#[cfg(target_arch = "x86_64")]
const AND: ([u8; 2], usize, u8) = ([0x23, 0xc1], 0, 0x0b);
/// `sub rcx, r12`, which finds how many more lanes are on, and the opcode that makes it an `add`.
#[cfg(target_arch = "x86_64")]
const MORE_LANES: ([u8; 3], usize, u8) = ([0x49, 0x2b, 0xcc], 1, 0x03);

/// A result that is wrong is found by the comparison of random programs.
#[test]
#[cfg(target_arch = "x86_64")]
fn a_planted_error_in_a_loop_is_found() {
    find_planted("a_planted_error_in_a_loop_is_found", &AND.0, AND.1, AND.2);
}

/// The comparison finds lanes that are counted wrongly, too.
#[test]
#[cfg(target_arch = "x86_64")]
fn a_planted_error_in_counts_of_lanes_is_found() {
    let (test, planted) = ("a_planted_error_in_counts_of_lanes_is_found", MORE_LANES);
    find_planted(test, &planted.0, planted.1, planted.2);
}

#[cfg(target_arch = "x86_64")]
fn find_planted(test: &str, bytes: &[u8], at: usize, by: u8) {
    use crate::native::{PLANTED, found_in_child, plant_in_host_code};
    if std::env::var_os(PLANTED).is_none() {
        found_in_child("native_loops", test);
        return;
    }
    let mut random = Random(64);
    for number in 0..PROGRAMS {
        let text = program(&mut random, &LONG, false);
        let seed = random.bits();
        let expected = result(&mut Machine::native("gfx90a", 64, &text, None), seed, 1000);
        let mut native = Machine::native("gfx90a", 64, &text, Some(1));
        // The code is made when the program runs first.
        result(&mut native, seed, 1000);
        plant_in_host_code(bytes, at, by);
        let found = result(&mut native, seed, 1000);
        assert!(found == expected, "program {number}, runs of 1: {text}");
    }
}
