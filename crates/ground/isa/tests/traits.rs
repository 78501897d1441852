//! Compares the traits that follow from mnemonics against two other sources: the flags of LLVM's opcodes, and the pseudocode of AMD's
//! manuals (`tests/decode/traits.txt`). A table explains the differences.

use crate::common::each_opcode;
use crate::reads_and_writes::{architecture, encodings, matches};
use gfx::Family;
use isa::{Decoder, Effects, Format, Inst, Logic, Reg, RegKind, Traits};
use llvm_shim::{DecodedInst, Mc, WINDOW, flags};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A difference that is meant: mnemonic (a `*` stands for any beginning or end), word, which side alone has it, reason.
struct Explained(
    &'static str,
    &'static str,
    Side,
    #[allow(dead_code)] // for the reader
    &'static str,
);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Side {
    Ours,
    Other,
}
use Side::*;

#[rustfmt::skip]
const BESIDE_PSEUDOCODE: &[Explained] = &[
    Explained("ds_swizzle_b32",        "LANES",     Ours, "the pseudocode is prose"),
    Explained("ds_append",             "LOAD",      Ours, "the pseudocode writes LDS(addr)"),
    Explained("ds_append",             "STORE",     Ours, "the pseudocode writes LDS(addr)"),
    Explained("ds_consume",            "LOAD",      Ours, "the pseudocode writes LDS(addr)"),
    Explained("ds_consume",            "STORE",     Ours, "the pseudocode writes LDS(addr)"),
    Explained("ds_condxchg32_rtn_b64", "LOAD",      Ours, "the pseudocode writes LDS[...]"),
    Explained("ds_condxchg32_rtn_b64", "STORE",     Ours, "the pseudocode writes LDS[...]"),
    Explained("ds_*_gs_reg_rtn",       "LOAD",      Ours, "the pseudocode speaks of a register of GDS"),
    Explained("ds_*_gs_reg_rtn",       "STORE",     Ours, "the pseudocode speaks of a register of GDS"),
    Explained("buffer_load_*",         "STORE",     Ours, "forms with the lds bit store to LDS"),
    Explained("scratch_load_*",        "STORE",     Ours, "forms with the lds bit store to LDS"),
    // An instruction that overwrites its whole destination may safely be said to keep a part of it.
    Explained("v_*_legacy_*",          "RESULT_16", Ours, "the upper half becomes 0 without op_sel, which gfx9 alone has"),
    Explained("v_mac_f16",             "RESULT_16", Ours, "the upper half becomes 0 on gfx9"),
    Explained("v_madak_f16",           "RESULT_16", Ours, "the upper half becomes 0 on gfx9"),
    Explained("v_madmk_f16",           "RESULT_16", Ours, "the upper half becomes 0 on gfx9"),
    Explained("*qsad_pk_u16_u8",       "RESULT_16", Ours, "the name gives the type of one of four results"),
    Explained("v_s_*",                 "RESULT_16", Ours, "the result is in a scalar register"),
];

#[rustfmt::skip]
const BESIDE_LLVM: &[Explained] = &[
    Explained("s_call_*",          "branch",         Ours,  "LLVM tells calls from branches"),
    Explained("s_call_*",          "terminator",     Ours,  "LLVM tells calls from branches"),
    Explained("s_swap*",           "branch",         Ours,  "LLVM tells calls from branches"),
    Explained("s_swap*",           "indirect",       Ours,  "LLVM tells calls from branches"),
    Explained("s_swap*",           "terminator",     Ours,  "LLVM tells calls from branches"),
    Explained("s_set*pc_*",        "indirect",       Ours,  "LLVM calls it a return"),
    Explained("s_rfe_*",           "branch",         Ours,  "LLVM knows it for its text only"),
    Explained("s_rfe_*",           "indirect",       Ours,  "LLVM knows it for its text only"),
    Explained("s_rfe_*",           "terminator",     Ours,  "LLVM knows it for its text only"),
    Explained("s_cbranch_*",       "branch",         Ours,  "forks and joins: LLVM knows them for their text only"),
    Explained("s_cbranch_*",       "indirect",       Ours,  "forks and joins: LLVM knows them for their text only"),
    Explained("s_cbranch_*",       "terminator",     Ours,  "forks and joins: LLVM knows them for their text only"),
    Explained("s_code_end",        "terminator",     Other, "it is padding, behind which nothing is executed"),
    Explained("s_sendmsg*",        "counts data",    Ours,  "lgkmcnt and kmcnt count messages"),
    Explained("ds_append",         "atomic",         Ours,  "it adds to a counter"),
    Explained("ds_append",         "atomic return",  Ours,  "it adds to a counter"),
    Explained("ds_consume",        "atomic",         Ours,  "it subtracts from a counter"),
    Explained("ds_consume",        "atomic return",  Ours,  "it subtracts from a counter"),
    Explained("ds_*_gs_reg_rtn",   "counts exports", Ours,  "GDS holds expcnt"),
    Explained("ds_*_addtid_b32",   "counts exports", Ours,  "forms with the gds bit: GDS holds expcnt"),
    Explained("ds_append",         "counts exports", Ours,  "forms with the gds bit: GDS holds expcnt"),
    Explained("ds_consume",        "counts exports", Ours,  "forms with the gds bit: GDS holds expcnt"),
    Explained("ds_gws_*",          "counts exports", Ours,  "GDS holds expcnt"),
    Explained("ds_gws_*",          "load",           Other, "waves meet; no memory is accessed"),
    Explained("ds_gws_*",          "store",          Other, "waves meet; no memory is accessed"),
    // Memory holds expcnt before gfx8 only.
    Explained("buffer_*",          "counts exports", Other, "before gfx8 only"),
    Explained("tbuffer_*",         "counts exports", Other, "before gfx8 only"),
    Explained("image_*",           "counts exports", Other, "before gfx8 only"),
    // LLVM must not move these across accesses to memory.
    Explained("exp*",              "load",           Other, "it accesses no memory"),
    Explained("exp*",              "store",          Other, "it accesses no memory"),
    Explained("*_prefetch_*",      "load",           Other, "only caches change"),
    Explained("*_prefetch_*",      "store",          Other, "only caches change"),
    Explained("s_wait*",           "load",           Other, "it accesses no memory"),
    Explained("s_wait*",           "store",          Other, "it accesses no memory"),
    Explained("s_wakeup",          "load",           Other, "it accesses no memory"),
    Explained("s_wakeup",          "store",          Other, "it accesses no memory"),
    Explained("v_accvgpr_*",       "matrix",         Other, "a move, on the unit of matrix products"),
];

/// Collects differences, and says which no row explains.
#[derive(Default)]
struct Differences(BTreeMap<(String, String, Side), BTreeSet<String>>);

impl Differences {
    fn compare(
        &mut self,
        inst: &Inst,
        place: &str,
        ours: &BTreeSet<String>,
        other: &BTreeSet<String>,
    ) {
        for (side, words) in [
            (Ours, ours.difference(other)),
            (Other, other.difference(ours)),
        ] {
            for word in words {
                let key = (inst.op.name().to_owned(), word.clone(), side);
                self.0.entry(key).or_default().insert(place.to_owned());
            }
        }
    }

    fn assert_explained(&self, rows: &[Explained]) {
        let explains = |row: &Explained, (name, word, side): &(String, String, Side)| {
            matches(row.0, name) && row.1 == word && row.2 == *side
        };
        let new = self
            .0
            .iter()
            .filter(|(key, _)| !rows.iter().any(|row| explains(row, key)));
        let new: Vec<String> = new
            .map(|((name, word, side), places)| {
                let places: Vec<&str> = places.iter().map(String::as_str).collect();
                format!("{name} {word}: {side:?} only ({})", places.join(", "))
            })
            .collect();
        assert!(new.is_empty(), "{}:\n{}", new.len(), new.join("\n"));
        let unused = rows.iter().filter(|row| {
            let mut keys = self.0.keys();
            !keys.any(|key| explains(row, key))
        });
        let unused: Vec<String> = unused.map(|row| format!("{} {}", row.0, row.1)).collect();
        assert!(unused.is_empty(), "nothing to explain: {unused:?}");
    }
}

fn words<const N: usize>(all: [(&str, bool); N]) -> BTreeSet<String> {
    let holding = all.iter().filter(|(_, holds)| *holds);
    holding.map(|(word, _)| (*word).to_owned()).collect()
}

/// The statements of the pseudocode, by architecture, encoding and name.
fn pseudocode() -> HashMap<(&'static str, &'static str, String), BTreeSet<String>> {
    let text = include_str!("decode/traits.txt");
    let mut facts = HashMap::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let columns: Vec<&str> = line.split(" | ").collect();
        let [architectures, encoding, said, names] = columns[..] else {
            panic!("{line}");
        };
        let said = said.split(' ').filter(|word| *word != "-");
        let said: BTreeSet<String> = said.map(str::to_owned).collect();
        for architecture in architectures.split(',') {
            for name in names.split(' ') {
                facts.insert((architecture, encoding, name.to_lowercase()), said.clone());
            }
        }
    }
    facts
}

/// The decoder's answer, in the words of the file.
fn ours(inst: &Inst) -> BTreeSet<String> {
    let (op, effects) = (inst.op, inst.effects);
    let states = Traits::WRITES_HARDWARE | Traits::WRITES_MODE | Traits::INDEX_MODE;
    let lanes = Traits::CROSS_LANE | Traits::SELECTS_LANE;
    let compares_to_exec = op.has(Traits::COMPARES_TO_EXEC);
    let mut ours = words([
        // A call leaves the address behind it.
        (
            "READS_PC",
            op.has(Traits::READS_PC) || effects.contains(Effects::CALL),
        ),
        ("JUMPS", effects.intersects(Effects::BRANCH | Effects::TRAP)),
        ("LANES", op.has(lanes)),
        ("SCALAR_INDEX", op.has(Traits::INDEXES_SCALARS)),
        ("VECTOR_INDEX", op.has(Traits::INDEXES_VECTORS)),
        ("READS_HARDWARE", op.has(Traits::READS_HARDWARE)),
        ("WRITES_HARDWARE", op.has(Traits::WRITES_HARDWARE)),
        ("COMPARES", op.has(Traits::COMPARES) && !compares_to_exec),
        ("COMPARES_TO_EXEC", compares_to_exec),
        ("RESULT_16", op.has(Traits::RESULT_16 | Traits::WRITES_HALF)),
        ("KEEPS", op.has(Traits::KEEPS) && !op.has(states)),
        ("LOAD", effects.contains(Effects::LOAD)),
        ("STORE", effects.contains(Effects::STORE)),
    ]);
    if effects.intersects(Effects::LOAD | Effects::STORE) {
        let data = op.data();
        ours.insert(format!("BYTES={}", data.bytes));
        ours.extend(words([
            ("PAIR", data.two_addresses),
            ("STRIDE64", data.stride == 64),
            (
                "HALF=low",
                data.half == Some(false) && effects.contains(Effects::LOAD),
            ),
            (
                "HALF=high",
                data.half == Some(true) && effects.contains(Effects::LOAD),
            ),
        ]));
    }
    if let Some(mask) = op
        .lane_mask()
        .filter(|mask| mask.logic != Logic::WholeQuads)
    {
        let table: &str = match mask.logic {
            Logic::Move | Logic::WholeQuads => "0011",
            Logic::Not => "1100",
            Logic::And => "0001",
            Logic::Or => "0111",
            Logic::Xor => "0110",
            Logic::AndNotB => "0010",
            Logic::AndNotA => "0100",
            Logic::OrNotB => "1011",
            Logic::OrNotA => "1101",
            Logic::Nand => "1110",
            Logic::Nor => "1000",
            Logic::Xnor => "1001",
        };
        ours.insert(format!("MASK={table}"));
        ours.insert(format!("DWORDS={}", mask.dwords));
        ours.extend(words([
            ("SAVES", mask.saves_exec),
            ("WRITES", mask.writes_exec),
        ]));
    }
    ours
}

#[test]
fn traits_are_those_of_the_manuals() {
    let facts = pseudocode();
    let mut differences = Differences::default();
    let mut compared = BTreeMap::<&str, BTreeSet<&str>>::new();
    for target in gfx::TARGETS {
        let decoder = Decoder::new(target).expect("LLVM knows it");
        let manual = architecture(target);
        each_opcode(&decoder, |inst| {
            let found = encodings(inst.format)
                .iter()
                .find_map(|encoding| facts.get(&(manual, *encoding, inst.op.name().to_owned())));
            let Some(said) = found else { return };
            let (mut ours, mut said) = (ours(inst), said.clone());
            // Where it does not say what is written, or how long it is in memory, nothing is compared.
            let known = said.remove("RESULT_32") || said.contains("RESULT_16");
            if !known || inst.format == Format::Vop3p {
                ours.remove("RESULT_16");
                said.remove("RESULT_16");
            }
            if !said.iter().any(|word| word.starts_with("BYTES=")) {
                ours.retain(|word| !word.starts_with("BYTES="));
            }
            let place = format!("{} {:?}", target.name, inst.format);
            differences.compare(inst, &place, &ours, &said);
            compared.entry(manual).or_default().insert(inst.op.name());
        });
    }
    differences.assert_explained(BESIDE_PSEUDOCODE);
    for manual in ["cdna4", "rdna3_5", "rdna4"] {
        let count = compared.get(manual).map_or(0, BTreeSet::len);
        assert!(count > 800, "{manual}: {count}");
    }
}

#[test]
fn traits_are_those_of_llvm() {
    let mut differences = Differences::default();
    for target in gfx::TARGETS {
        let decoder = Decoder::new(target).expect("LLVM knows it");
        let features = match target.family >= Family::Gfx11 {
            true => "+real-true16",
            false => "",
        };
        let mut mc = Mc::new(target.name, features).expect("LLVM knows it");
        let mut decoded = DecodedInst::new();
        each_opcode(&decoder, |inst| {
            let mut window = [0; WINDOW];
            for (chunk, word) in window.chunks_exact_mut(4).zip(inst.words) {
                chunk.copy_from_slice(&word.to_le_bytes());
            }
            if !mc.decode(&window, 0, &mut decoded) {
                return;
            }
            let bits = mc.opcode(decoded.opcode()).expect("an opcode").flags;
            let (op, effects) = (inst.op, inst.effects);
            let (has, does) = (|flag| bits & flag != 0, |effect| effects.contains(effect));
            let memory = Effects::VMEM | Effects::SMEM | Effects::LDS;
            let is_vcc = |reg: &Reg| reg.kind == RegKind::Vcc;
            // A dual instruction is two of them.
            let alone = has(flags::VALU) && op.halves().is_none();
            let reads_vcc = alone && inst.implicit_uses.iter().any(is_vcc);
            // VOP3 has room for another mask.
            let names_no_mask = inst.format == Format::Vop2 || op.has(Traits::DIVIDES_BY_VCC);
            let other = words([
                ("branch", has(flags::BRANCH)),
                ("indirect", has(flags::INDIRECT_BRANCH)),
                ("call", has(flags::CALL)),
                ("terminator", has(flags::TERMINATOR)),
                ("salu", has(flags::SALU)),
                ("transcendental", has(flags::TRANS)),
                ("matrix", has(flags::MAI | flags::WMMA)),
                ("gws", has(flags::GWS)),
                ("load", has(flags::MAY_LOAD)),
                ("store", has(flags::MAY_STORE)),
                ("atomic", has(flags::ATOMIC_RET | flags::ATOMIC_NORET)),
                ("atomic return", has(flags::ATOMIC_RET)),
                ("counts vector memory", has(flags::COUNTS_VM)),
                ("counts data", has(flags::COUNTS_LGKM)),
                ("counts exports", has(flags::COUNTS_EXP)),
                ("sampler", has(flags::VSAMPLE)),
                ("mask", reads_vcc),
                ("vector", has(flags::VALU)),
            ]);
            let ends = Effects::BRANCH | Effects::END;
            let counts = Effects::COUNTS_VM | Effects::COUNTS_VS;
            let samples = target.family >= Family::Gfx12 && op.has(Traits::SAMPLE_COUNTER);
            let ours = words([
                ("branch", does(Effects::BRANCH)),
                ("indirect", does(Effects::INDIRECT)),
                ("call", does(Effects::CALL)),
                ("terminator", effects.intersects(ends)),
                ("salu", does(Effects::SALU)),
                ("transcendental", does(Effects::TRANSCENDENTAL)),
                ("matrix", op.product().is_some()),
                ("gws", op.has(Traits::GWS)),
                ("load", does(Effects::LOAD)),
                ("store", does(Effects::STORE)),
                ("atomic", does(Effects::ATOMIC)),
                ("atomic return", does(Effects::ATOMIC_RETURN)),
                ("counts vector memory", effects.intersects(counts)),
                ("counts data", does(Effects::COUNTS_LGKM)),
                ("counts exports", does(Effects::COUNTS_EXP)),
                ("sampler", samples),
                ("mask", names_no_mask && op.has(Traits::READS_MASK)),
                (
                    "vector",
                    does(Effects::VALU) || effects.intersects(memory) && has(flags::VALU),
                ),
            ]);
            differences.compare(inst, target.name, &ours, &other);
        });
    }
    differences.assert_explained(BESIDE_LLVM);
}
