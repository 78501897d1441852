//! Compares the operands that instructions do not name against two other sources, both ways: LLVM's descriptions of its opcodes, and
//! the pseudocode of AMD's manuals (`tests/decode/pseudocode.txt`). A table explains the differences.

use crate::common::each_opcode;
use gfx::{Family, Target};
use isa::{Decoder, Effects, Format, Inst, Operand, RegKind};
use llvm_shim::{DecodedInst, Mc, WINDOW};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Registers of which instructions have one, by the names of the file.
const SPECIAL: [(&str, RegKind); 4] = [
    ("SCC", RegKind::Scc),
    ("VCC", RegKind::Vcc),
    ("EXEC", RegKind::Exec),
    ("M0", RegKind::M0),
];
/// The destination, read.
const DESTINATION: &str = "D0";

/// A difference that is meant: mnemonic (a trailing `*` matches any rest), access, register, which side alone has it, reason.
struct Explained(
    &'static str,
    &'static str,
    &'static str,
    Side,
    #[allow(dead_code)] // for the reader
    &'static str,
);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Ours,
    Other,
}
use Side::*;

#[rustfmt::skip]
const BESIDE_LLVM: &[Explained] = &[
    Explained("v_mfma_*",        "reads", "EXEC", Other, "matrix instructions run all lanes"),
    Explained("v_wmma_*",        "reads", "EXEC", Other, "matrix instructions run all lanes"),
    Explained("v_swmmac_*",      "reads", "EXEC", Other, "matrix instructions run all lanes"),
    Explained("ds_*",            "reads", "M0",   Other, "M0 limits LDS before gfx9 only"),
    Explained("s_setvskip",      "writes", "SCC", Other, "it writes VSKIP in MODE"),
    Explained("s_cbranch_*",     "writes", "EXEC", Ours, "forks and joins on gfx9 change EXEC"),
    Explained("s_cbranch_*",     "reads", "EXEC", Ours,  "forks and joins on gfx9 change EXEC"),
];

#[rustfmt::skip]
const BESIDE_PSEUDOCODE: &[Explained] = &[
    Explained("s_barrier_signal*",        "reads",  "M0",  Other, "where it is the source, which is an operand"),
    Explained("s_get_barrier_state",      "reads",  "M0",  Other, "where it is the source, which is an operand"),
    Explained("s_barrier_signal_isfirst", "reads",  "SCC", Ours,  "LLVM lists it; reading too much is safe"),
    Explained("s_set_gpr_idx_*",          "reads",  "M0",  Ours,  "it writes a part of M0 and keeps the rest"),
    Explained("scratch_load_*",           "reads",  "M0",  Ours,  "gfx9's forms with the lds bit go to LDS behind M0"),
    Explained("buffer_load_*",            "reads",  "M0",  Ours,  "forms with the lds bit go to LDS behind M0"),
    Explained("s_cbranch_join",           "reads",  "EXEC", Ours, "it may leave EXEC as it is, to which reading is equal"),
    Explained("v_interp_*",               "reads",  "M0",  Ours,  "LLVM lists it; reading too much is safe"),
    Explained("ds_append",                "reads",  "M0",  Ours,  "the pseudocode of gfx12 leaves it out"),
    Explained("ds_consume",               "reads",  "M0",  Ours,  "the pseudocode of gfx12 leaves it out"),
    Explained("ds_*_gs_reg_rtn",          "reads",  "M0",  Ours,  "LLVM lists it; reading too much is safe"),
    Explained("v_mad_co_*",               "writes", "VCC", Ours,  "the pseudocode calls the carry D1"),
    Explained("v_mad_u64_u32",            "writes", "VCC", Ours,  "the pseudocode calls the carry D1"),
    Explained("v_mad_i64_i32",            "writes", "VCC", Ours,  "the pseudocode calls the carry D1"),
    Explained("v_cvt_*",                  "reads",  "D0",  Ours,  "it writes a part of its destination"),
    Explained("v_fma_mix*",               "reads",  "D0",  Ours,  "it writes half of its destination"),
    Explained("v_mad_mix*",               "reads",  "D0",  Ours,  "it writes half of its destination"),
    Explained("v_mad_legacy_*",           "reads",  "D0",  Other, "with op_sel[3] only, which is a PARTIAL_WRITE"),
    Explained("v_fma_legacy_f16",         "reads",  "D0",  Other, "with op_sel[3] only, which is a PARTIAL_WRITE"),
    Explained("v_div_fixup_legacy_f16",   "reads",  "D0",  Other, "with op_sel[3] only, which is a PARTIAL_WRITE"),
    Explained("v_permlane16_b32",         "reads",  "D0",  Ours,  "lanes whose source is off keep their value"),
    Explained("v_permlanex16_b32",        "reads",  "D0",  Ours,  "lanes whose source is off keep their value"),
    Explained("v_permlane16_swap_b32",    "reads",  "D0",  Ours,  "both registers are read and written"),
    Explained("v_permlane32_swap_b32",    "reads",  "D0",  Ours,  "both registers are read and written"),
    Explained("v_swaprel_b32",            "reads",  "D0",  Ours,  "both registers are read and written"),
];

/// Returns `true` if a name is of a pattern, in which a `*` stands for anything.
pub(crate) fn matches(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((start, rest)) => name.strip_prefix(start).is_some_and(|name| {
            let mut ends = name.char_indices().map(|(at, _)| at).chain([name.len()]);
            ends.any(|at| matches(rest, &name[at..]))
        }),
    }
}

/// Differences that are in no row.
fn unexplained(found: &BTreeSet<Difference>, explained: &[Explained]) -> Vec<String> {
    let is = |row: &Explained, difference: &Difference| {
        let Difference(name, access, register, side, _) = difference;
        matches(row.0, name) && row.1 == *access && row.2 == *register && row.3 as u8 == *side
    };
    let mut new = BTreeMap::<String, Vec<&str>>::new();
    for difference in found {
        let Difference(name, access, register, side, place) = difference;
        if !explained.iter().any(|row| is(row, difference)) {
            let side = if *side == Ours as u8 {
                "only here"
            } else {
                "only there"
            };
            new.entry(format!("{name} {access} {register}: {side}"))
                .or_default()
                .push(place);
        }
    }
    let new = new
        .into_iter()
        .map(|(what, places)| format!("{what} ({})", places.join(", ")));
    new.collect()
}

/// Mnemonic, access, register, side, target.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Difference(&'static str, &'static str, &'static str, u8, String);

fn compare(
    inst: &Inst,
    place: &str,
    access: &'static str,
    ours: &BTreeSet<&'static str>,
    other: &BTreeSet<&'static str>,
    into: &mut BTreeSet<Difference>,
) {
    for (side, difference) in [
        (Ours, ours.difference(other)),
        (Other, other.difference(ours)),
    ] {
        for &register in difference {
            let place = place.to_owned();
            into.insert(Difference(
                inst.mnemonic(),
                access,
                register,
                side as u8,
                place,
            ));
        }
    }
}

fn special(registers: &[isa::Reg]) -> BTreeSet<&'static str> {
    let named = SPECIAL
        .iter()
        .filter(|(_, kind)| registers.iter().any(|reg| reg.kind == *kind));
    named.map(|(name, _)| *name).collect()
}

#[test]
fn implicit_registers_are_those_of_llvm() {
    let mut differences = BTreeSet::new();
    for target in gfx::TARGETS {
        let decoder = Decoder::new(target).expect("LLVM knows it");
        let mut features = String::new();
        if target.family >= Family::Gfx11 {
            features.push_str("+real-true16");
        }
        let mut mc = Mc::new(target.name, &features).expect("LLVM knows it");
        let mut decoded = DecodedInst::new();
        each_opcode(&decoder, |inst| {
            let mut window = [0; WINDOW];
            for (chunk, word) in window.chunks_exact_mut(4).zip(inst.words) {
                chunk.copy_from_slice(&word.to_le_bytes());
            }
            if !mc.decode(&window, 0, &mut decoded) {
                return;
            }
            let description = mc.opcode(decoded.opcode()).expect("an opcode");
            let listed = |numbers: &[u32]| -> BTreeSet<&'static str> {
                let names = numbers.iter().filter_map(|number| mc.register(*number));
                let names: Vec<_> = names.map(|reg| reg.name).collect();
                let is = |special: &str, name: &str| {
                    name == special
                        || name
                            .strip_prefix(special)
                            .is_some_and(|rest| rest.starts_with('_'))
                };
                let found = SPECIAL.iter().map(|row| row.0);
                found
                    .filter(|special| names.iter().any(|name| is(special, name)))
                    .collect()
            };
            let (writes, reads) = (
                listed(&description.implicit_definitions),
                listed(&description.implicit_uses),
            );
            let ours = (special(&inst.implicit_defs), special(&inst.implicit_uses));
            compare(
                inst,
                target.name,
                "writes",
                &ours.0,
                &writes,
                &mut differences,
            );
            compare(
                inst,
                target.name,
                "reads",
                &ours.1,
                &reads,
                &mut differences,
            );
        });
    }
    let wrong = unexplained(&differences, BESIDE_LLVM);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

type Sets = (BTreeSet<&'static str>, BTreeSet<&'static str>);

/// By architecture, encoding and name.
fn pseudocode() -> HashMap<(&'static str, &'static str, String), Sets> {
    let text = include_str!("decode/pseudocode.txt");
    let mut facts = HashMap::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let columns: Vec<&str> = line.split(" | ").collect();
        let [architectures, encoding, written, read, names] = columns[..] else {
            panic!("{line}");
        };
        let set = |column: &'static str| -> BTreeSet<&'static str> {
            column.split(' ').filter(|word| *word != "-").collect()
        };
        for architecture in architectures.split(',') {
            for name in names.split(' ') {
                let key = (architecture, encoding, name.to_lowercase());
                facts.insert(key, (set(written), set(read)));
            }
        }
    }
    facts
}

/// The manual that is the target's, or the nearest one.
pub(crate) fn architecture(target: &Target) -> &'static str {
    match target.family {
        Family::Gfx9 => "cdna4",
        Family::Gfx10 | Family::Gfx10_3 | Family::Gfx11 => "rdna3_5",
        Family::Gfx12 | Family::Gfx12_5 => "rdna4",
    }
}

/// Encodings by the names of the manuals, older and newer, and the shorter ones that have the same instructions.
pub(crate) fn encodings(format: Format) -> &'static [&'static str] {
    match format {
        Format::Sop1 => &["SOP1"],
        Format::Sop2 => &["SOP2"],
        Format::Sopc => &["SOPC"],
        Format::Sopk => &["SOPK"],
        Format::Sopp => &["SOPP"],
        Format::Smem => &["SMEM"],
        Format::Vop1 => &["VOP1"],
        Format::Vop2 => &["VOP2"],
        Format::Vopc => &["VOPC"],
        Format::Vop3 => &["VOP3"],
        Format::Vop3Sd => &["VOP3SD"],
        Format::Vop3p => &["VOP3P"],
        Format::Ds => &["DS"],
        Format::Mubuf => &["MUBUF", "VBUFFER"],
        Format::Mtbuf => &["MTBUF", "VBUFFER"],
        Format::Mimg => &["MIMG", "VIMAGE", "VSAMPLE"],
        Format::Flat => &["FLAT", "VFLAT"],
        Format::Global => &["GLOBAL", "VGLOBAL"],
        Format::Scratch => &["SCRATCH", "VSCRATCH"],
        Format::Vinterp => &["VINTERP"],
        _ => &[],
    }
}

/// The decoder's answer, in the words of the file. Samples name no special register where they may name another one.
fn ours(inst: &Inst) -> Sets {
    let (mut writes, mut reads) = (special(&inst.implicit_defs), special(&inst.implicit_uses));
    let scalar = |operand: &Operand, written: bool| match operand {
        Operand::Def(reg) => written && reg.kind == RegKind::Sgpr,
        Operand::Use(reg) => !written && reg.kind == RegKind::Sgpr,
        _ => false,
    };
    if inst.format == Format::Vop3Sd {
        writes.insert("VCC");
    }
    let third = inst
        .operands
        .iter()
        .rev()
        .find(|operand| matches!(operand, Operand::Use(_)));
    if matches!(inst.format, Format::Vop3 | Format::Vop3Sd)
        && third.is_some_and(|operand| scalar(operand, false))
    {
        reads.insert("VCC");
    }
    let by_lane = Effects::VALU | Effects::VMEM | Effects::LDS;
    if inst.effects.intersects(by_lane) || inst.format == Format::Ds {
        reads.remove("EXEC");
    }
    let destination = inst.operands.iter().find_map(|operand| match operand {
        Operand::Def(reg) => Some(*reg),
        _ => None,
    });
    // Controls and memory instructions have their own reasons to keep a destination, and the file does not speak of these.
    let controls = Effects::SDWA | Effects::DPP16 | Effects::DPP8;
    let memory = Effects::VMEM | Effects::LDS | Effects::SMEM;
    let also_read = |reg: isa::Reg| {
        inst.operands.contains(&Operand::Use(reg)) || inst.implicit_uses.contains(&reg)
    };
    if !inst.effects.intersects(controls | memory) && destination.is_some_and(also_read) {
        reads.insert(DESTINATION);
    }
    (writes, reads)
}

#[test]
fn reads_and_writes_are_those_of_the_manuals() {
    let facts = pseudocode();
    let mut differences = BTreeSet::new();
    let mut compared = BTreeMap::<&str, BTreeSet<String>>::new();
    for target in gfx::TARGETS {
        let decoder = Decoder::new(target).expect("LLVM knows it");
        let manual = architecture(target);
        each_opcode(&decoder, |inst| {
            let found = encodings(inst.format)
                .iter()
                .find_map(|encoding| facts.get(&(manual, *encoding, inst.mnemonic().to_owned())));
            let Some((writes, reads)) = found else { return };
            let place = format!("{} {:?}", target.name, inst.format);
            let (our_writes, mut our_reads) = ours(inst);
            // A scalar third source is a mask for some and a number for most.
            if matches!(inst.format, Format::Vop3 | Format::Vop3Sd) && !reads.contains("VCC") {
                our_reads.remove("VCC");
            }
            compare(
                inst,
                &place,
                "writes",
                &our_writes,
                writes,
                &mut differences,
            );
            compare(inst, &place, "reads", &our_reads, reads, &mut differences);
            compared
                .entry(manual)
                .or_default()
                .insert(inst.mnemonic().to_owned());
        });
    }
    let wrong = unexplained(&differences, BESIDE_PSEUDOCODE);
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
    for manual in ["cdna4", "rdna3_5", "rdna4"] {
        let count = compared.get(manual).map_or(0, BTreeSet::len);
        assert!(count > 800, "{manual}: {count}");
    }
}
