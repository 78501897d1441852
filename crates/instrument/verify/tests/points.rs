//! Before, behind and between: where insertions run; and changes of the application's own code.

use crate::common::{Tool, compile, launches, plan_blocks};
use codeobj::CodeObject;
use isa::Assembler;
use lift::Module;
use rewrite::{Action, Change, ChangeAt, Insertion, Lanes, Plan, Point, Value};
use verify::{Launch, Outcome};

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
        .position(|inst| inst.mnemonic.starts_with("global_store"))
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
