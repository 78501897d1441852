//! Before, behind and between: where insertions run; and changes of the application's own code.

use crate::common::{Tool, compile, launches, plan_blocks, plan_each};
use codeobj::CodeObject;
use isa::{Assembler, Reg, RegKind};
use lift::Module;
use rewrite::{Action, Change, ChangeAt, Insertion, Lanes, Plan, Point, Refusal, Value};
use verify::{Input, Launch, Outcome};

const TARGETS: [&str; 4] = ["gfx90a", "gfx1030", "gfx1100", "gfx1201"];

fn word(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(bytes.try_into().expect("8 bytes"))
}

fn count(function: usize, inst: usize, point: Point) -> Insertion {
    Insertion {
        function,
        inst,
        point,
        action: Action::Call {
            hook: 0,
            arguments: vec![("parameter:0".to_owned(), Value::Constant(1))],
            lanes: Lanes::First,
        },
    }
}

struct Case<'a> {
    object: &'a CodeObject<'a>,
    module: &'a Module,
    tool: &'a Tool,
    launch: &'a Launch,
    before: Outcome,
}

impl Case<'_> {
    fn run(&self, plan: &Plan<'_>, variable: (&str, usize)) -> Outcome {
        let kernel = self.module.function(&self.launch.kernel).expect("compiled");
        let rewritten = rewrite::rewrite(self.object, self.module, kernel, plan)
            .unwrap_or_else(|refusal| panic!("{}: {refusal}", self.launch.kernel));
        let bytes = rewrite::static_object(&[rewritten], self.object, &self.tool.bundle.globals)
            .expect("writes");
        let after = verify::run(&bytes, self.launch, &[variable])
            .unwrap_or_else(|error| panic!("{}: {error}", self.launch.kernel));
        assert_eq!(after.buffers, self.before.buffers, "{}", self.launch.kernel);
        after
    }

    fn total(&self, insertions: Vec<Insertion>) -> u64 {
        let plan = Plan {
            hooks: vec![self.tool.hook("count")],
            insertions,
            ..Plan::default()
        };
        word(&self.run(&plan, ("total", 8)).variables[0])
    }
}

#[test]
fn points_are_passed_as_often_as_control_flow_says() {
    for target in TARGETS {
        let bytes = compile(target);
        let object = CodeObject::parse(&bytes).expect("clang's output");
        let module = Module::lift(&object).expect("lifts");
        let tool = Tool::build(target);
        for launch in launches() {
            let kernel = module.function(&launch.kernel).expect("compiled");
            let function = &module.functions[kernel];
            if function.blocks.iter().any(|block| block.call.is_some()) {
                continue;
            }
            let case = Case {
                object: &object,
                module: &module,
                tool: &tool,
                launch: &launch,
                before: verify::run(&bytes, &launch, &[]).expect("the original runs"),
            };
            let (plan, lengths) = plan_blocks(&module, kernel);
            let outcome = case.run(&plan, ("blocks", lengths.len() * 8));
            let blocks: Vec<u64> = outcome.variables[0].chunks_exact(8).map(word).collect();
            let executed: u64 = blocks.iter().sum();

            let name = &launch.kernel;
            let edges = function.blocks.iter().flat_map(|block| {
                let edges = block.successors.iter();
                edges.map(move |edge| count(kernel, block.end - 1, Point::Edge(edge.to)))
            });
            let waves = u64::from(launch.grid[0]) * u64::from(64 / function.wave_size);
            assert_eq!(
                case.total(edges.collect()) + waves,
                executed,
                "{target} {name}"
            );

            let inner = function.blocks.iter().flat_map(|block| {
                (block.first..block.end - 1).map(|inst| count(kernel, inst, Point::After))
            });
            let expected = case.before.wave_instructions - executed;
            assert_eq!(case.total(inner.collect()), expected, "{target} {name}");

            let behind = function
                .blocks
                .iter()
                .map(|block| count(kernel, block.end - 1, Point::After));
            let falls = function
                .blocks
                .iter()
                .enumerate()
                .flat_map(|(number, block)| {
                    let edges = block
                        .successors
                        .iter()
                        .filter(move |edge| edge.to == number + 1);
                    edges.map(move |edge| count(kernel, block.end - 1, Point::Edge(edge.to)))
                });
            assert_eq!(
                case.total(behind.collect()),
                case.total(falls.collect()),
                "{target} {name}"
            );
        }
    }
}

#[test]
fn instructions_can_be_added_replaced_and_removed() {
    let bytes = compile("gfx90a");
    let object = CodeObject::parse(&bytes).expect("clang's output");
    let module = Module::lift(&object).expect("lifts");
    let kernel = module.function("scale").expect("compiled");
    let function = &module.functions[kernel];
    let launch = launches()
        .into_iter()
        .find(|launch| launch.kernel == "scale")
        .expect("is there");
    let before = verify::run(&bytes, &launch, &[]).expect("the original runs");
    let store = function
        .insts
        .iter()
        .position(|inst| inst.mnemonic().starts_with("global_store"))
        .expect("stores");
    let target = gfx::Target::find("gfx90a").expect("a known target");
    let assembler = Assembler::new(target).expect("an assembler");
    // The stored value's register.
    let data = function.insts.at(store).words[1] >> 8 & 0xff;
    let change = |change| {
        let plan = Plan {
            changes: vec![ChangeAt {
                function: kernel,
                inst: store,
                change,
            }],
            ..Plan::default()
        };
        let rewritten = rewrite::rewrite(&object, &module, kernel, &plan).expect("is rewritten");
        let changed = rewrite::static_object(&[rewritten], &object, &[]).expect("writes");
        verify::run(&changed, &launch, &[]).expect("runs").buffers
    };
    let assemble = |text: String| assembler.assemble(&text).expect("assembles");
    let one_more = change(Change::Add {
        point: Point::Before,
        bytes: assemble(format!("v_add_u32 v{data}, 1, v{data}")),
    });
    for (lane, (old, new)) in before.buffers[0]
        .chunks_exact(4)
        .zip(one_more[0].chunks_exact(4))
        .enumerate()
    {
        let number = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().expect("4 bytes"));
        let expected = number(old).wrapping_add(u32::from(lane < 100));
        assert_eq!(number(new), expected, "lane {lane}");
    }
    let verify::Input::Buffer(untouched) = &launch.inputs[0] else {
        panic!("the first argument is a buffer");
    };
    assert_eq!(&change(Change::Remove)[0], untouched);
    assert_eq!(
        &change(Change::Replace(assemble("s_nop 0".to_owned())))[0],
        untouched
    );
}

/// Kernel `scale` of a target, with what the tests below ask of it.
struct Scale<'a> {
    object: &'a CodeObject<'a>,
    module: &'a Module,
    launch: Launch,
    kernel: usize,
    store: usize,
    /// The stored value's register.
    data: u32,
    assembler: Assembler,
}

impl<'a> Scale<'a> {
    fn new(object: &'a CodeObject<'a>, module: &'a Module, target: &str) -> Scale<'a> {
        let kernel = module.function("scale").expect("compiled");
        let function = &module.functions[kernel];
        let mut insts = function.insts.iter();
        let store = insts.position(|inst| inst.mnemonic().starts_with("global_store"));
        let store = store.expect("stores");
        let words = function.insts.at(store).words;
        // (Since gfx12 in the second word from another bit on.)
        let data = match target.starts_with("gfx12") {
            true => words[1] >> 23,
            false => words[1] >> 8,
        };
        let launch = launches().into_iter();
        let target = gfx::Target::find(target).expect("a known target");
        Scale {
            object,
            module,
            launch: launch
                .into_iter()
                .find(|launch| launch.kernel == "scale")
                .expect("is there"),
            kernel,
            store,
            data: data & 0xff,
            assembler: Assembler::new(target).expect("an assembler"),
        }
    }

    fn code(&self, text: &str) -> Vec<u8> {
        let text = text.replace("DATA", &format!("v{}", self.data));
        self.assembler
            .assemble(&text)
            .unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    fn at(&self, inst: usize, change: Change) -> ChangeAt {
        ChangeAt {
            function: self.kernel,
            inst,
            change,
        }
    }

    fn add(&self, inst: usize, text: &str) -> ChangeAt {
        let (point, bytes) = (Point::Before, self.code(text));
        self.at(inst, Change::Add { point, bytes })
    }

    fn replace(&self, inst: usize, text: &str) -> ChangeAt {
        self.at(inst, Change::Replace(self.code(text)))
    }

    fn end(&self) -> usize {
        let mut insts = self.module.functions[self.kernel].insts.iter();
        insts
            .position(|inst| inst.mnemonic() == "s_endpgm")
            .expect("ends")
    }

    fn rewrite(&self, plan: &Plan<'_>) -> Result<rewrite::Rewritten, Refusal> {
        rewrite::rewrite(self.object, self.module, self.kernel, plan)
    }

    fn refusal(&self, changes: Vec<ChangeAt>) -> String {
        let plan = Plan {
            changes,
            ..Plan::default()
        };
        match self.rewrite(&plan) {
            Ok(rewritten) => panic!("{:?}", rewritten.report),
            Err(refusal) => refusal.to_string(),
        }
    }
}

/// Inserted code names registers that the kernel does not have, and hooks at every instruction in between leave them alone.
#[test]
fn the_kernel_gets_registers_that_new_code_names() {
    for target in TARGETS {
        let bytes = compile(target);
        let object = CodeObject::parse(&bytes).expect("clang's output");
        let module = Module::lift(&object).expect("lifts");
        let scale = Scale::new(&object, &module, target);
        let tool = Tool::build(target);
        for (first, second) in [
            ("v_mov_b32 v90, 7", "v_mov_b32 DATA, v90"),
            ("s_mov_b32 s90, 7", "v_mov_b32 DATA, s90"),
            ("s_mov_b32 m0, 7", "v_mov_b32 DATA, m0"),
            (
                "s_mov_b32 s90, 7\ns_cmp_eq_u32 s90, 7",
                "s_cselect_b32 s91, 7, 0\nv_mov_b32 DATA, s91",
            ),
        ] {
            let entry = scale.add(0, first);
            let last = scale.add(scale.store, second);
            // (For SCC no comparison of the kernel's own is to be between them.)
            let at = if first.contains("s_cmp") {
                scale.store - 1
            } else {
                0
            };
            let entry = ChangeAt { inst: at, ..entry };
            let mut plan = plan_each(&module, scale.kernel, &tool);
            plan.changes = vec![entry, last];
            let rewritten = scale
                .rewrite(&plan)
                .unwrap_or_else(|refusal| panic!("{target}: {refusal}"));
            let report = rewritten.report.clone();
            if first.contains("v90") {
                assert!((91..=104).contains(&report.vgprs.1), "{target}: {report:?}");
            }
            if first.contains("s90") && target == "gfx90a" {
                assert!(report.sgprs.1 >= 97, "{target}: {report:?}");
            }
            let changed = rewrite::static_object(&[rewritten], &object, &tool.bundle.globals)
                .expect("writes");
            let outcome = verify::run(&changed, &scale.launch, &[])
                .unwrap_or_else(|error| panic!("{target} {first}: {error}"));
            for (lane, bytes) in outcome.buffers[0].chunks_exact(4).take(100).enumerate() {
                assert_eq!(bytes, 7u32.to_le_bytes(), "{target} {first}: lane {lane}");
            }
        }
    }
}

/// A kernel of gfx90a may have workgroups of 1,024 here, so that a wave has at most 128 registers of both kinds.
#[test]
fn new_code_is_checked_like_the_kernels_own() {
    let bytes = compile("gfx90a");
    let object = CodeObject::parse(&bytes).expect("clang's output");
    let module = Module::lift(&object).expect("lifts");
    let scale = Scale::new(&object, &module, "gfx90a");
    let (store, end) = (scale.store, scale.end());
    for (changes, told) in [
        (
            vec![scale.at(end, Change::Remove)],
            "has to end with s_endpgm",
        ),
        (
            vec![scale.replace(end, "s_nop 0")],
            "has to end with s_endpgm",
        ),
        (
            vec![scale.add(store, "s_branch 9")],
            "s_branch leaves the text",
        ),
        (
            vec![scale.add(store, "s_cbranch_scc1 65533")],
            "s_cbranch_scc1 leaves the text",
        ),
        (
            vec![scale.add(store, "s_setpc_b64 s[0:1]")],
            "where s_setpc_b64 jumps to",
        ),
        (
            vec![scale.add(store, "s_swappc_b64 s[30:31], s[0:1]")],
            "where s_swappc_b64 jumps to",
        ),
        (
            vec![scale.add(store, ".long 0xffffffff")],
            "no code of the kernel's target",
        ),
        (
            vec![scale.add(store, "v_mov_b32 v128, 0")],
            "it has at most 128",
        ),
        (
            vec![scale.add(store, "v_accvgpr_write_b32 a124, v0")],
            "it has at most 128",
        ),
        (
            vec![
                scale.replace(store, "s_nop 0"),
                scale.replace(store, "s_nop 1"),
            ],
            "two changes take its place",
        ),
        (
            vec![scale.at(
                store,
                Change::Add {
                    point: Point::Edge(1),
                    bytes: scale.code("s_nop 0"),
                },
            )],
            "not on the way to a block",
        ),
    ] {
        let said = scale.refusal(changes);
        assert!(said.contains(told), "{told}: {said}");
    }
    // The largest that there can be, of either kind.
    for text in ["v_mov_b32 v123, 0", "v_accvgpr_write_b32 a119, v0"] {
        let plan = Plan {
            changes: vec![scale.add(store, text)],
            ..Plan::default()
        };
        let rewritten = scale.rewrite(&plan).expect("fits");
        assert_eq!(rewritten.report.vgprs.1, 128, "{text}");
        let changed = rewrite::static_object(&[rewritten], &object, &[]).expect("writes");
        let launch = Launch {
            block: [1024, 1, 1],
            ..scale.launch.clone()
        };
        verify::run(&changed, &launch, &[]).expect("fits the device");
    }
}

/// Branches within new code, and an end of the program in it: counters get to memory all the same.
#[test]
fn new_code_may_branch_and_end() {
    let bytes = compile("gfx90a");
    let object = CodeObject::parse(&bytes).expect("clang's output");
    let module = Module::lift(&object).expect("lifts");
    let scale = Scale::new(&object, &module, "gfx90a");
    let tool = Tool::build("gfx90a");
    let run = |plan: &Plan<'_>| {
        let rewritten = scale.rewrite(plan).expect("is rewritten");
        let changed =
            rewrite::static_object(&[rewritten], &object, &tool.bundle.globals).expect("writes");
        let outcome = verify::run(&changed, &scale.launch, &[("total", 8)]).expect("runs");
        (outcome.buffers, word(&outcome.variables[0]))
    };
    let before = verify::run(&bytes, &scale.launch, &[]).expect("runs");
    let counts = crate::common::plan_sum(&module, scale.kernel, &tool);
    let (buffers, executed) = run(&counts);
    assert_eq!(
        (&buffers, executed),
        (&before.buffers, before.wave_instructions)
    );
    let around = "s_cmp_eq_u32 s0, s0\ns_cbranch_scc1 over\nv_mov_b32 DATA, 0\nover:\n";
    let with = |changes| Plan {
        changes,
        ..counts.clone()
    };
    assert_eq!(
        run(&with(vec![scale.add(scale.store, around)])),
        (before.buffers.clone(), executed)
    );
    // Just before the program ends, something of it is read once more, which counters must not have overwritten.
    let again = vec![
        scale.add(0, "v_mov_b32 v40, 0"),
        scale.add(scale.store, "v_mov_b32 v40, DATA\nv_mov_b32 DATA, 0"),
        scale.replace(scale.end(), "v_mov_b32 v41, v40\ns_endpgm"),
    ];
    assert_eq!(run(&with(again)).1, executed);
    // All waves end at the store.
    let function = &module.functions[scale.kernel];
    let behind = function.insts.len() - scale.store;
    let (buffers, counted) = run(&with(vec![scale.replace(scale.store, "s_endpgm")]));
    let Input::Buffer(untouched) = &scale.launch.inputs[0] else {
        panic!("the first argument is a buffer");
    };
    assert_eq!(&buffers[0], untouched);
    // A block's instructions count as soon as it is entered, so no fewer are counted.
    assert!(
        counted <= executed && counted + 4 * behind as u64 >= executed,
        "{counted} of {executed}"
    );
}

/// Registers that the kernel does not have, by whatever way they are asked for.
#[test]
fn hooks_cannot_have_registers_that_are_not_there() {
    let bytes = compile("gfx90a");
    let object = CodeObject::parse(&bytes).expect("clang's output");
    let module = Module::lift(&object).expect("lifts");
    let scale = Scale::new(&object, &module, "gfx90a");
    let tool = Tool::build("gfx90a");
    let kernels = rewrite::Kernels::all(&object).expect("reads");
    let (vgprs, agprs, sgprs) = {
        let descriptor = object.kernel("scale").expect("is there").descriptor;
        let all = descriptor.vgpr_count();
        let vgprs = descriptor
            .accum_offset()
            .map_or(all, |offset| offset.min(all));
        (
            vgprs as u16,
            (all - vgprs) as u16,
            descriptor.sgpr_count() as u16,
        )
    };
    let plan = |kind, index, changes: Vec<ChangeAt>| {
        let reg = Reg {
            kind,
            index,
            width: 1,
            half: None,
        };
        let mut plan = Plan {
            hooks: vec![tool.hook("count")],
            insertions: vec![count(scale.kernel, scale.store, Point::Before)],
            changes,
            ..Plan::default()
        };
        if let Action::Call { arguments, .. } = &mut plan.insertions[0].action {
            arguments[0].1 = Value::Register(reg);
        }
        plan
    };
    for (kind, there, absent) in [
        (
            RegKind::Vgpr,
            0..vgprs,
            vec![vgprs, 20, 90, 255, 256, 400, 600, u16::MAX],
        ),
        (
            RegKind::Sgpr,
            0..sgprs - 6,
            vec![
                sgprs,
                101,
                102,
                104,
                106,
                108,
                124,
                128,
                255,
                256,
                300,
                u16::MAX,
            ],
        ),
        (RegKind::Agpr, 0..agprs, vec![agprs, 20, 255, 256, 600]),
    ] {
        for index in there {
            let found = rewrite::absent_registers(
                &kernels,
                &module,
                scale.kernel,
                &plan(kind, index, Vec::new()),
            );
            assert_eq!(found, Ok(Vec::new()), "{kind:?} {index}");
        }
        for index in absent {
            let plan = plan(kind, index, Vec::new());
            let found =
                rewrite::absent_registers(&kernels, &module, scale.kernel, &plan).expect("looks");
            let [(0, refusal)] = &found[..] else {
                panic!("{kind:?} {index}: {found:?}")
            };
            assert!(
                refusal.to_string().contains("the kernel has no "),
                "{refusal}"
            );
            assert_eq!(
                scale.rewrite(&plan).err().as_ref(),
                Some(refusal),
                "{kind:?} {index}"
            );
        }
    }
    // The registers that new code names are there.
    let named = plan(RegKind::Vgpr, 90, vec![scale.add(0, "v_mov_b32 v90, 1")]);
    assert_eq!(
        rewrite::absent_registers(&kernels, &module, scale.kernel, &named),
        Ok(Vec::new())
    );
}
