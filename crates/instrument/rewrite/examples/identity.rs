//! Prints a hash of everything that rewriting makes of code objects, one line per object and plan: what two builds print is
//! equal if they rewrite alike. The hooks are those of built tools.
//!
//! `cargo run --release -p rewrite --example identity -- TOOLS FILE...`, with the folder of the `.tool` files; each file is a
//! code object or holds some. `--most N`: kernels of an object at most; `--write FOLDER`: the text of each kernel goes there.

use codeobj::CodeObject;
use isa::{Reg, RegKind};
use lift::{Function, FunctionIndex, FunctionKind, InstIndex, Module};
use rewrite::{
    Accumulator, Action, CounterArray, HookVariants, Insertion, Kernels, Lanes, MemoryAccess, Plan,
    Point, Rewritten, Value,
};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use template::{Bundle, Port, RegisterFile};

/// Kernels of one object that are rewritten at most, if nothing else is said.
const MOST_KERNELS: usize = 12;
/// Places that a plan loses to refusals at most, before the refusal is what counts.
const MOST_LEFT_OUT: usize = 40;

fn main() {
    let (mut most, mut folder, mut paths) = (MOST_KERNELS, None, Vec::new());
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--most" => {
                let number = arguments.next().and_then(|number| number.parse().ok());
                most = number.expect("--most N");
            }
            "--write" => folder = arguments.next().map(PathBuf::from),
            _ => paths.push(argument),
        }
    }
    let (tools, files) = paths.split_first().expect("TOOLS FILE...");
    let bundles = bundles(Path::new(tools));
    for file in files {
        let bytes = std::fs::read(file).unwrap_or_else(|error| panic!("{file}: {error}"));
        let found = match codeobj::walk(&bytes) {
            Ok(found) => found,
            // Some programs have no code for a GPU.
            Err(error) => {
                println!("{file}: {error}");
                continue;
            }
        };
        for (number, entry) in found.code_objects().enumerate() {
            let Ok(object) = CodeObject::parse(&entry.bytes) else {
                continue;
            };
            let name = Path::new(file).file_name().unwrap_or_default();
            let name = format!("{}-{number}", name.display());
            print_object(&name, &object, &bundles, most, folder.as_deref());
        }
    }
}

fn bundles(folder: &Path) -> Vec<Bundle> {
    let files = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{error}"));
    let mut paths: Vec<_> = files.flatten().map(|file| file.path()).collect();
    paths.sort();
    let read = |path: &PathBuf| {
        let bytes = std::fs::read(path).expect("reads");
        Bundle::from_bytes(&bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    let tools = paths.iter().filter(|path| path.extension().is_some());
    tools.map(read).collect()
}

fn print_object(
    name: &str,
    object: &CodeObject<'_>,
    bundles: &[Bundle],
    most: usize,
    folder: Option<&Path>,
) {
    let target = object.target().target;
    let Ok(module) = Module::lift(object) else {
        println!("{name} {} does not lift", target.name);
        return;
    };
    let kernels = Kernels::all(object).expect("reads");
    let of_kernels = module.functions.iter().enumerate();
    let of_kernels = of_kernels.filter(|(_, function)| function.kind == FunctionKind::Kernel);
    let chosen: Vec<_> = of_kernels.take(most).collect();
    for (plan_name, plan_of) in PLANS {
        let (mut hash, mut sites, mut refused) = (Sha256::new(), 0, 0);
        let mut done = Vec::new();
        for (index, function) in &chosen {
            let hooks = hooks(bundles, target.name, function.wave_size);
            if hooks.is_empty() {
                continue;
            }
            let mut plan = plan_of(&module, *index, &hooks);
            match attempt(&kernels, &module, *index, &mut plan) {
                Ok((rewritten, reasons)) => {
                    hash.update(reasons);
                    sites += rewritten.report.sites;
                    add(&mut hash, &rewritten);
                    if let Some(folder) = folder {
                        let path = folder.join(format!("{name}-{plan_name}-{index}"));
                        std::fs::write(path, &rewritten.text).expect("a folder to write to");
                    }
                    done.push(rewritten);
                }
                Err(refusal) => {
                    if std::env::var_os("WHY").is_some() {
                        eprintln!("{}", &refusal[..refusal.len().min(300)]);
                    }
                    refused += 1;
                    hash.update(&refusal);
                }
            }
        }
        let fixed = rewrite::static_object(&done, object, &[]);
        hash.update(fixed.unwrap_or_else(|refusal| refusal.to_string().into_bytes()));
        for rewritten in &done {
            let live = rewrite::live_object_of(&kernels, rewritten, object).expect("a live object");
            hash.update(format!("{:?}", live.1));
            hash.update(live.0);
        }
        let hash: String = hash.finalize()[..8]
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let count = chosen.len();
        println!(
            "{name} {} {plan_name} kernels {count} refused {refused} sites {sites} {hash}",
            target.name
        );
    }
}

fn add(hash: &mut Sha256, rewritten: &Rewritten) {
    hash.update(&rewritten.text);
    let rest = (
        &rewritten.kernel,
        rewritten.entry,
        &rewritten.functions,
        &rewritten.relocations,
        &rewritten.pcs,
        &rewritten.report,
    );
    hash.update(format!("{rest:?}"));
}

/// Without the places that cannot take their hooks, of which the reasons are kept.
fn attempt(
    kernels: &Kernels,
    module: &Module,
    kernel: FunctionIndex,
    plan: &mut Plan<'_>,
) -> Result<(Rewritten, String), String> {
    let mut reasons = String::new();
    for _ in 0..MOST_LEFT_OUT {
        let refusal = match rewrite::rewrite_of(kernels, module, kernel, plan) {
            Ok(rewritten) => return Ok((rewritten, reasons)),
            Err(refusal) => refusal,
        };
        reasons += &refusal.to_string();
        let Some(pc) = refusal.place() else {
            return Err(reasons);
        };
        let functions = &module.functions;
        let before = plan.insertions.len();
        plan.insertions.retain(|insertion| {
            let inst = functions[insertion.function].insts.pc(insertion.inst);
            inst != pc
        });
        if plan.insertions.len() == before {
            return Err(reasons);
        }
    }
    Err(reasons)
}

fn hooks<'t>(bundles: &'t [Bundle], target: &str, wave_size: u8) -> Vec<HookVariants<'t>> {
    let mut hooks = Vec::new();
    for bundle in bundles {
        let names = bundle.entries.iter().map(|entry| entry.hook.as_str());
        let names: BTreeSet<&str> = names.collect();
        let known = names
            .iter()
            .filter_map(|name| HookVariants::find(bundle, name, target, wave_size));
        hooks.extend(known);
    }
    hooks
}

type PlanOf = for<'t> fn(&Module, FunctionIndex, &[HookVariants<'t>]) -> Plan<'t>;

const PLANS: &[(&str, PlanOf)] = &[
    ("light-hooks-before-in-lane-0", light_before),
    ("all-hooks-after", all_after),
    ("all-hooks-of-blocks", all_of_blocks),
    ("edges", edges),
    ("memory", memory),
    ("counters", counters),
    ("accumulators", accumulators),
];

/// All functions of the object that kernels may reach are places.
fn reached(module: &Module, kernel: FunctionIndex) -> Vec<FunctionIndex> {
    let mut found = vec![kernel];
    let mut at = 0;
    while at < found.len() {
        let callees = module.callees(found[at]);
        let new: Vec<_> = (callees.into_iter())
            .filter(|callee| !found.contains(callee))
            .collect();
        found.extend(new);
        at += 1;
    }
    found
}

fn value(port: &Port, seed: usize, globals: &mut Vec<String>) -> Value {
    let width = port.dwords.len();
    let register = |kind, index: usize| {
        Value::Register(Reg {
            kind,
            index: index as u16,
            width: width as u8,
            half: None,
        })
    };
    if port.name == "parameter:0" && width == 2 && seed.is_multiple_of(3) {
        if globals.is_empty() {
            globals.push("counters".to_owned());
        }
        let addend = 8 * (seed % 100) as u32;
        return Value::ToolAddress { global: 0, addend };
    }
    match (seed % 5, port.file, width) {
        (0, RegisterFile::Vgpr, _) => register(RegKind::Vgpr, seed % 7),
        (1, RegisterFile::Sgpr, 1) => register(RegKind::Sgpr, seed % 9),
        (2, RegisterFile::Sgpr, 2) => register(RegKind::Sgpr, (seed % 6) & !1),
        (3, RegisterFile::Vgpr, 1) => register(RegKind::Sgpr, seed % 4),
        (4, RegisterFile::Vgpr, 1) => Value::Supplied(tool_abi::HookValue::Exec),
        _ => Value::Constant(seed as u64 * 0x1_0000_0807),
    }
}

/// Ports that only instructions with an address have values for; the others give them constants.
const ACCESS: &[&str] = &["effective_address", "access_size", "access_kind"];

fn call(
    plan: &mut Plan<'_>,
    hook: usize,
    seed: usize,
    (function, inst, point): (FunctionIndex, InstIndex, Point),
    lanes: Lanes,
) {
    let mut arguments: Vec<(String, Value)> = Vec::new();
    let accesses = lanes == Lanes::Active && point == Point::Before;
    for (_, _, template) in plan.hooks[hook].templates.clone() {
        for port in &template.ports {
            let known = arguments.iter().any(|(name, _)| *name == port.name);
            if ACCESS.contains(&&*port.name) && !known && !accesses {
                arguments.push((port.name.clone(), Value::Constant(seed as u64)));
            }
            if port.name.starts_with("parameter:") && !known {
                let value = value(port, seed + arguments.len(), &mut plan.globals);
                arguments.push((port.name.clone(), value));
            }
        }
    }
    plan.insertions.push(Insertion {
        function,
        inst,
        point,
        action: Action::Call {
            hook,
            arguments,
            lanes,
        },
    });
}

/// Bytes of a hook that is put at every instruction.
const LIGHT: usize = 160;

fn light<'t>(hooks: &[HookVariants<'t>]) -> Plan<'t> {
    let small = |hook: &&HookVariants<'_>| hook.templates[0].2.code.len() < LIGHT;
    Plan {
        hooks: hooks.iter().filter(small).cloned().collect(),
        ..Plan::default()
    }
}

fn with_all<'t>(hooks: &[HookVariants<'t>]) -> Plan<'t> {
    Plan {
        hooks: hooks.to_vec(),
        ..Plan::default()
    }
}

fn light_before<'t>(
    module: &Module,
    kernel: FunctionIndex,
    hooks: &[HookVariants<'t>],
) -> Plan<'t> {
    let mut plan = light(hooks);
    for function in reached(module, kernel) {
        for inst in 0..module.functions[function].insts.len() {
            let hook = inst / 3 % plan.hooks.len();
            let place = (function, inst, Point::Before);
            call(&mut plan, hook, inst, place, Lanes::First);
        }
    }
    plan
}

fn all_after<'t>(module: &Module, kernel: FunctionIndex, hooks: &[HookVariants<'t>]) -> Plan<'t> {
    let mut plan = with_all(hooks);
    for function in reached(module, kernel) {
        for inst in (0..module.functions[function].insts.len()).step_by(3) {
            let hook = inst / 3 % plan.hooks.len();
            let place = (function, inst, Point::After);
            let lanes = [Lanes::Active, Lanes::First][inst / 21 % 2];
            call(&mut plan, hook, inst, place, lanes);
        }
    }
    plan
}

fn all_of_blocks<'t>(
    module: &Module,
    kernel: FunctionIndex,
    hooks: &[HookVariants<'t>],
) -> Plan<'t> {
    let mut plan = with_all(hooks);
    for function in reached(module, kernel) {
        for (number, block) in module.functions[function].blocks.iter().enumerate() {
            let hook = number % plan.hooks.len();
            let inst = [block.first, block.end - 1][number / 2 % 2];
            let place = (function, inst, Point::After);
            call(&mut plan, hook, number, place, Lanes::Active);
        }
    }
    plan
}

fn edges<'t>(module: &Module, kernel: FunctionIndex, hooks: &[HookVariants<'t>]) -> Plan<'t> {
    let mut plan = light(hooks);
    for function in reached(module, kernel) {
        for (number, block) in module.functions[function].blocks.iter().enumerate() {
            for edge in &block.successors {
                let hook = number % plan.hooks.len();
                let place = (function, block.end - 1, Point::Edge(edge.to));
                call(&mut plan, hook, number, place, Lanes::First);
            }
        }
    }
    plan
}

fn memory<'t>(module: &Module, kernel: FunctionIndex, hooks: &[HookVariants<'t>]) -> Plan<'t> {
    let mut plan = with_all(hooks);
    let chosen = |hook: &HookVariants<'_>| {
        let mut ports = hook.templates[0].2.ports.iter();
        ports.any(|port| port.name == "effective_address")
    };
    plan.hooks.retain(chosen);
    if plan.hooks.is_empty() {
        return plan;
    }
    let touches = |function: &Function, inst: InstIndex| {
        let access = MemoryAccess::decode(&function.insts.at(inst), module.target.family);
        access.is_some_and(|access| access.address.is_some())
    };
    for function in reached(module, kernel) {
        for inst in 0..module.functions[function].insts.len() {
            if touches(&module.functions[function], inst) {
                let hook = inst % plan.hooks.len();
                let place = (function, inst, Point::Before);
                call(&mut plan, hook, inst, place, Lanes::Active);
            }
        }
    }
    plan
}

fn counters<'t>(module: &Module, kernel: FunctionIndex, _: &[HookVariants<'t>]) -> Plan<'t> {
    let mut plan = Plan {
        globals: vec!["blocks".to_owned()],
        ..Plan::default()
    };
    let mut index = 0;
    for function in reached(module, kernel) {
        for block in &module.functions[function].blocks {
            plan.insertions.push(Insertion {
                function,
                inst: block.first,
                point: Point::Before,
                action: Action::Count {
                    array: 0,
                    index,
                    amount: 1 + (index % 3) as u32,
                },
            });
            index += 1;
        }
    }
    plan.counters.push(CounterArray {
        global: 0,
        length: index,
    });
    plan
}

fn accumulators<'t>(
    module: &Module,
    kernel: FunctionIndex,
    hooks: &[HookVariants<'t>],
) -> Plan<'t> {
    let mut plan = with_all(hooks);
    let flush = plan
        .hooks
        .iter()
        .position(|hook| hook.name.ends_with("flush"));
    let Some(flush) = flush else {
        return plan;
    };
    plan.globals.push("sum".to_owned());
    let address = Value::ToolAddress {
        global: 0,
        addend: 16,
    };
    plan.accumulators.push(Accumulator {
        flush,
        arguments: vec![("parameter:2".to_owned(), address)],
    });
    for function in reached(module, kernel) {
        for block in &module.functions[function].blocks {
            plan.insertions.push(Insertion {
                function,
                inst: block.end - 1,
                point: Point::After,
                action: Action::Accumulate {
                    slot: 0,
                    amount: block.len() as u32,
                },
            });
        }
    }
    plan
}
