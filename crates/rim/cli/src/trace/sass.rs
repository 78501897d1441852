//! The instruction of NVIDIA's GPUs that stands for one of AMD's: one that does the same kind of work.
//!
//! Accel-Sim looks names up in a table (`ISA_Def/volta_opcode.h`), which says the unit and the latency, and stops at a name that it does
//! not know. Every name here is in it.

use isa::{Decoded, Effects, Format, Op, Traits};

/// The kind of numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Numbers {
    F64,
    F32,
    /// Integers of 16 bits and fewer.
    F16,
    Integer,
}

/// A part of a first name behind `v_` or `s_`, and the names for numbers of 64, 32 and 16 bits and for integers. The first row
/// that matches counts: `^` stands for the beginning.
type Row = (&'static str, [&'static str; 4]);

const fn all(part: &'static str, name: &'static str) -> Row {
    (part, [name; 4])
}

#[rustfmt::skip]
const ROWS: &[Row] = &[
    all("^cvt_pk_", "F2F"),
    all("^readlane", "SHFL"), all("^readfirstlane", "SHFL"), all("^writelane", "SHFL"), all("permlane", "SHFL"),
    ("^cmp", ["DSETP", "FSETP", "HSETP2", "ISETP"]), all("^bitcmp", "ISETP"), all("^cmpk", "ISETP"),
    all("cndmask", "SEL"), all("^cselect", "SEL"), all("^cmov", "SEL"),
    all("^mov", "MOV"), all("^accvgpr", "MOV"), all("^swap", "MOV"), all("saveexec", "LOP3"), all("wrexec", "LOP3"),
    all("^getreg", "S2R"), all("^getpc", "S2R"), all("time", "CS2R"), all("^setreg", "MOV"),
    all("^rndne", "FRND"), all("^floor", "FRND"), all("^ceil", "FRND"), all("^trunc", "FRND"), all("^fract", "FRND"),
    ("^dot", ["DFMA", "FFMA", "HFMA2", "IDP4A"]), ("^pk_fma", ["DFMA", "FFMA", "HFMA2", "IMAD"]),
    ("^fma", ["DFMA", "FFMA", "HFMA2", "IMAD"]), ("fmac", ["DFMA", "FFMA", "HFMA2", "IMAD"]),
    ("^mac", ["DFMA", "FFMA", "HFMA2", "IMAD"]), ("mad", ["DFMA", "FFMA", "HFMA2", "IMAD"]),
    ("^div_", ["DFMA", "FFMA", "HFMA2", "IMAD"]), ("^cube", ["DFMA", "FFMA", "HFMA2", "IMAD"]),
    ("^ldexp", ["DMUL", "FMUL", "HMUL2", "IMUL"]), ("mul", ["DMUL", "FMUL", "HMUL2", "IMUL"]),
    ("min", ["DSETP", "FMNMX", "HADD2", "IMNMX"]), ("max", ["DSETP", "FMNMX", "HADD2", "IMNMX"]),
    ("^med3", ["DSETP", "FMNMX", "HADD2", "IMNMX"]),
    ("^frexp", ["DADD", "FADD", "HADD2", "IADD3"]),
    all("^lshl_add", "LEA"), all("^lshl1_add", "LEA"), all("^lshl2_add", "LEA"), all("^lshl3_add", "LEA"), all("^lshl4_add", "LEA"),
    all("^lshl_or", "LOP3"), all("^add_lshl", "LEA"), all("^and_or", "LOP3"), all("^or3", "LOP3"), all("^xad", "LOP3"),
    all("^mbcnt", "POPC"), all("bcnt", "POPC"), all("^ffb", "FLO"), all("^ff", "FLO"), all("^flbit", "FLO"), all("^cl", "FLO"),
    all("brev", "BREV"), all("bfrev", "BREV"), all("bfm", "BMSK"), all("^bitset", "LOP3"), all("bitreplicate", "PRMT"),
    all("sh", "SHF"), all("align", "SHF"), all("bfe", "SHF"), all("bfi", "LOP3"), all("sext", "SGXT"), all("quadmask", "LOP3"), all("wqm", "LOP3"),
    all("perm", "PRMT"), all("pack", "PRMT"), all("sad", "VABSDIFF"), all("abs", "IABS"),
    ("add", ["DADD", "FADD", "HADD2", "IADD3"]), ("sub", ["DADD", "FADD", "HADD2", "IADD3"]),
    all("and", "LOP3"), all("or", "LOP3"), all("not", "LOP3"), all("nop", "NOP"),
    all("^sleep", "NANOSLEEP"), all("^setprio", "NOP"), all("^delay_alu", "NOP"), all("^clause", "NOP"), all("^code_end", "NOP"),
    all("^inst_prefetch", "NOP"), all("^set_inst_prefetch", "NOP"), all("^sendmsg", "NOP"), all("^round_mode", "NOP"), all("^denorm_mode", "NOP"),
    all("^version", "NOP"), all("^prefetch", "NOP"), all("^icache", "CCTL"),
];

/// Functions of the unit for transcendental functions: beginning of a name behind `v_`, and the name.
const FUNCTIONS: &[(&str, &str)] = &[
    ("rcp", "MUFU.RCP"),
    ("rsq", "MUFU.RSQ"),
    ("sqrt", "MUFU.SQRT"),
    ("exp", "MUFU.EX2"),
    ("log", "MUFU.LG2"),
    ("sin", "MUFU.SIN"),
    ("cos", "MUFU.COS"),
    ("tanh", "MUFU.TANH"),
];

/// The name for an instruction, `None` if there is no row for it. `half`: the one that is meant of a dual instruction.
pub fn name(inst: &Decoded, half: Op, size: u32) -> Option<String> {
    let effects = inst.effects;
    if let Some(name) = control(effects, half) {
        return Some(name.to_owned());
    }
    let memory = Effects::LOAD | Effects::STORE | Effects::ATOMIC;
    if effects.intersects(memory) && !half.has(Traits::NO_DATA) {
        return Some(access(inst, size));
    }
    let first = half.first_name();
    let bare = first.strip_prefix("v_").or(first.strip_prefix("s_"));
    let bare = bare.or(first.strip_prefix("ds_")).unwrap_or(first);
    let numbers = numbers(bare);
    if effects.contains(Effects::MATRIX) {
        return Some(
            match numbers {
                Numbers::F64 => "DFMA",
                Numbers::Integer => "IMMA",
                Numbers::F32 | Numbers::F16 => "HMMA",
            }
            .to_owned(),
        );
    }
    if let Some(row) = FUNCTIONS.iter().find(|row| bare.starts_with(row.0)) {
        return Some(row.1.to_owned());
    }
    if inst.format == Format::Ds || half.has(Traits::PERMUTES) {
        return Some("SHFL".to_owned());
    }
    if half.has(Traits::CACHE) {
        return Some("CCTL".to_owned());
    }
    if let Some(conversion) = bare.strip_prefix("cvt_") {
        return Some(converts(conversion).to_owned());
    }
    let row = ROWS.iter().find(|(part, _)| match part.strip_prefix('^') {
        Some(beginning) => bare.starts_with(beginning),
        None => bare.contains(part),
    });
    row.map(|(_, names)| names[numbers as usize].to_owned())
}

fn control(effects: Effects, op: Op) -> Option<&'static str> {
    Some(if effects.contains(Effects::END) {
        "EXIT"
    } else if effects.contains(Effects::CALL) {
        "CALL"
    } else if effects.contains(Effects::RETURN) {
        "RET"
    } else if effects.contains(Effects::BRANCH | Effects::INDIRECT) {
        "BRX"
    } else if effects.contains(Effects::BRANCH) {
        "BRA"
    } else if effects.contains(Effects::BARRIER) {
        // Since gfx12 a wave says that it has come, then waits.
        if op.has(Traits::ARRIVES) && op.first_name() != "s_barrier" {
            "NOP"
        } else {
            "BAR.SYNC"
        }
    } else if effects.contains(Effects::WAIT) {
        "DEPBAR"
    } else {
        return None;
    })
}

/// Name and bits of an access of memory.
fn access(inst: &Decoded, size: u32) -> String {
    let effects = inst.effects;
    let kind = match inst.format {
        Format::Ds => "S",
        Format::Scratch => "L",
        Format::Flat => "",
        _ => "G",
    };
    let verb = if effects.contains(Effects::ATOMIC) {
        match kind {
            "G" if !effects.contains(Effects::ATOMIC_RETURN) => {
                return format!("RED.E.{}", 8 * size);
            }
            _ => "ATOM",
        }
    } else if effects.contains(Effects::STORE) {
        "ST"
    } else {
        "LD"
    };
    let width = match size {
        1 => "U8".to_owned(),
        2 => "U16".to_owned(),
        bytes => (8 * bytes).to_string(),
    };
    let extended = if matches!(kind, "S" | "L") { "" } else { ".E" };
    format!("{verb}{kind}{extended}.{width}")
}

fn numbers(bare: &str) -> Numbers {
    // The last type of a name is that of the sources of comparisons and the only one of most others.
    let mut parts = bare.rsplit('_');
    let kind = parts.find_map(|part| match part {
        "f64" => Some(Numbers::F64),
        "f32" | "xf32" | "4xf32" => Some(Numbers::F32),
        "f16" | "bf16" | "fp8" | "bf8" | "f8f6f4" => Some(Numbers::F16),
        _ if part.starts_with('i') || part.starts_with('u') || part.starts_with('b') => part[1..]
            .bytes()
            .all(|digit| digit.is_ascii_digit())
            .then_some(Numbers::Integer),
        _ => None,
    });
    kind.unwrap_or(Numbers::Integer)
}

/// `v_cvt_TO_FROM`.
fn converts(types: &str) -> &'static str {
    let mut parts = types.split('_');
    let is_float =
        |part: Option<&str>| part.is_some_and(|part| part.contains('f') || part.starts_with("pk"));
    let to = parts.next();
    let from = parts.next_back();
    match (is_float(to), is_float(from)) {
        (true, true) => "F2F",
        (true, false) => "I2F",
        (false, true) => "F2I",
        (false, false) => "I2I",
    }
}
