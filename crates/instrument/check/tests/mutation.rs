//! Waits are taken out of compiled kernels, one at a time: those that protect a register or LDS have to be missed.
//!
//! Which waits do that is decided by a walk through one block that knows nothing of the checker: it names operations by the
//! registers in their operands and counts them by hand. Waits whose operations are used in another block only are not
//! judged; they count in the share that is printed.

use check::{Finding, Kind, Selection, Suppressions, Tally};
use codeobj::CodeObject;
use gfx::Family;
use isa::{Decoded, Effects, Format, Inst, Operand, Reg, RegKind};
use lift::{Counter, Function, Kind as Order, Module, awaited, raised};
use std::process::Command;

const TARGETS: [&str; 8] = [
    "gfx900", "gfx908", "gfx90a", "gfx942", "gfx1010", "gfx1030", "gfx1100", "gfx1200",
];
/// `s_nop 0`.
const NOP: [u8; 4] = [0, 0, 0x80, 0xbf];

fn compile(target: &str) -> Vec<u8> {
    let work = tempfile::tempdir().unwrap();
    let out = work.path().join("kernels.co");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kernels.cl");
    let output = Command::new("clang-22")
        .args(["-x", "cl", "-cl-std=CL2.0", "-O2", "-nogpulib"])
        .args(["-target", "amdgcn-amd-amdhsa"])
        .arg(format!("-mcpu={target}"))
        .arg(source)
        .arg("-o")
        .arg(&out)
        .output()
        .expect("clang-22 is installed (./dev setup)");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{target}: {errors}");
    std::fs::read(&out).unwrap()
}

/// What the checker says of an object's bytes.
fn checker(bytes: &[u8]) -> Vec<Finding> {
    let object = CodeObject::parse(bytes).unwrap();
    let selection = Selection {
        possible: true,
        limit: usize::MAX,
    };
    let mut tally = Tally::new(selection, Suppressions::default());
    let options = check::Options { selects: &|_| true };
    check::waits::object(&object, "", &options, &mut tally).unwrap();
    tally.take()
}

/// Position in the file of an address in code.
fn position(object: &CodeObject<'_>, pc: u64) -> usize {
    let sections = object
        .elf()
        .sections
        .iter()
        .filter(|section| section.is_code());
    let start = object.elf().file_offset_of(pc);
    assert!(sections.count() > 0);
    start.expect("code lies in the file") as usize
}

fn dwords(reg: Reg) -> Vec<(RegKind, u16)> {
    let count = u16::from(reg.width.max(1));
    (0..count)
        .map(|word| (reg.kind, reg.index + word))
        .collect()
}

fn named(inst: &Decoded, defined: bool) -> Vec<(RegKind, u16)> {
    let operands = inst.operands.iter().filter_map(|operand| match operand {
        Operand::Def(reg) if defined => Some(*reg),
        Operand::Use(reg) if !defined => Some(*reg),
        _ => None,
    });
    operands.flat_map(dwords).collect()
}

/// Whether something in the wait's own block is only right because of the wait.
fn protects(function: &Function, wait: usize, family: Family) -> bool {
    let block = &function.blocks[function.block_of(wait)];
    let waits = awaited(&function.insts.at(wait), family);
    waits.iter().any(|&(counter, left)| {
        (block.first..wait).any(|issue| protects_one(function, issue, wait, counter, left, family))
    })
}

/// Whether an instruction of the same block behind the wait uses what `issue` loads, with no other wait before it.
fn protects_one(
    function: &Function,
    issue: usize,
    wait: usize,
    counter: Counter,
    left: u32,
    family: Family,
) -> bool {
    let inst = function.insts.at(issue);
    let Some((_, order)) = raised(&inst, family)
        .into_iter()
        .find(|(own, _)| *own == counter)
    else {
        return false;
    };
    let younger = |end: usize| {
        let behind = issue + 1..end;
        let same =
            |index: &usize| raised(&function.insts.at(*index), family).contains(&(counter, order));
        behind.filter(same).count() as u32
    };
    let done = |index: usize| {
        let waits = awaited(&function.insts.at(index), family);
        let fits = |(own, left): &(Counter, u32)| {
            let in_order = !matches!(
                order,
                Order::Gds | Order::Flat | Order::Scalar | Order::Message
            );
            *own == counter && (*left == 0 || in_order && younger(index) >= *left)
        };
        waits.iter().any(fits)
    };
    if !done(wait) || (issue + 1..wait).any(done) || left > 15 {
        return false;
    }
    let block = &function.blocks[function.block_of(wait)];
    let loaded = match inst.effects.contains(Effects::LOAD) {
        true => named(&inst, true),
        false => Vec::new(),
    };
    let store = inst.format == Format::Ds
        && inst.effects.contains(Effects::LDS)
        && inst.effects.intersects(Effects::STORE);
    for index in wait + 1..block.end {
        if done(index) || younger(index) > 10 {
            return false;
        }
        let user: Inst<&Decoded> = function.insts.at(index);
        // A load of one half names the whole register as read and written.
        let partial = user.mnemonic().contains("d16") || inst.mnemonic().contains("d16");
        let half = |regs: &[Operand]| {
            regs.iter().any(|operand| {
                matches!(operand, Operand::Def(reg) | Operand::Use(reg) if reg.half.is_some())
            })
        };
        if !partial
            && !half(&user.operands)
            && named(&user, false).iter().any(|reg| loaded.contains(reg))
        {
            return true;
        }
        let barrier = user.mnemonic() == "s_barrier" || user.mnemonic() == "s_barrier_signal";
        if store && barrier && lds_follows(function, index) {
            return true;
        }
        // What overwrites the register ends the question.
        if named(&user, true).iter().any(|reg| loaded.contains(reg)) {
            return false;
        }
    }
    false
}

fn lds_follows(function: &Function, barrier: usize) -> bool {
    let block = &function.blocks[function.block_of(barrier)];
    let mut rest = (barrier + 1..block.end).map(|index| function.insts.at(index));
    rest.any(|inst| inst.format == Format::Ds && inst.effects.contains(Effects::LDS))
}

/// What came of taking waits out.
#[derive(Default, Debug)]
struct Score {
    deleted: usize,
    found: usize,
    protecting: usize,
    /// Those that protect something and were not found.
    missed: Vec<String>,
}

type Checker<'c> = &'c dyn Fn(&[u8]) -> Vec<Finding>;

/// Takes each wait out of the kernels for a target. `matters`: whether a wait is one, and has to be missed.
fn take_out(
    target: &str,
    bytes: &[u8],
    checker: Checker<'_>,
    is_site: &dyn Fn(&Decoded) -> bool,
    matters: &dyn Fn(&Function, usize, Family) -> bool,
) -> Score {
    let object = CodeObject::parse(bytes).unwrap();
    let module = Module::lift(&object).unwrap();
    let before = checker(bytes);
    assert!(before.is_empty(), "{target}: {before:#?}");
    let mut score = Score::default();
    for function in &module.functions {
        for index in 0..function.insts.len() {
            let inst = function.insts.at(index);
            if !is_site(&inst) || inst.size != 4 {
                continue;
            }
            let mut changed = bytes.to_vec();
            let at = position(&object, inst.pc);
            assert_eq!(changed[at..at + 4], inst.words[0].to_le_bytes());
            changed[at..at + 4].copy_from_slice(&NOP);
            let found = !checker(&changed).is_empty();
            let matters = matters(function, index, module.target.family);
            score.deleted += 1;
            score.found += usize::from(found);
            score.protecting += usize::from(matters);
            if matters && !found {
                let name = &function.name;
                score
                    .missed
                    .push(format!("{target} {name}+{:#x}", inst.pc - function.entry));
            }
        }
    }
    score
}

fn is_wait(inst: &Decoded) -> bool {
    inst.effects.contains(Effects::WAIT) && inst.mnemonic() != "s_wait_alu"
}

#[test]
fn waits_that_protect_something_are_missed() {
    let (mut protecting, mut missed) = (0, Vec::new());
    for target in TARGETS {
        let bytes = compile(target);
        let score = take_out(target, &bytes, &checker, &is_wait, &protects);
        let Score { deleted, found, .. } = score;
        eprintln!(
            "{target}: {found} of {deleted} deleted waits found, {} protect something in their block",
            score.protecting
        );
        assert!(score.protecting >= 20, "{target}: {score:?}");
        protecting += score.protecting;
        missed.extend(score.missed);
    }
    assert!(protecting > 300, "{protecting}");
    assert!(
        missed.is_empty(),
        "{} of {protecting}:\n{}",
        missed.len(),
        missed.join("\n")
    );
}

/// A checker that does not look at LDS, and one that does not look at registers, are told from one that does.
#[test]
fn a_checker_that_looks_away_fails() {
    let bytes = compile("gfx90a");
    let without = |kind: Kind| {
        move |bytes: &[u8]| {
            let mut found = checker(bytes);
            found.retain(|one| one.kind != kind);
            found
        }
    };
    for kind in [Kind::LdsBarrier, Kind::ReadEarly] {
        let score = take_out("gfx90a", &bytes, &without(kind), &is_wait, &protects);
        assert!(!score.missed.is_empty(), "{kind:?}: {score:?}");
    }
}

/// Whether the instruction behind a wait reads an SGPR or VCC. LLVM also waits before it reads `ttmp9`, which nothing writes.
fn scalars_follow(function: &Function, wait: usize, _: Family) -> bool {
    let next = function.insts.at(wait + 1);
    let scalar = |reg: &Reg| matches!(reg.kind, RegKind::Sgpr | RegKind::Vcc);
    let named = next
        .operands
        .iter()
        .any(|operand| matches!(operand, Operand::Use(reg) if scalar(reg)));
    named || next.implicit_uses.iter().any(scalar)
}

/// gfx12's compilers merge waits for scalar registers, so that each of them is needed by what comes next.
#[test]
fn waits_for_scalar_registers_are_missed() {
    let bytes = compile("gfx1200");
    let is_site = |inst: &Decoded| inst.mnemonic() == "s_wait_alu";
    let score = take_out("gfx1200", &bytes, &checker, &is_site, &scalars_follow);
    eprintln!(
        "{} of {} deleted s_wait_alu found",
        score.found, score.deleted
    );
    assert!(score.protecting > 30, "{score:?}");
    assert!(score.missed.is_empty(), "{:#?}", score.missed);
}
