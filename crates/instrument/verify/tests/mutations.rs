//! The strength of the tests: each mutation of right code must be noticed.

use crate::common::{Tool, compile, launches, plan_each};
use codeobj::CodeObject;
use isa::{Assembler, Decoder};
use lift::Module;
use rewrite::Rewritten;

const TARGET: &str = "gfx90a";

struct Bench {
    bytes: Vec<u8>,
    tool: Tool,
}

impl Bench {
    fn new() -> Bench {
        Bench {
            bytes: compile(TARGET),
            tool: Tool::build(TARGET),
        }
    }

    /// Returns `true` if `collatz` still does what it did, and is counted exactly.
    fn holds(
        &self,
        plan: impl Fn(&mut rewrite::Plan<'_>),
        mutate: impl Fn(&mut Rewritten),
    ) -> bool {
        let object = CodeObject::parse(&self.bytes).expect("clang's output");
        let module = Module::lift(&object).expect("lifts");
        let launch = launches()
            .into_iter()
            .find(|launch| launch.kernel == "collatz")
            .expect("is there");
        let kernel = module.function("collatz").expect("compiled");
        let before = verify::run(&self.bytes, &launch, &[]).expect("the original runs");
        let mut wanted = plan_each(&module, kernel, &self.tool);
        plan(&mut wanted);
        let mut rewritten =
            rewrite::rewrite(&object, &module, kernel, &wanted).expect("is rewritten");
        mutate(&mut rewritten);
        let bytes = rewrite::static_object(&[rewritten], &object, &self.tool.bundle.globals)
            .expect("writes");
        match verify::run(&bytes, &launch, &[("total", 8)]) {
            Ok(after) => {
                let total =
                    u64::from_le_bytes(after.variables[0].clone().try_into().expect("8 bytes"));
                after.buffers == before.buffers && total == before.wave_instructions
            }
            Err(_) => false,
        }
    }
}

#[test]
fn nothing_mutated_holds() {
    assert!(Bench::new().holds(|_| (), |_| ()));
}

/// EXEC is put back behind every hook; leaving it out even once where lanes have left is noticed.
#[test]
fn a_missing_restore_is_noticed() {
    let bench = Bench::new();
    let target = gfx::Target::find(TARGET).expect("a known target");
    let decoder = Decoder::new(target).expect("a decoder");
    let nop = Assembler::new(target)
        .expect("an assembler")
        .assemble("s_nop 0")
        .expect("assembles");
    let noticed = (0..6)
        .filter(|skip| {
            !bench.holds(
                |_| (),
                |rewritten| {
                    let insts: Vec<_> = decoder
                        .decode_all(&rewritten.text, 0)
                        .filter_map(Result::ok)
                        .collect();
                    let restores = insts.iter().filter(|inst| {
                        let text = decoder.print(inst);
                        text.trim_start().starts_with("s_mov_b64 exec, s[")
                    });
                    let chosen = restores
                        .map(|inst| inst.pc as usize)
                        .nth(12 + skip * 5)
                        .expect("there are many");
                    rewritten.text[chosen..chosen + 4].copy_from_slice(&nop);
                },
            )
        })
        .count();
    assert_eq!(noticed, 6);
}

/// A template that does not keep SCC, in the place of one that does.
#[test]
fn a_wrong_fact_about_liveness_is_noticed() {
    let bench = Bench::new();
    assert!(!bench.holds(
        |plan| {
            for hook in &mut plan.hooks {
                let (_, _, careless) = *hook
                    .templates
                    .iter()
                    .find(|row| !row.0 && !row.1)
                    .expect("built");
                let lost = hook::Clobbers::SCC | hook::Clobbers::VCC;
                assert!(careless.clobbers.contains(lost), "{:?}", careless.clobbers);
                hook.templates = vec![(true, true, careless)];
            }
        },
        |_| (),
    ));
}
