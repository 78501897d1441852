//! Operands are those of the instruction's text: every opcode of every target against what LLVM's printer writes.

use crate::common::{each_opcode, name};
use isa::{Assembler, Decoder, Format, Operand, RegKind};

// Exports are left out: LLVM lists registers of components that are off, which the hardware does not read.

/// The registers that a text names, definitions of both halves of a dual-issue instruction first.
fn in_text(text: &str) -> Vec<String> {
    let halves: Vec<Vec<String>> = text.split(" :: ").map(of_half).collect();
    match &halves[..] {
        [one] => one.clone(),
        halves => {
            let first = halves.iter().filter_map(|half| half.first());
            let rest = halves.iter().flat_map(|half| half.iter().skip(1));
            first.chain(rest).cloned().collect()
        }
    }
}

fn of_half(text: &str) -> Vec<String> {
    let operands = text
        .split_once(char::is_whitespace)
        .map_or("", |(_, rest)| rest);
    let words = operands.split([' ', ',', '|', '(', ')', '-']);
    // Addresses of images are in brackets.
    let words = words.map(|word| {
        let word = word.strip_prefix('[').unwrap_or(word);
        let closes = word.ends_with("]]") || word.ends_with(']') && !word.contains('[');
        &word[..word.len() - usize::from(closes)]
    });
    // A flag of images is called as a register that no sample has.
    let words = words.filter(|word| is_register(word) && *word != "a16");
    words.map(str::to_owned).collect()
}

fn is_register(word: &str) -> bool {
    const SPECIAL: &[&str] = &[
        "vcc", "vcc_lo", "vcc_hi", "exec", "exec_lo", "exec_hi", "m0", "src_scc", "null",
    ];
    if SPECIAL.contains(&word) {
        return true;
    }
    let number = ["ttmp", "v", "s", "a"]
        .iter()
        .find_map(|file| word.strip_prefix(file));
    number.is_some_and(|number| {
        let number = number.trim_end_matches(".l").trim_end_matches(".h");
        let range = number
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'));
        let digits =
            |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        match range {
            Some(range) => range.split(':').all(digits),
            None => digits(number),
        }
    })
}

fn registers(operands: &[Operand]) -> Vec<String> {
    let registers = operands.iter().filter_map(|operand| match operand {
        Operand::Def(reg) | Operand::Use(reg) => Some(reg),
        Operand::Imm(_) | Operand::PcRel(_) => None,
    });
    let named = registers.filter(|reg| {
        !matches!(
            reg.kind,
            RegKind::Source
                | RegKind::Other
                | RegKind::FlatScratch
                | RegKind::XnackMask
                | RegKind::Mode
        )
    });
    named
        .map(|reg| match reg.kind {
            RegKind::Scc => "src_scc".to_owned(),
            _ => name(reg),
        })
        .collect()
}

#[test]
fn every_opcode_lists_what_its_text_names() {
    let mut wrong = Vec::new();
    let mut implied = 0;
    for target in gfx::TARGETS {
        let decoder = Decoder::new(target).expect("LLVM knows it");
        each_opcode(&decoder, |inst| {
            let text = decoder.print(inst);
            let (expected, found) = (in_text(&text), registers(&inst.printed()));
            implied += usize::from(inst.printed().len() > inst.operands.len());
            if expected != found && inst.format != Format::Exp {
                wrong.push(format!("{}: {text}: {found:?}", target.name));
            }
        });
    }
    wrong.sort();
    wrong.dedup();
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(implied > 1000, "{implied}");
}

/// The cases of the documentation, by hand from the manuals.
#[test]
fn implied_operands_have_their_place() {
    #[rustfmt::skip]
    let cases: &[(&str, &str, &str, &str)] = &[
        ("gfx90a",  "v_cmp_lt_f32_e32 vcc, v1, v2",                    "vcc v1 v2",           "mode exec"),
        ("gfx90a",  "v_cmp_lt_f32_e64 s[4:5], v1, v2",                 "s[4:5] v1 v2",        "mode exec"),
        ("gfx90a",  "v_cmpx_lt_f32_e32 vcc, v1, v2",                   "vcc v1 v2",           "exec mode exec"),
        ("gfx90a",  "v_addc_co_u32_e32 v0, vcc, v1, v2, vcc",          "v0 vcc v1 v2 vcc",    "exec"),
        ("gfx90a",  "v_cndmask_b32_e32 v0, v1, v2, vcc",               "v0 v1 v2 vcc",        "exec"),
        ("gfx90a",  "v_fma_f32 v0, v1, v2, v3",                        "v0 v1 v2 v3",         "mode exec"),
        ("gfx90a",  "v_fmac_f32_e32 v5, v6, v7",                       "v5 v6 v7",            "mode exec v5"),
        ("gfx90a",  "s_cselect_b32 s0, s1, s2",                        "s0 s1 s2",            "scc"),
        ("gfx90a",  "s_and_saveexec_b64 s[0:1], vcc",                  "s[0:1] vcc",          "exec scc exec"),
        ("gfx90a",  "ds_append v0",                                    "v0",                  "m0 exec"),
        ("gfx90a",  "v_div_fmas_f32 v0, v1, v2, v3",                   "v0 v1 v2 v3",         "mode vcc exec"),
        ("gfx90a",  "v_cmp_lt_u32_sdwa vcc, v1, v2 src0_sel:BYTE_0 src1_sel:DWORD", "vcc v1 v2", "exec"),
        ("gfx90a",  "v_cmp_lt_u32_sdwa s[4:5], v1, v2 src0_sel:BYTE_0 src1_sel:DWORD", "s[4:5] v1 v2", "exec"),
        ("gfx90a",  "v_cmpx_lt_u32_sdwa vcc, v1, v2 src0_sel:BYTE_0 src1_sel:DWORD", "vcc v1 v2", "exec exec"),
        ("gfx90a",  "v_cmpx_lt_u32_e64 s[4:5], v1, v2",                "s[4:5] v1 v2",        "exec exec"),
        ("gfx90a",  "v_div_scale_f32 v1, vcc, v2, v3, v4",             "v1 vcc v2 v3 v4",     "mode exec"),
        ("gfx90a",  "v_div_scale_f64 v[2:3], vcc, v[4:5], v[6:7], v[8:9]", "v[2:3] vcc v[4:5] v[6:7] v[8:9]", "mode exec"),
        ("gfx90a",  "v_addc_co_u32_e64 v1, s[4:5], v2, v3, s[6:7]",    "v1 s[4:5] v2 v3 s[6:7]", "exec"),
        ("gfx90a",  "v_addc_co_u32_sdwa v1, vcc, v2, v3, vcc dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD", "v1 vcc v2 v3 vcc", "exec"),
        ("gfx90a",  "v_addc_co_u32_dpp v1, vcc, v2, v3, vcc quad_perm:[0,1,2,3] row_mask:0xf bank_mask:0xf", "v1 vcc v2 v3 vcc", "exec v1"),
        ("gfx90a",  "v_add_co_u32_e32 v1, vcc, v2, v3",                "v1 vcc v2 v3",        "exec"),
        ("gfx90a",  "v_cndmask_b32_e64 v1, v2, v3, s[4:5]",            "v1 v2 v3 s[4:5]",     "exec"),
        ("gfx90a",  "s_cselect_b64 s[4:5], s[6:7], s[8:9]",            "s[4:5] s[6:7] s[8:9]", "scc"),
        ("gfx90a",  "s_cmp_lt_i32 s4, s5",                             "s4 s5",               "scc"),
        ("gfx90a",  "s_cmpk_lt_i32 s4, 5",                             "s4",                  "scc"),
        ("gfx90a",  "s_cmovk_i32 s4, 5",                               "s4",                  "scc s4"),
        ("gfx90a",  "s_cmov_b32 s4, s5",                               "s4 s5",               "scc s4"),
        ("gfx90a",  "s_addc_u32 s4, s5, s6",                           "s4 s5 s6",            "scc scc"),
        ("gfx90a",  "s_bitcmp1_b32 s4, s5",                            "s4 s5",               "scc"),
        ("gfx90a",  "s_cbranch_vccz 0",                                "",                    "vcc"),
        ("gfx90a",  "s_cbranch_execnz 0",                              "",                    "exec"),
        ("gfx90a",  "s_cbranch_scc0 0",                                "",                    "scc"),
        ("gfx90a",  "v_readfirstlane_b32 s4, v1",                      "s4 v1",               "exec"),
        ("gfx90a",  "v_writelane_b32 v1, s4, m0",                      "v1 s4 m0",            "v1"),
        ("gfx90a",  "s_andn2_wrexec_b64 s[4:5], s[6:7]",               "s[4:5] s[6:7]",       "exec scc exec"),
        ("gfx90a",  "v_mad_u64_u32 v[2:3], s[4:5], v4, v5, v[6:7]",    "v[2:3] s[4:5] v4 v5 v[6:7]", "exec"),
        ("gfx90a",  "ds_write_b32 v1, v2",                             "v1 v2",               "exec"),
        ("gfx90a",  "ds_read_addtid_b32 v1",                           "v1",                  "m0 exec"),
        ("gfx90a",  "ds_gws_init v0 gds",                              "v0",                  "m0 exec"),
        ("gfx90a",  "buffer_load_dword off, s[4:7], 0 lds",            "s[4:7]",              "m0 exec"),
        ("gfx90a",  "s_call_b64 s[4:5], 0",                            "s[4:5]",              ""),
        ("gfx90a",  "s_getpc_b64 s[4:5]",                              "s[4:5]",              ""),
        ("gfx90a",  "s_setpc_b64 s[4:5]",                              "s[4:5]",              ""),
        ("gfx90a",  "s_swappc_b64 s[4:5], s[6:7]",                     "s[4:5] s[6:7]",       ""),
        ("gfx90a",  "s_movrels_b32 s4, s5",                            "s4 s5",               "m0"),
        ("gfx1030", "v_interp_p1_f32_e32 v1, v2, attr0.x",             "v1 v2",               "m0 mode exec_lo"),
        ("gfx1030", "v_interp_p2_f32_e32 v1, v2, attr0.x",             "v1 v2",               "m0 mode exec_lo v1"),
        ("gfx1030", "v_add_co_ci_u32_e64 v0, s4, v1, v2, s5",          "v0 s4 v1 v2 s5",      "exec_lo"),
        ("gfx1030", "v_cmpx_lt_u32_e64 v1, v2",                        "v1 v2",               "exec_lo exec_lo"),
        ("gfx1030", "v_permlane16_b32 v0, v1, s2, s3",                 "v0 v1 s2 s3",         "exec_lo v0"),
        ("gfx1100", "v_dual_add_f32 v0, v1, v2 :: v_dual_fmac_f32 v5, v6, v7", "v0 v5 v1 v2 v6 v7", "mode exec_lo v5"),
        ("gfx1200", "s_add_f32 s0, s1, s2",                            "s0 s1 s2",            "mode"),
        ("gfx1200", "s_cmp_lt_f32 s1, s2",                             "s1 s2",               "scc mode"),
        ("gfx1200", "s_fmac_f32 s0, s1, s2",                           "s0 s1 s2",            "mode s0"),
        ("gfx1100", "v_cmp_lt_f32_e32 vcc_lo, v1, v2",                 "vcc_lo v1 v2",        "mode exec_lo"),
        ("gfx1100", "v_cmpx_lt_f32_e32 v1, v2",                        "v1 v2",               "exec_lo mode exec_lo"),
        ("gfx1200", "v_add_co_ci_u32_e32 v0, vcc_lo, v1, v2, vcc_lo",  "v0 vcc_lo v1 v2 vcc_lo", "exec_lo"),
    ];
    let names = |operands: &[Operand]| -> Vec<String> {
        let registers = operands.iter().filter_map(|operand| match operand {
            Operand::Def(reg) | Operand::Use(reg) => Some(name(reg)),
            _ => None,
        });
        registers.collect()
    };
    let sorted = |mut list: Vec<String>| {
        list.sort();
        list
    };
    for &(target, text, printed, implied) in cases {
        let target = gfx::Target::find(target).expect("a target");
        let code = Assembler::new(target).unwrap().assemble(text).expect(text);
        let inst = Decoder::new(target).unwrap().decode(&code, 0).expect(text);
        let words = |text: &str| {
            text.split_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        assert_eq!(names(&inst.printed()), words(printed), "{text}");
        assert_eq!(
            sorted(names(&inst.implied())),
            sorted(words(implied)),
            "{text}"
        );
    }
}
