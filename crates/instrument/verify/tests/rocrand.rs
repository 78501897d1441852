//! Every kernel of rocRAND, for every target it is built for, with a hook at every instruction: laid out without a refusal,
//! without a hazard, and with waits for all that is loaded.

use crate::common::{Tool, hazards, plan_blocks, plan_each, plan_sum};
use codeobj::CodeObject;
use lift::{FunctionKind, Module};

const LIBRARY: &str = "/usr/lib/x86_64-linux-gnu/librocrand.so.1";

#[test]
fn all_kernels_of_rocrand_are_rewritten() {
    let bytes = std::fs::read(LIBRARY)
        .unwrap_or_else(|_| panic!("{LIBRARY} is missing; install librocrand1 or run ./dev setup"));
    let (mut kernels, mut sites) = (0, 0);
    for entry in codeobj::walk(&bytes).expect("reads").code_objects() {
        let Ok(object) = CodeObject::parse(&entry.bytes) else {
            continue;
        };
        let target = object.target().target.name;
        let tool = Tool::build(target);
        let module = Module::lift(&object).expect("lifts");
        for (index, function) in module.functions.iter().enumerate() {
            if function.kind != FunctionKind::Kernel {
                continue;
            }
            kernels += 1;
            let plans = [
                plan_each(&module, index, &tool),
                plan_sum(&module, index, &tool),
                plan_blocks(&module, index).0,
            ];
            for (number, plan) in plans.iter().enumerate() {
                let rewritten = rewrite::rewrite(&object, &module, index, plan)
                    .unwrap_or_else(|refusal| panic!("{target} {}: {refusal}", function.name));
                sites += rewritten.report.sites;
                // Looking for hazards takes longer than all the rest: a sample.
                if (kernels + number) % 16 == 0 {
                    let found = hazards(&rewritten, &module);
                    assert!(found.is_empty(), "{target} {}: {}", function.name, found[0]);
                }
            }
        }
    }
    println!("{kernels} kernels, {sites} sites, none refused");
    assert!(kernels > 400 && sites > 250_000, "{kernels} {sites}");
}
