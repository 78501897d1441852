//! Instructions whose first source DPP moves: as one micro-op, against the passes that do the same one after the other.

use crate::harness::{Machine, random::Random};
use crate::native::{Result, pick, set_up};

/// Random programs for each target.
const PROGRAMS: u64 = 150;
/// Instructions of each.
const LENGTH: usize = 10;
/// Registers that they read and write.
const REGISTERS: u64 = 8;

const TARGETS: &[(&str, u32)] = &[
    ("gfx90a", 64),
    ("gfx1030", 32),
    ("gfx1030", 64),
    ("gfx1100", 32),
    ("gfx1201", 64),
];

/// Controls that all targets have.
const CONTROLS: &[&str] = &[
    "quad_perm:[1,0,3,2]",
    "quad_perm:[3,3,0,2]",
    "row_shl:1",
    "row_shl:15",
    "row_shr:1",
    "row_shr:8",
    "row_ror:4",
    "row_mirror",
    "row_half_mirror",
];
const CONTROLS_OF_GFX9: &[&str] = &[
    "row_bcast:15",
    "row_bcast:31",
    "row_newbcast:6",
    "wave_shl:1",
    "wave_shr:1",
    "wave_rol:1",
    "wave_ror:1",
];
const CONTROLS_SINCE_GFX10: &[&str] = &["row_share:3", "row_xmask:5"];

/// Instructions without their operands: `t` is the result, `v` a register, `m` VCC, `s` a scalar and `c` a constant. The first source moves.
const ALL: &[(&str, &str)] = &[
    ("v_mov_b32", "t, v"),
    ("v_not_b32", "t, v"),
    ("v_cvt_f32_i32", "t, v"),
    ("v_floor_f32", "t, v"),
    ("v_fract_f32", "t, v"),
    ("v_exp_f32", "t, v"),
    ("v_log_f32", "t, v"),
    ("v_rcp_f32", "t, v"),
    ("v_add_f32", "t, v, v"),
    ("v_sub_f32", "t, v, v"),
    ("v_subrev_f32", "t, v, v"),
    ("v_mul_f32", "t, v, v"),
    ("v_min_f32", "t, v, v"),
    ("v_max_f32", "t, v, v"),
    ("v_fmac_f32", "t, v, v"),
    ("v_and_b32", "t, v, v"),
    ("v_xor_b32", "t, v, v"),
    ("v_lshlrev_b32", "t, v, v"),
    ("v_ashrrev_i32", "t, v, v"),
    ("v_max_i32", "t, v, v"),
    ("v_min_u32", "t, v, v"),
    ("v_mul_i32_i24", "t, v, v"),
    ("v_cndmask_b32", "t, v, v, m"),
];
/// Passes alone do this, and the encoding of DPP8 has no room for signs.
const SIGNED: (&str, &str) = ("v_add_f32", "t, -v, |v|");
const OF_GFX9: &[(&str, &str)] = &[
    ("v_add_u32", "t, v, v"),
    ("v_subrev_u32", "t, v, v"),
    ("v_add_co_u32", "t, m, v, v"),
    ("v_sub_co_u32", "t, m, v, v"),
    ("v_addc_co_u32", "t, m, v, v, m"),
    ("v_subb_co_u32", "t, m, v, v, m"),
];
const SINCE_GFX10: &[(&str, &str)] = &[
    ("v_add_nc_u32", "t, v, v"),
    ("v_subrev_nc_u32", "t, v, v"),
    ("v_add_co_ci_u32", "t, m, v, v, m"),
    ("v_sub_co_ci_u32", "t, m, v, v, m"),
];
const SINCE_GFX11: &[(&str, &str)] = &[
    ("v_fma_f32_e64", "t, v, v, v"),
    ("v_med3_f32_e64", "t, v, v, v"),
    ("v_add3_u32_e64", "t, v, v, v"),
    ("v_ldexp_f32_e64", "t, v, v"),
];
const SINCE_GFX12: &[(&str, &str)] = &[
    ("v_fma_f32_e64", "t, v, s, c"),
    ("v_lshl_add_u32_e64", "t, v, c, s"),
];

/// The parts of a DPP16 control that programs may lack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Without {
    Nothing,
    Moves,
    RowMask,
    BankMask,
    BoundControl,
    FetchInactive,
}

/// An instruction, apart from what DPP does.
struct Line {
    name: &'static str,
    operands: String,
    control: String,
    masks: [u64; 2],
    bound: bool,
    fetches: bool,
}

impl Line {
    fn new(random: &mut Random, (target, wave_size): (&str, u32)) -> Line {
        let generation: u32 = match target {
            "gfx90a" => 9,
            "gfx1030" => 10,
            "gfx1100" => 11,
            _ => 12,
        };
        let mut names = vec![ALL];
        names.extend((generation == 9).then_some(OF_GFX9));
        names.extend((generation >= 10).then_some(SINCE_GFX10));
        names.extend((generation >= 11).then_some(SINCE_GFX11));
        names.extend((generation >= 12).then_some(SINCE_GFX12));
        let is_dpp8 = generation >= 10 && random.below(4) == 0;
        let (name, operands) = match random.below(20) {
            0 if !is_dpp8 => SIGNED,
            _ => *pick(random, &names.concat()),
        };
        let mut operand = |kind: char| match kind {
            't' | 'v' => format!("v{}", random.below(REGISTERS)),
            'm' if wave_size == 64 => "vcc".to_owned(),
            'm' => "vcc_lo".to_owned(),
            's' => format!("s{}", 40 + random.below(4)),
            'c' => "1.0".to_owned(),
            other => other.to_string(),
        };
        let operands = operands.chars().map(&mut operand).collect();
        let mut controls = vec![CONTROLS];
        controls.push(match generation {
            9 => CONTROLS_OF_GFX9,
            _ => CONTROLS_SINCE_GFX10,
        });
        let control = match is_dpp8 {
            true => {
                let lanes = (0..8).map(|_| random.below(8).to_string());
                format!("dpp8:[{}]", lanes.collect::<Vec<_>>().join(","))
            }
            false => (*pick(random, &controls.concat())).to_owned(),
        };
        let mut mask = || match random.below(2) {
            0 => 15,
            _ => random.below(16),
        };
        Line {
            name,
            operands,
            control,
            masks: [mask(), mask()],
            bound: random.below(2) == 0,
            fetches: generation >= 10 && random.below(3) == 0,
        }
    }

    fn text(&self, without: Without) -> String {
        let is_dpp8 = self.control.starts_with("dpp8");
        let control = match (without, is_dpp8) {
            (Without::Moves, true) => "dpp8:[0,1,2,3,4,5,6,7]",
            (Without::Moves, false) => "quad_perm:[0,1,2,3]",
            _ => &self.control,
        };
        let mut text = format!("{}_dpp {} {control}", self.name, self.operands);
        if !is_dpp8 {
            let mask = |index: usize, part| match without == part {
                true => 15,
                false => self.masks[index],
            };
            let (rows, banks) = (mask(0, Without::RowMask), mask(1, Without::BankMask));
            text += &format!(" row_mask:{rows:#x} bank_mask:{banks:#x}");
            if self.bound && without != Without::BoundControl {
                text += " bound_ctrl:1";
            }
        }
        if self.fetches && without != Without::FetchInactive {
            text += " fi:1";
        }
        text
    }
}

/// How many of the random programs leave something else behind than the same by passes, of which the latter lack a part.
fn different(target: (&str, u32), without: Without) -> u64 {
    let mut random = Random(u64::from(target.1));
    let mut different = 0;
    for number in 0..PROGRAMS {
        let lines = (0..LENGTH).map(|_| Line::new(&mut random, target));
        let lines: Vec<Line> = lines.collect();
        let text = |without| {
            let lines = lines.iter().map(|line| line.text(without));
            lines.collect::<Vec<_>>().join("\n")
        };
        let seed = random.bits();
        let result = |mut machine: Machine| {
            set_up(&mut machine, seed);
            Result::of(machine.run())
        };
        let whole = text(Without::Nothing);
        let at_once = result(Machine::with_wave_size(target.0, target.1, &whole));
        let passes = result(Machine::observed(target.0, target.1, &text(without)));
        if at_once != passes {
            different += 1;
            assert!(
                without != Without::Nothing,
                "{target:?} program {number}: {}\n{whole}",
                crate::native::difference(&at_once, &passes)
            );
        }
    }
    different
}

#[test]
fn dpp_at_once_is_what_passes_do() {
    for &target in TARGETS {
        assert_eq!(different(target, Without::Nothing), 0);
    }
}

/// The programs would tell if a part of the control were forgotten.
#[test]
fn each_part_of_the_control_shows() {
    let parts = [
        Without::Moves,
        Without::RowMask,
        Without::BankMask,
        Without::BoundControl,
        Without::FetchInactive,
    ];
    for &target in TARGETS {
        for part in parts {
            let exists = part != Without::FetchInactive || target.0 != "gfx90a";
            let shows = different(target, part) > PROGRAMS / 20;
            assert_eq!(shows, exists, "{target:?} without {part:?}");
        }
    }
}

/// An instruction and `s_endpgm` are two micro-ops. By passes they are up to four.
#[test]
fn dpp_is_one_micro_op() {
    for text in [
        "v_add_f32_dpp v0, v1, v2 row_shr:1 row_mask:0xf bank_mask:0xf",
        "v_max_i32_dpp v0, v1, v2 row_bcast:15 row_mask:0xa bank_mask:0xf",
        "v_mov_b32_dpp v0, v1 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf bound_ctrl:1",
        "v_addc_co_u32_dpp v0, vcc, v1, v2, vcc row_ror:4 row_mask:0xf bank_mask:0xf",
    ] {
        if wave::host_code_is_possible().is_ok() {
            let count = Machine::new("gfx90a", text).micro_ops();
            assert_eq!(count, 2, "{text}");
        }
    }
}
