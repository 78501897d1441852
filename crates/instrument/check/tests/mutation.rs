//! Waits are taken out of compiled kernels, one at a time: those that protect a register or LDS have to be missed.
//!
//! Walks along single paths decide which waits protect something. They know nothing of the checker: they name operations by the
//! registers in their operands and keep them in a queue. If a walk meets an operation without the wait, and not with it, the wait
//! protects it. Waits for stores to memory, for caches and at the ends of functions protect neither.

use check::{Finding, Kind, Selection, Suppressions, Tally};
use codeobj::CodeObject;
use compiled::Compiler;
use gfx::Family;
use isa::{Decoded, Effects, Format, Operand, Reg, RegKind};
use lift::{Counter, Function, Kind as Order, Module, awaited, raised};

const TARGETS: [&str; 8] = [
    "gfx900", "gfx908", "gfx90a", "gfx942", "gfx1010", "gfx1030", "gfx1100", "gfx1200",
];
/// `s_nop 0`.
const NOP: [u8; 4] = [0, 0, 0x80, 0xbf];

/// Ways to compile: each makes other code of the same kernels.
const WAYS: [&[&str]; 6] = [
    &["-O2"],
    &["-O1"],
    &["-O3"],
    &[
        "-O3",
        "-mllvm",
        "-unroll-threshold=2000",
        "-mllvm",
        "-unroll-runtime",
    ],
    &[
        "-O2",
        "-mllvm",
        "-amdgpu-early-inline-all",
        "-fno-unroll-loops",
        "-mllvm",
        "-enable-post-misched=0",
    ],
    &["-Os", "-mllvm", "-enable-misched=0"],
];

fn compile(target: &str, way: &[&str]) -> Vec<u8> {
    let work = tempfile::tempdir().unwrap();
    let out = work.path().join("kernels.co");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kernels.cl");
    let output = Compiler::new("clang-22")
        .args(["-x", "cl", "-cl-std=CL2.0", "-nogpulib"])
        .args(way)
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

/// The checker's findings in one function of an object, or in all.
fn checker(bytes: &[u8], function: Option<&str>) -> Vec<Finding> {
    let object = CodeObject::parse(bytes).unwrap();
    let selection = Selection {
        possible: true,
        limit: usize::MAX,
    };
    let mut tally = Tally::new(selection, Suppressions::default());
    let selects = |name: &str| function.is_none_or(|function| function == name);
    let options = check::Options { selects: &selects };
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

/// An operation on its way, as a walk sees it.
#[derive(Clone)]
struct OnItsWay {
    counter: Counter,
    order: Order,
    loads: Vec<(RegKind, u16)>,
    stores_to_lds: bool,
}

impl OnItsWay {
    fn counts_down_in_order(&self) -> bool {
        !matches!(
            self.order,
            Order::Gds | Order::Flat | Order::Scalar | Order::Message
        )
    }
}

/// The operations that are outstanding along one path: a queue for each counter, counted by hand.
#[derive(Default)]
struct Walk {
    queue: Vec<OnItsWay>,
    /// A barrier was passed while a store to LDS was on its way.
    lds_is_stale: bool,
}

impl Walk {
    fn wait(&mut self, counter: Counter, left: u32) {
        let mut younger: Vec<(Order, u32)> = Vec::new();
        let mut kept = Vec::new();
        while let Some(one) = self.queue.pop() {
            if one.counter != counter {
                kept.push(one);
                continue;
            }
            let known = younger.iter_mut().find(|(order, _)| *order == one.order);
            let behind = match known {
                Some((_, count)) => {
                    *count += 1;
                    *count - 1
                }
                None => {
                    younger.push((one.order, 1));
                    0
                }
            };
            if left != 0 && !(one.counts_down_in_order() && behind >= left) {
                kept.push(one);
            }
        }
        kept.reverse();
        self.queue = kept;
    }

    /// Returns `true` if the instruction reads what is on its way, or LDS behind a barrier that a store to it had not reached.
    fn step(&mut self, step: &Step, family: Family, is_taken_out: bool) -> bool {
        if !is_taken_out {
            for &(counter, left) in &step.awaited {
                self.wait(counter, left);
            }
        }
        if step.uses_lds && self.lds_is_stale {
            return true;
        }
        let meets = |one: &OnItsWay| step.reads.iter().any(|reg| one.loads.contains(reg));
        if !step.is_partial && self.queue.iter().any(meets) {
            return true;
        }
        // An instruction that overwrites a register ends the question for it.
        for one in &mut self.queue {
            one.loads.retain(|reg| !step.writes.contains(reg));
        }
        if step.is_barrier {
            self.lds_is_stale = self.queue.iter().any(|one| one.stores_to_lds);
        }
        for &(counter, order) in &step.raised {
            self.queue.push(OnItsWay {
                counter,
                order,
                loads: step.loads.clone(),
                stores_to_lds: step.stores_to_lds && counter != Counter::Export,
            });
            // A counter that is full stops the wave.
            self.wait(counter, counter.capacity(family));
        }
        false
    }
}

/// An instruction as a walk needs it. Walks come by thousands of times.
struct Step {
    awaited: Vec<(Counter, u32)>,
    raised: Vec<(Counter, Order)>,
    reads: Vec<(RegKind, u16)>,
    writes: Vec<(RegKind, u16)>,
    /// The registers that it loads into.
    loads: Vec<(RegKind, u16)>,
    /// A load of one half names the whole register as read and written.
    is_partial: bool,
    uses_lds: bool,
    stores_to_lds: bool,
    is_barrier: bool,
}

impl Step {
    fn of(inst: &Decoded, family: Family) -> Step {
        let half = |operand: &Operand| matches!(operand, Operand::Def(reg) | Operand::Use(reg) if reg.half.is_some());
        let is_partial = inst.mnemonic().contains("d16") || inst.operands.iter().any(half);
        let writes = named(inst, true);
        let loads = match inst.effects.contains(Effects::LOAD) && !is_partial {
            true => writes.clone(),
            false => Vec::new(),
        };
        let uses_lds = inst.format == Format::Ds && inst.effects.contains(Effects::LDS);
        Step {
            awaited: awaited(inst, family).to_vec(),
            raised: raised(inst, family).to_vec(),
            reads: named(inst, false),
            writes,
            loads,
            is_partial,
            uses_lds,
            stores_to_lds: uses_lds && inst.effects.intersects(Effects::STORE),
            is_barrier: matches!(inst.mnemonic(), "s_barrier" | "s_barrier_signal"),
        }
    }
}

/// A function with the steps of its instructions.
struct Code<'f> {
    function: &'f Function,
    family: Family,
    steps: Vec<Step>,
}

impl Code<'_> {
    fn of(function: &Function, family: Family) -> Code<'_> {
        let insts = (0..function.insts.len()).map(|index| function.insts.at(index));
        let steps = insts.map(|inst| Step::of(&inst, family)).collect();
        Code {
            function,
            family,
            steps,
        }
    }
}

/// Numbers that look random and are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

/// Paths that are tried for one wait, and blocks on either side of it.
const PATHS: usize = 200;
const BLOCKS: usize = 12;

/// Returns `true` if some path through the wait reads a register, or LDS, too early without it, and not with it. Paths are drawn at
/// random and walked with nothing on its way at their start, so that what they show is so, and they may miss something.
fn protects(code: &Code<'_>, wait: usize) -> bool {
    let function = code.function;
    let mut numbers = Numbers(wait as u64);
    let own = function.block_of(wait);
    (0..PATHS).any(|_| {
        let mut path = vec![own];
        while path.len() < BLOCKS {
            let before = &function.blocks[path[0]].predecessors;
            if before.is_empty() || function.blocks[path[0]].entered {
                break;
            }
            let block = before[numbers.below(before.len())];
            if function.blocks[block].call.is_some() {
                break;
            }
            path.insert(0, block);
        }
        let through = path.len() - 1;
        while path.len() < through + BLOCKS {
            let block = &function.blocks[path[path.len() - 1]];
            if block.successors.is_empty() || block.call.is_some() {
                break;
            }
            path.push(block.successors[numbers.below(block.successors.len())].to);
        }
        let is_wrong = |without: bool| {
            let mut walk = Walk::default();
            let insts = path
                .iter()
                .flat_map(|block| function.blocks[*block].range());
            insts
                .into_iter()
                .any(|index| walk.step(&code.steps[index], code.family, without && index == wait))
        };
        is_wrong(true) && !is_wrong(false)
    })
}

/// Results of taking waits out.
#[derive(Default, Debug)]
struct Score {
    deleted: usize,
    found: usize,
    protecting: usize,
    /// Waits that protect something and were not found.
    missed: Vec<String>,
}

type Checker<'c> = &'c dyn Fn(&[u8], Option<&str>) -> Vec<Finding>;

/// Takes each wait out of the kernels for a target. `matters`: whether a wait is one, and has to be missed.
fn take_out(
    target: &str,
    bytes: &[u8],
    checker: Checker<'_>,
    is_site: &dyn Fn(&Decoded) -> bool,
    matters: &dyn Fn(&Code<'_>, usize) -> bool,
) -> Score {
    let object = CodeObject::parse(bytes).unwrap();
    let module = Module::lift(&object).unwrap();
    let before = checker(bytes, None);
    assert!(before.is_empty(), "{target}: {before:#?}");
    let mut score = Score::default();
    for function in &module.functions {
        let code = Code::of(function, module.target.family);
        for index in 0..function.insts.len() {
            let inst = function.insts.at(index);
            if !is_site(&inst) || inst.size != 4 {
                continue;
            }
            let mut changed = bytes.to_vec();
            let at = position(&object, inst.pc);
            assert_eq!(changed[at..at + 4], inst.words[0].to_le_bytes());
            changed[at..at + 4].copy_from_slice(&NOP);
            let found = !checker(&changed, Some(&function.name)).is_empty();
            let matters = matters(&code, index);
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

/// Waits that are judged for each target.
const JUDGED: usize = 500;

#[test]
fn waits_that_protect_something_are_missed() {
    let (mut all, mut missed) = (0, Vec::new());
    for target in TARGETS {
        let (mut deleted, mut found, mut protecting) = (0, 0, 0);
        for way in WAYS {
            let score = take_out(target, &compile(target, way), &checker, &is_wait, &protects);
            deleted += score.deleted;
            found += score.found;
            protecting += score.protecting;
            missed.extend(score.missed);
        }
        eprintln!(
            "{target}: {found} of {deleted} deleted waits found, {protecting} protect something"
        );
        assert!(deleted >= JUDGED, "{target}: {deleted}");
        assert!(
            protecting * 2 >= deleted,
            "{target}: {protecting} of {deleted}"
        );
        all += protecting;
    }
    assert!(
        missed.len() * 100 <= all,
        "{} of {all}:\n{}",
        missed.len(),
        missed.join("\n")
    );
}

/// A checker that does not look at LDS, and one that does not look at registers, are told from one that does.
#[test]
fn a_checker_that_looks_away_fails() {
    let bytes = compile("gfx90a", WAYS[0]);
    let without = |kind: Kind| {
        move |bytes: &[u8], function: Option<&str>| {
            let mut found = checker(bytes, function);
            found.retain(|one| one.kind != kind);
            found
        }
    };
    for kind in [Kind::LdsBarrier, Kind::ReadEarly] {
        let score = take_out("gfx90a", &bytes, &without(kind), &is_wait, &protects);
        assert!(!score.missed.is_empty(), "{kind:?}: {score:?}");
    }
}

/// Returns `true` if the instruction behind a wait reads an SGPR or VCC. LLVM also waits before it reads `ttmp9`, which nothing writes.
fn scalars_follow(code: &Code<'_>, wait: usize) -> bool {
    let next = code.function.insts.at(wait + 1);
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
    let (mut protecting, mut missed) = (0, Vec::new());
    for way in WAYS {
        let bytes = compile("gfx1200", way);
        let is_site = |inst: &Decoded| inst.mnemonic() == "s_wait_alu";
        let score = take_out("gfx1200", &bytes, &checker, &is_site, &scalars_follow);
        eprintln!(
            "{} of {} deleted s_wait_alu found",
            score.found, score.deleted
        );
        protecting += score.protecting;
        missed.extend(score.missed);
    }
    assert!(protecting >= JUDGED, "{protecting}");
    assert!(missed.len() * 100 <= protecting, "{missed:#?}");
}

/// Returns `true` if the wait is for the scalar unit or for what memory instructions read, or the vector unit reads the first scalar register
/// behind it. A register that the vector unit writes and the scalar unit reads needs no wait, as LLVM's description of the hazard says, although
/// it inserts one.
fn is_read_by_vectors(code: &Code<'_>, wait: usize) -> bool {
    let function = code.function;
    let block = &function.blocks[function.block_of(wait)];
    let mut behind = (wait + 1..block.end).map(|index| function.insts.at(index));
    let scalar = |reg: &Reg| matches!(reg.kind, RegKind::Sgpr | RegKind::Vcc);
    let reads = |inst: &Decoded| {
        let mut operands = inst.operands.iter();
        operands.any(|operand| matches!(operand, Operand::Use(reg) if scalar(reg)))
            || inst.implicit_uses.iter().any(scalar)
    };
    // A wait of the same kind that comes before what was written is read does as well.
    let written = named(&function.insts.at(wait - 1), true);
    let next = behind.clone().find(|inst| {
        inst.mnemonic() == "s_waitcnt_depctr"
            || named(inst, false).iter().any(|reg| written.contains(reg))
    });
    let own = function.insts.at(wait).words[0];
    if next.is_some_and(|next| next.words[0] == own) {
        return false;
    }
    let first = behind.find(|inst| reads(inst));
    const FOR_SCALARS_OR_SOURCES: [u32; 2] = [1, 0b11100];
    let fields = function.insts.at(wait).words[0];
    let waits = FOR_SCALARS_OR_SOURCES
        .iter()
        .any(|field| fields & field == 0);
    waits || first.is_some_and(|inst| inst.effects.contains(Effects::VALU))
}

/// gfx10.1 and 64-lane waves of gfx11 have hazards that only `s_waitcnt_depctr` ends. Compilers insert it where they find
/// the hazard, and nowhere else.
#[test]
fn waits_for_internal_counters_are_missed() {
    for (target, lanes) in [
        ("gfx1010", "-mno-wavefrontsize64"),
        ("gfx1100", "-mwavefrontsize64"),
    ] {
        let (mut deleted, mut missed) = (0, Vec::new());
        for way in WAYS {
            let bytes = compile(target, &[way, &[lanes]].concat());
            // A wait with `va_vdst` alone is for partial forwarding, which is not checked.
            let is_site = |inst: &Decoded| {
                inst.mnemonic() == "s_waitcnt_depctr" && inst.words[0] & 0xfff != 0xfff
            };
            let score = take_out(target, &bytes, &checker, &is_site, &is_read_by_vectors);
            deleted += score.protecting;
            missed.extend(score.missed);
        }
        eprintln!("{target}: {} of {deleted} not found", missed.len());
        assert!(deleted >= 20, "{target}: {deleted}");
        assert!(missed.len() * 100 <= deleted, "{target}: {missed:#?}");
    }
}
