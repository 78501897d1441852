//! Calls as clang emits them: known callees, recursion, function pointers.

use codeobj::CodeObject;
use compiled::Compiler;
use lift::{Callee, Function, FunctionKind, Leave, Module, Reason};

const SOURCE: &str = r#"
#define NOINLINE __attribute__((noinline))
static NOINLINE int leaf(int x) { return x * 7 + (x >> 3); }
static NOINLINE int middle(int x, int y) {
    int first = leaf(x);
    int second = leaf(y + first);
    return first * second + x;
}
static NOINLINE int recursive(int x) { return x < 2 ? x : recursive(x - 1) + leaf(recursive(x - 2)); }
static NOINLINE int triple(int x) { return x * 3; }
static NOINLINE int square(int x) { return x * x; }
typedef int (*pointer)(int);
__constant pointer table[2] = {triple, square};
__attribute__((amdgpu_kernel)) void direct(int *out) {
    unsigned i = __builtin_amdgcn_workitem_id_x();
    out[i] = middle(out[i], out[i + 1]) + leaf(out[i]);
}
__attribute__((amdgpu_kernel)) void recurse(int *out) {
    unsigned i = __builtin_amdgcn_workitem_id_x();
    out[i] = recursive(out[i]);
}
__attribute__((amdgpu_kernel)) void indirect(int *out, int which) {
    unsigned i = __builtin_amdgcn_workitem_id_x();
    out[i] = table[which & 1](out[i]);
}
static NOINLINE int halve(int x) { return x / 2; }
__attribute__((amdgpu_kernel)) void lone(int *out) { out[0] = 7; }
__attribute__((amdgpu_kernel)) void telling(void **where) { *where = (void *)lone; }
__attribute__((amdgpu_kernel)) void tell(pointer *where) { *where = halve; }
__attribute__((amdgpu_kernel)) void told(int *out, pointer *where) { out[0] = (*where)(out[0]); }
"#;

fn compile(target: &str) -> Vec<u8> {
    compile_source(target, &SOURCE.replace("__constant", "static const"))
}

fn compile_source(target: &str, text: &str) -> Vec<u8> {
    let work = tempfile::tempdir().unwrap();
    let (source, out) = (work.path().join("calls.c"), work.path().join("calls.co"));
    std::fs::write(&source, text).unwrap();
    let output = Compiler::new("clang-22")
        .args([
            "-x",
            "c",
            "--target=amdgcn-amd-amdhsa",
            "-nogpulib",
            "-w",
            "-O2",
            "-fno-optimize-sibling-calls",
        ])
        .arg(format!("-mcpu={target}"))
        .arg("-o")
        .args([&out, &source])
        .output()
        .expect("clang-22 is installed (./dev setup)");
    assert!(
        output.status.success(),
        "{target}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    std::fs::read(&out).unwrap()
}

fn called(module: &Module, function: &Function) -> Vec<String> {
    let calls = function.blocks.iter().filter_map(|block| block.call);
    calls
        .map(|callee| match callee {
            Callee::Known(callee) => module.functions[callee].name.clone(),
            Callee::Unknown => "?".to_owned(),
        })
        .collect()
}

#[test]
fn calls_of_compiled_code_are_resolved() {
    for target in [
        "gfx900", "gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1200",
    ] {
        let bytes = compile(target);
        let object = CodeObject::parse(&bytes).unwrap();
        let module = Module::lift(&object).unwrap();
        let function = |name: &str| &module.functions[module.function(name).unwrap()];
        assert_eq!(
            called(&module, function("direct")),
            ["middle", "leaf"],
            "{target}"
        );
        assert_eq!(
            called(&module, function("middle")),
            ["leaf", "leaf"],
            "{target}"
        );
        let mut recursion = called(&module, function("recursive"));
        recursion.dedup();
        assert!(
            recursion.contains(&"recursive".to_owned()) && !recursion.contains(&"?".to_owned()),
            "{target} {recursion:?}"
        );
        assert_eq!(called(&module, function("indirect")), ["?"], "{target}");

        for function in module
            .functions
            .iter()
            .filter(|function| function.kind == FunctionKind::Device)
        {
            let returns = function
                .blocks
                .iter()
                .filter(|block| block.reachable && *block.leaves == [Leave::Return])
                .count();
            assert!(returns >= 1, "{target}: {} does not return", function.name);
        }
        // Only the calls through pointers are unknown.
        let unresolved: Vec<_> = module
            .unresolved()
            .map(|(function, place)| (function.name.as_str(), place.reason))
            .collect();
        let through_pointers = ["indirect", "told"].map(|name| (name, Reason::IndirectCall));
        assert_eq!(unresolved, through_pointers, "{target}");
        let mut taken: Vec<&str> = module
            .address_taken()
            .map(|index| module.functions[index].name.as_str())
            .collect();
        taken.sort_unstable();
        assert_eq!(taken, ["halve", "lone", "square", "triple"], "{target}");
        assert!(
            module
                .named(module.function("indirect").unwrap())
                .calls_unknown
        );

        // A leaf uses few registers, and its caller's names include its own.
        let (direct, leaf) = (
            module.function("direct").unwrap(),
            module.function("leaf").unwrap(),
        );
        let mut both = module.named(direct).registers;
        assert!(!both.unite(&module.named(leaf).registers), "{target}");
        assert!(!module.named(direct).calls_unknown);
        // High registers are dead everywhere in `direct`, also across its calls.
        let function = &module.functions[direct];
        for inst in 0..function.insts.len() {
            let live = module.liveness(direct).live_before(function, inst);
            assert!(
                !live.registers().vectors.intersects_range(128, 128),
                "{target} {inst}"
            );
        }
    }
}

#[test]
fn a_pointer_may_come_from_another_kernel() {
    for target in ["gfx90a", "gfx1030"] {
        let bytes = compile(target);
        let object = CodeObject::parse(&bytes).unwrap();
        let told = Module::lift_kernel(&object, "told").unwrap();
        let halve = told.function("halve").unwrap();
        assert!(told.address_taken().any(|index| index == halve), "{target}");
        // A kernel that calls nothing by pointer needs no other kernel.
        let direct = Module::lift_kernel(&object, "direct").unwrap();
        assert!(direct.function("direct").is_some() && direct.function("tell").is_none());
        // Callers that share what all kernels need are told that one is not enough.
        assert!(!Module::lift_alone(&object, "told").unwrap().1);
        assert!(Module::lift_alone(&object, "direct").unwrap().1);
    }
}

/// Each function, by each of its instructions, as it is among all; and an address in no function takes none away.
#[test]
fn functions_around_addresses_are_those_of_the_whole_object() {
    let set = |addresses: &[u64]| addresses.iter().copied().collect();
    for target in ["gfx90a", "gfx1030", "gfx1201"] {
        let bytes = compile(target);
        let object = CodeObject::parse(&bytes).expect("reads");
        let whole = Module::lift(&object).expect("lifts");
        let kernels = |module: &Module| {
            let functions = module.functions.iter();
            functions
                .filter(|it| it.kind == FunctionKind::Kernel)
                .count()
        };
        let told = |function: &Function| {
            let insts: Vec<String> =
                (function.insts.iter().map(|inst| format!("{inst:?}"))).collect();
            (function.name.clone(), function.entry, insts)
        };
        for function in &whole.functions {
            for pc in function.insts.pcs(0..function.insts.len()) {
                let around = Module::lift_around(&object, &set(&[pc])).expect("lifts");
                let found = around.functions.iter().find(|it| it.inst_at(pc).is_some());
                assert_eq!(found.map(told), Some(told(function)), "{target} {pc:#x}");
                let one = usize::from(function.kind == FunctionKind::Kernel);
                assert_eq!(kernels(&around), one, "{target} {pc:#x}");
            }
        }
        let entries = ["direct", "indirect"].map(|name| {
            let index = whole.function(name).expect("a kernel of the source");
            whole.functions[index].entry
        });
        let both = Module::lift_around(&object, &set(&entries)).expect("lifts");
        assert_eq!(kernels(&both), 2, "{target}");
        for elsewhere in [0, entries[0] + 1, u64::MAX] {
            let all = Module::lift_around(&object, &set(&[entries[0], elsewhere])).expect("lifts");
            assert_eq!(kernels(&all), kernels(&whole), "{target} {elsewhere:#x}");
        }
    }
}

/// The closure of `source` is `middle` and `leaf`, and every function that something points to, never a kernel.
#[test]
fn closures() {
    for target in ["gfx90a", "gfx1100"] {
        let bytes = compile(target);
        let object = CodeObject::parse(&bytes).expect("reads");
        let module = Module::lift(&object).expect("lifts");
        let closure = |kernel: &str| {
            let kernel = module.function(kernel).expect("a kernel of the source");
            let all = module.closure(kernel);
            assert_eq!(all[0], kernel, "itself first");
            let mut names: Vec<&str> = all[1..]
                .iter()
                .map(|index| module.functions[*index].name.as_str())
                .collect();
            names.sort_unstable();
            names.join(" ")
        };
        assert_eq!(closure("direct"), "leaf middle", "{target}");
        assert_eq!(closure("recurse"), "leaf recursive", "{target}");
        assert_eq!(closure("lone"), "", "{target}");
        assert_eq!(closure("indirect"), "halve square triple", "{target}");
        assert_eq!(closure("told"), "halve square triple", "{target}");
    }
}

/// Kernels for other processors are compiled to nothing, and so start where the next one does.
#[test]
fn kernels_without_an_instruction_hide_no_other() {
    const SOURCE: &str = r#"
#define KERNEL __attribute__((amdgpu_kernel)) void
KERNEL first(int *out) { __builtin_unreachable(); }
KERNEL second(int *out) { __builtin_unreachable(); }
KERNEL real(int *out) { out[0] = 7; }
KERNEL third(int *out) { __builtin_unreachable(); }
KERNEL other(int *out) { out[0] = 9; }
"#;
    for target in ["gfx90a", "gfx1030", "gfx1201"] {
        let bytes = compile_source(target, SOURCE);
        let object = CodeObject::parse(&bytes).expect("reads");
        let sizes = |name: &str| {
            let kernel = object.kernel(name).expect("a kernel of the source");
            (kernel.entry, kernel.code_size)
        };
        assert_eq!((sizes("first").1, sizes("third").1), (0, 0), "{target}");
        assert_eq!(sizes("second").0, sizes("real").0, "{target}");
        let module = Module::lift(&object).expect("lifts");
        let mut names: Vec<&str> = (module.functions.iter())
            .map(|function| function.name.as_str())
            .collect();
        names.sort_unstable();
        assert_eq!(names, ["other", "real"], "{target}");
        for name in ["real", "other"] {
            let alone = Module::lift_kernel(&object, name).expect("lifts");
            for module in [&module, &alone] {
                let kernel = module.function(name).expect("lifted");
                assert_eq!(module.functions[kernel].size, sizes(name).1, "{target}");
                assert_eq!(module.closure(kernel), [kernel], "{target}");
            }
        }
    }
}

/// Bytes between a function without a size and the next one lead nowhere.
#[test]
fn what_fills_the_room_to_the_next_function_calls_nothing() {
    let code = |text: &str| {
        let target = gfx::Target::find("gfx90a").expect("a target");
        let assembler = isa::Assembler::new(target).expect("LLVM knows it");
        assembler.assemble(text).expect("assembles")
    };
    let text = code("s_endpgm\ns_nop 0\ns_nop 0\ns_endpgm\n");
    let seed = |name: &str, entry| lift::FunctionSeed {
        name: name.to_owned(),
        kind: FunctionKind::Kernel,
        entry,
        size: 0,
        wave_size: None,
    };
    let program = lift::Program {
        target: gfx::Target::find("gfx90a").expect("a target"),
        code: vec![(0, &text)],
        functions: vec![seed("one", 0), seed("two", 12)],
        pointers: Default::default(),
    };
    let module = Module::of_program(&program, lift::Options::default()).expect("lifts");
    let one = module.function("one").expect("lifted");
    assert_eq!(module.functions[one].insts.len(), 3);
    assert_eq!(module.closure(one), [one]);
}
