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
