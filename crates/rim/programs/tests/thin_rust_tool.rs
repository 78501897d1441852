//! A tool in Rust that has nothing of Luthier but the table of functions, as `luthier tool new --rust` writes it.

use crate::stock;

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use crate::stock::Scene;
use programs::Bounded;

/// Uses what the crate has.
const WIDE: &str = r#"
use luthier_tool::{
    Argument, Copied, HookValue, Launch, Operand, Register, Result, Tool, counted, load_module, managed, option, report, report_json,
    set_variable, variable,
};

#[derive(Default)]
struct Wide;

impl Tool for Wide {
    const COPIES: bool = true;

    fn copied(&self, copied: &Copied) -> Result<()> {
        let Copied { number, bytes, from, to, enqueued, time } = copied;
        let by = enqueued.as_ref().map(|by| by.thread == std::process::id() && by.nanoseconds != 0);
        let ordered = time.map(|(start, end)| start < end);
        report(&format!("copy {number}: {bytes} {from:?} {to:?} {by:?} {ordered:?}"))
    }

    fn begin(&self) -> Result<()> {
        set_variable("waves", 100u64)
    }

    fn launch(&self, launch: &Launch<'_>) -> Result<()> {
        match &*option("mischief")? {
            "panic" => panic!("mischief"),
            "module" => return load_module("/nothing.so").map(|_| ()),
            _ => {}
        }
        if launch.is_instrumented("wide")? {
            return Ok(());
        }
        let (kernel, instructions) = (launch.kernel()?, launch.instructions()?);
        let named = |name: &str| instructions.iter().find(|at| at.mnemonic == name).expect(name);
        let (first, store, end) = (&instructions[0], named("global_store_dword"), named("s_endpgm"));
        let function = launch.functions()?.remove(0);
        let by = launch.enqueued()?.map(|by| (by.thread == std::process::id(), by.thread_name.is_empty(), by.nanoseconds != 0));
        report(&format!("by {by:?}"))?;
        report(&format!("{} {} {} {:?}", kernel.target, kernel.wave_size, function.demangled, launch.grid()))?;
        let parameter = launch.parameters()?.remove(0);
        let pointer: u64 = launch.argument(&parameter)?;
        let uses = |operand: &Operand| matches!(operand, Operand::Use { kind: Register::Vgpr, .. });
        let (reads, blocks) = (launch.operands(store)?.iter().any(uses), launch.blocks()?.len());
        report(&format!("{} {} {}", pointer != 0 && parameter.is_pointer, reads, blocks == kernel.blocks))?;
        launch.before(first).call("wave", &[Argument::Variable("waves".to_owned())])?;
        launch.before(store).call("lane", &[HookValue::EffectiveAddress.into()])?;
        launch.before(end).count(0, 2)?.count(1, 1)?;
        launch.run_instrumented("wide")
    }

    fn end(&self) -> Result<()> {
        let lanes = managed::<u32>("lanes")?;
        // SAFETY: the variable's memory.
        let lanes = unsafe { lanes.read_volatile() };
        report(&format!("waves {}, lanes {lanes}", variable::<u64>("waves")?))?;
        for kernel in counted()? {
            report(&format!("{} {:?}", kernel.launches, kernel.counters))?;
        }
        report_json("{\"lanes\": 1}")
    }
}

luthier_tool::tool!(Wide, "own-counter.tool");
"#;

const WIDE_HOOKS: &str = r#"
#include <luthier.h>
__device__ luthier_u64 waves;
__managed__ luthier_u32 lanes = 0;
extern "C" __device__ void wave(luthier_u64 *counter) { luthier::count_wave(counter, 1); }
LUTHIER_EXPORT_FUNC(wave)
extern "C" __device__ void lane(luthier_u64 address) { if (address != 0) atomicAdd(&lanes, 1u); }
LUTHIER_EXPORT_FUNC(lane)
LUTHIER_TOOL(R"(
about = "uses what there is"
parameter = [{ name = "mischief", type = "text", default = "none" }]
)")
"#;

/// A crate as `luthier tool new` writes it.
pub fn new_crate(scene: &Scene) -> PathBuf {
    let folder = scene.path("own-counter");
    let made = scene
        .emulator
        .command()
        .args(["tool", "new", "own-counter", "--rust"])
        .current_dir(folder.parent().unwrap())
        .bounded_output()
        .unwrap();
    assert!(made.status.success(), "{made:?}");
    folder
}

/// The library that cargo makes of the crate.
pub fn build(folder: &Path) -> PathBuf {
    let built = Command::new(env!("CARGO"))
        .args(["build", "--release", "--offline"])
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", folder.join("target"))
        .env("LUTHIER_TARGETS", stock::DEVICE)
        .bounded_output()
        .unwrap();
    let said = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success(), "{said}");
    folder.join("target/release/libown_counter.so")
}

#[test]
fn a_tool_without_the_sources_of_luthier() {
    let Some(scene) = Scene::new() else { return };
    let folder = scene.path("own-counter");
    let (made, said) = scene.luthier(&["tool", "new", folder.to_str().unwrap(), "--rust"]);
    assert!(!made && said.contains("cannot be a crate"), "{said}");
    let folder = new_crate(&scene);

    // As it was written: what another tool counts in the same run.
    let library = build(&folder);
    let library = library.to_str().unwrap();
    let (_, said) = scene.run(&["-t", library, "-t", "instr-count"], &[]);
    let names = "luthier own_counter, instr-count: ";
    assert!(said.contains(names), "{said}");
    let (_, of_other) = said.split_once("instr-count:\n").expect("the other tool");
    let row = of_other.lines().nth(1).expect("its row");
    let waves = row.split_whitespace().next().expect("wave instructions");
    let line = format!("  {waves} wave instructions\n");
    assert!(said.contains(&line), "{said}");
    assert!(
        said.contains("       4 launches of _Z7add_onePi\n"),
        "{said}"
    );

    // 20 waves of 64 lanes.
    std::fs::write(folder.join("src/lib.rs"), WIDE).unwrap();
    std::fs::write(folder.join("hooks/own-counter.hip"), WIDE_HOOKS).unwrap();
    build(&folder);
    let (_, said) = scene.run(&["-t", library], &[]);
    for line in [
        "gfx90a 64 add_one(int*) Grid { grid: [256, 1, 1], workgroup: [64, 1, 1] }\n",
        "  true true true\n",
        "  by Some((true, false, true))\n",
        "  copy 0: 2048 Some(0) None Some(true) Some(true)\n",
        "  waves 120, lanes 1280\n",
        "  4 [40, 20]\n",
    ] {
        assert!(said.contains(line), "{line}: {said}");
    }
    for (mischief, reason) in [
        ("panic", "the tool panicked: mischief"),
        ("module", "/nothing.so"),
    ] {
        let tool = format!("{library}:mischief={mischief}");
        let (_, said) = scene.run(&["-t", &tool], &[]);
        assert!(said.contains("0 instrumented, 1 refused"), "{said}");
        assert!(said.contains(reason), "{said}");
    }
}

/// Host code alone.
const QUIET: &str = r#"
use luthier_tool::{Launch, Result, Tool, report};
#[derive(Default)]
struct Quiet;
impl Tool for Quiet {
    fn begin(&self) -> Result<()> { eprintln!("begins"); Ok(()) }
    fn launch(&self, launch: &Launch<'_>) -> Result<()> { report(&format!("launch of {}", launch.instructions()?.len() > 3)) }
    fn end(&self) -> Result<()> { report("ends") }
}
luthier_tool::tool!(Quiet, "own-counter.tool");
"#;

#[test]
fn a_tool_without_hooks_is_called() {
    let Some(scene) = Scene::new() else { return };
    let folder = new_crate(&scene);
    std::fs::write(folder.join("src/lib.rs"), QUIET).unwrap();
    std::fs::write(
        folder.join("hooks/own-counter.hip"),
        "#include <luthier.h>\n",
    )
    .unwrap();
    let library = build(&folder);
    let (_, said) = scene.run(&["-t", library.to_str().unwrap()], &[]);
    assert!(
        said.contains("begins\n") && said.contains("  ends\n"),
        "{said}"
    );
    assert_eq!(said.matches("  launch of true\n").count(), 4, "{said}");
    assert!(said.contains("0 of "), "{said}");
}

/// The function that `PANICS` names panics whenever it is called, and the tool says in the end how often that was.
const PANICKING: &str = r#"
use luthier_tool::{Allocation, Copied, Launch, Result, Tool, report};
use std::sync::atomic::{AtomicU32, Ordering};

#[derive(Default)]
struct Panicking(AtomicU32);

impl Panicking {
    fn act(&self, function: &str) -> Result<()> {
        if std::env::var("PANICS").is_ok_and(|panics| panics == function) {
            self.0.fetch_add(1, Ordering::Relaxed);
            panic!("mischief");
        }
        Ok(())
    }
}

impl Tool for Panicking {
    const RECORDS: bool = true;
    const ENDS: bool = true;
    const COPIES: bool = true;
    const MEMORY: bool = true;

    fn begin(&self) -> Result<()> { self.act("begin") }
    fn launch(&self, launch: &Launch<'_>) -> Result<()> {
        self.act("launch")?;
        if launch.is_instrumented("all")? {
            return Ok(());
        }
        launch.before(&launch.instructions()?[0]).call("hook", &[])?;
        launch.run_instrumented("all")
    }
    fn ended(&self, _: u64, _: u64, _: u64) -> Result<()> { self.act("ended") }
    fn copied(&self, _: &Copied) -> Result<()> { self.act("copied") }
    fn memory(&self, _: &Allocation) -> Result<()> { self.act("memory") }
    fn records(&self, _: &str, _: &[u8]) -> bool { self.act("records").is_ok() }
    fn end(&self) -> Result<()> {
        report(&format!("calls: {}", self.0.load(Ordering::Relaxed)))?;
        self.act("end")
    }
}

luthier_tool::tool!(Panicking, "own-counter.tool");
"#;

const PANICKING_HOOKS: &str = r#"
#include <luthier.h>
LUTHIER_GLOBAL luthier::ring trace;
extern "C" __device__ void hook() { luthier::emit(&trace, luthier::lane()); }
LUTHIER_EXPORT_FUNC(hook)
LUTHIER_TOOL(R"([[stream]]
ring = "trace"
bytes = 4
)")
"#;

/// The table in docs/tools/guide.md: a panic costs the function that panicked, or the kernel.
#[test]
fn a_panic_names_its_function_which_is_not_called_again() {
    let Some(scene) = Scene::new() else { return };
    let folder = new_crate(&scene);
    std::fs::write(folder.join("src/lib.rs"), PANICKING).unwrap();
    std::fs::write(folder.join("hooks/own-counter.hip"), PANICKING_HOOKS).unwrap();
    let library = build(&folder);
    let library = library.to_str().unwrap();
    let run = |function: &str| scene.run(&["-t", library], &[("PANICS", function)]).1;
    let quiet = run("");
    assert!(quiet.contains("calls: 0\n"), "{quiet}");
    assert!(!quiet.contains("panicked"), "{quiet}");
    for (function, again) in [
        ("begin", true),
        ("launch", true),
        ("ended", false),
        ("copied", false),
        ("memory", false),
        ("records", false),
        ("end", true),
    ] {
        let said = run(function);
        let reason = format!("{function}: the tool panicked: mischief");
        let line = said.lines().find(|line| line.contains(&reason));
        let line = line.unwrap_or_else(|| panic!("{function}: {said}"));
        assert_eq!(line.ends_with("; it is not called again"), !again, "{line}");
        if function == "begin" {
            let lost = "it is not called again, and what it collected is lost";
            assert!(line.ends_with(lost), "{line}");
            continue;
        }
        // The tool is still called in the end.
        assert!(said.contains("calls: "), "{function}: {said}");
        assert!(again || said.contains("calls: 1\n"), "{function}: {said}");
        let refused = said.contains("0 instrumented, 1 refused");
        assert_eq!(refused, function == "launch", "{said}");
    }
}
