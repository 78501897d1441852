//! In device functions, too, what is live for the calls that a wave is in stays the same before every instruction, and nothing
//! else has to.

use crate::common::{compile, compile_file, launch, launches};
use codeobj::CodeObject;
use isa::{Assembler, Operand, Reg, RegKind};
use lift::Module;
use rewrite::{Change, ChangeAt, Plan, Point};
use verify::{Difference, Input, Launch, Verdict, lockstep};

const TARGET: &str = "gfx90a";
const RUBBISH: u32 = 0x5a5a_1234;

struct Bench<'a> {
    object: CodeObject<'a>,
    module: Module,
    assembler: Assembler,
}

impl<'a> Bench<'a> {
    fn new(bytes: &'a [u8]) -> Bench<'a> {
        let object = CodeObject::parse(bytes).expect("clang's output");
        let module = Module::lift(&object).expect("lifts");
        let assembler = Assembler::new(module.target).expect("has one");
        Bench {
            object,
            module,
            assembler,
        }
    }

    fn function(&self, name: &str) -> usize {
        self.module.function(name).expect("compiled")
    }

    /// The verdict on the launch when a register is overwritten before an instruction.
    fn overwritten(&self, launch: &Launch, function: usize, inst: usize, reg: Reg) -> Verdict {
        let text = match reg.kind {
            RegKind::Vgpr => format!("v_mov_b32 v{}, {RUBBISH:#x}", reg.index),
            _ => format!("s_mov_b32 s{}, {RUBBISH:#x}", reg.index),
        };
        let plan = Plan {
            changes: vec![ChangeAt {
                function,
                inst,
                change: Change::Add {
                    point: Point::Before,
                    bytes: self.assembler.assemble(&text).expect("valid"),
                },
            }],
            ..Plan::default()
        };
        self.changed(launch, &plan)
    }

    /// The verdict on the launch with these changes.
    fn changed(&self, launch: &Launch, plan: &Plan<'_>) -> Verdict {
        let kernel = self.function(&launch.kernel);
        let rewritten =
            rewrite::rewrite(&self.object, &self.module, kernel, plan).expect("rewrites");
        lockstep(&self.object, &self.module, &rewritten, &[], launch).expect("runs")
    }
}

fn vgpr(index: u16) -> Reg {
    Reg {
        kind: RegKind::Vgpr,
        index,
        width: 1,
        half: None,
    }
}

/// Overwrites what an instruction is about to read, for every instruction of a function; how many times that was noticed there
/// and then, and where it made no difference.
fn every_read(bench: &Bench<'_>, launch: &Launch, name: &str) -> (usize, Vec<u64>) {
    let index = bench.function(name);
    let function = &bench.module.functions[index];
    let (mut noticed, mut unseen) = (0, Vec::new());
    for inst in 0..function.insts.len() {
        let at = function.insts.at(inst);
        let mut operands = at.operands.iter();
        let read = operands.find_map(|operand| match operand {
            // Not the return address and the stack, without which all is lost.
            Operand::Use(reg) if reg.kind == RegKind::Vgpr => Some(*reg),
            Operand::Use(reg) if reg.kind == RegKind::Sgpr && reg.index < 30 => Some(*reg),
            _ => None,
        });
        // The lanes that it leaves alone may be dead.
        let Some(reg) = read.filter(|_| at.mnemonic() != "v_writelane_b32") else {
            continue;
        };
        match bench.overwritten(launch, index, inst, reg) {
            Verdict::Same { .. } => unseen.push(at.pc),
            Verdict::Diverged(divergence) => {
                let place = divergence.place.as_ref().expect("has a place");
                assert_eq!(place.pc, at.pc, "{name}: {divergence}");
                let Difference::Register { instrumented, .. } = divergence.what else {
                    panic!("{name}: {divergence}")
                };
                assert_eq!(instrumented, RUBBISH, "{name}: {divergence}");
                noticed += 1;
            }
            other => panic!("{name}: {other:?}"),
        }
    }
    (noticed, unseen)
}

#[test]
fn whatever_is_overwritten_before_it_is_read_is_named_at_once() {
    let bytes = compile(TARGET);
    let bench = Bench::new(&bytes);
    let launches = launches();
    // Called, called by what is called, by itself, and through a pointer.
    for (kernel, function) in [
        ("calls", "middle"),
        ("calls", "leaf"),
        ("recurse", "recursive"),
        ("recurse", "leaf"),
        ("indirect", "square"),
        ("indirect", "leaf"),
        ("indirect", "flip"),
    ] {
        let mut launches = launches.iter();
        let launch = launches.find(|launch| launch.kernel == kernel);
        // Not all lanes, so that there are some for which functions save what they use of the whole wave.
        let launch = Launch {
            block: [40, 1, 1],
            ..launch.expect("is there").clone()
        };
        let (noticed, unseen) = every_read(&bench, &launch, function);
        assert!(
            noticed > 0 && unseen.is_empty(),
            "{kernel} {function}: {unseen:x?}, {noticed} others"
        );
    }
}

fn numbers(kernel: &str) -> Launch {
    let zeros = Input::words([0; 128]);
    let values = Input::words((0..128).map(|value| value * 3));
    launch(kernel, vec![zeros, values, Input::number(5)])
}

/// As a mistake that this launch has no use for, so that memory does not show it.
#[test]
fn what_no_result_shows_is_noticed_where_it_happens() {
    let bytes = compile_file("functions.c", TARGET, &[]);
    let bench = Bench::new(&bytes);
    let function = bench.function("unlikely");
    let insts = &bench.module.functions[function].insts;
    // The second argument.
    let verdict = bench.overwritten(&numbers("careless"), function, 0, vgpr(1));
    let Verdict::Diverged(divergence) = verdict else {
        panic!("not noticed: {verdict:?}")
    };
    let place = divergence.place.as_ref().expect("has one");
    // `verify` does not look at the wait in front.
    assert!(place.pc <= insts.pc(1), "{divergence}");
}

/// A register that one caller has in use and the other has not: only for the first it counts inside of the function.
#[test]
fn what_a_caller_left_dead_may_be_anything() {
    let bytes = compile_file("functions.c", TARGET, &[]);
    let bench = Bench::new(&bytes);
    let module = &bench.module;
    let called = bench.function("leaf");
    let in_function = module.liveness(called).live_in(0);
    let call = |kernel: &str| {
        let index = bench.function(kernel);
        let function = &module.functions[index];
        let mut blocks = function.blocks.iter();
        let block = blocks.find(|block| block.call.is_some()).expect("it calls");
        let inst = block.end - 1;
        (
            index,
            inst,
            module.liveness(index).live_before(function, inst),
        )
    };
    let (keeps, at_keeps, live_in_keeps) = call("keeps");
    let (forgets, at_forgets, live_in_forgets) = call("forgets");
    let registers = (0..64).map(vgpr);
    let mut registers = registers.filter(|&reg| {
        in_function.is_live(reg) && live_in_keeps.is_live(reg) && !live_in_forgets.is_live(reg)
    });
    let reg = registers.next().expect("there is such a register");
    let verdict = bench.overwritten(&numbers("forgets"), forgets, at_forgets, reg);
    assert!(matches!(verdict, Verdict::Same { .. }), "{verdict:?}");
    let verdict = bench.overwritten(&numbers("keeps"), keeps, at_keeps, reg);
    assert!(matches!(verdict, Verdict::Diverged(_)), "{verdict:?}");
    let verdict = bench.overwritten(&numbers("keeps"), called, 1, reg);
    let Verdict::Diverged(divergence) = verdict else {
        panic!("not noticed: {verdict:?}")
    };
    let place = divergence.place.as_ref().expect("has one");
    assert_eq!(
        place.pc,
        module.functions[called].insts.pc(1),
        "{divergence}"
    );
}

/// `verify` knows half of a return address even without the other half: where it comes back from memory as part of an earlier call,
/// and where the kernel copied it.
#[test]
fn return_addresses_in_halves_are_known() {
    for (target, kernel, called) in [
        ("gfx90a", "lanes_off", "outer"),
        ("gfx1030", "lanes_off", "outer"),
        ("gfx90a", "halves", "half"),
        ("gfx1030", "halves", "half"),
    ] {
        let bytes = compile_file("functions.c", target, &[]);
        let bench = Bench::new(&bytes);
        let plan = Plan {
            changes: vec![ChangeAt {
                function: bench.function(called),
                inst: 0,
                change: Change::Add {
                    point: Point::Before,
                    bytes: bench.assembler.assemble("s_nop 0").expect("valid"),
                },
            }],
            ..Plan::default()
        };
        let verdict = bench.changed(&numbers(kernel), &plan);
        let same = matches!(verdict, Verdict::Same { stopped: None, .. });
        assert!(same, "{target} {kernel}: {verdict:?}");
    }
}

/// Where a function returns to stays behind in memory: another address below tools, and the same place.
#[test]
fn return_addresses_may_lie_in_memory() {
    for target in ["gfx90a", "gfx942", "gfx1030", "gfx1100"] {
        let bytes = compile_file("functions.c", target, &[]);
        let bench = Bench::new(&bytes);
        let kernel = bench.function("stacked");
        let called = bench.function("remembers");
        let change = |text: &str| Plan {
            changes: vec![ChangeAt {
                function: called,
                inst: 0,
                change: Change::Add {
                    point: Point::Before,
                    bytes: bench.assembler.assemble(text).expect("valid"),
                },
            }],
            ..Plan::default()
        };
        let plan = change("s_nop 0");
        let rewritten = rewrite::rewrite(&bench.object, &bench.module, kernel, &plan);
        let rewritten = rewritten.expect("rewrites");
        let mut moved = rewritten.pairs(&bench.module);
        assert!(moved.any(|pair| pair.old != pair.new));
        let verdict = bench.changed(&numbers("stacked"), &plan);
        let same = matches!(verdict, Verdict::Same { stopped: None, .. });
        assert!(same, "{target}: {verdict:?}");
    }
}
