//! Right and wrong descriptions and hooks of tool authors: how hooks get their values, and the errors if they cannot.

use std::path::{Path, PathBuf};

use programs::{Bounded, Emulator};
use tool_abi::{Asked, HOOK_VALUES};

const DEVICE: &str = "gfx90a";

struct Scene {
    emulator: Emulator,
    application: PathBuf,
    folder: tempfile::TempDir,
}

impl Scene {
    fn new() -> Option<Scene> {
        if !programs::can_compile() {
            return None;
        }
        let program = programs::named("equal_launches").unwrap();
        Some(Scene {
            emulator: Emulator::find().expect("the emulator is built"),
            application: programs::compile(&program).unwrap(),
            folder: tempfile::tempdir().unwrap(),
        })
    }

    /// Builds a tool in a folder of the scene; the file, or what was said.
    fn build(&self, path: &str, text: &str) -> Result<PathBuf, String> {
        self.build_with_words(path, text).map(|(tool, _)| tool)
    }

    /// The same. With the file comes what was said.
    fn build_with_words(&self, path: &str, text: &str) -> Result<(PathBuf, String), String> {
        let source = self.folder.path().join(path).with_extension("hip");
        std::fs::create_dir_all(source.parent().unwrap()).unwrap();
        std::fs::write(&source, format!("#include <luthier_device.h>\n{text}")).unwrap();
        let tool = source.with_extension("tool");
        let built = self
            .emulator
            .command()
            .args(["tool", "build", "--target", "gfx90a,gfx10-3-generic", "-o"])
            .arg(&tool)
            .arg(&source)
            .bounded_output()
            .unwrap();
        let said = String::from_utf8_lossy(&built.stderr).into_owned();
        match built.status.success() {
            true => Ok((tool, said)),
            false => Err(said),
        }
    }

    /// Runs the application with tools; standard output and error.
    fn run(&self, device: &str, tools: &[&Path]) -> String {
        let mut command = self.emulator.command();
        command.args(["run", "--device", device, "-k", "^add_one"]);
        for tool in tools {
            // (An option among them.)
            match tool.to_str() {
                Some("--strict") => command.arg("--strict"),
                _ => command.arg("-t").arg(tool),
            };
        }
        let output = command
            .arg("--")
            .arg(&self.application)
            .env("LUTHIER_CACHE", "off")
            .bounded_output()
            .unwrap();
        let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert!(output.status.success(), "{said}");
        said
    }
}

/// A tool with a hook at the kernel's entry that adds something up.
fn adding(hook: &str, arguments: &str) -> String {
    format!(
        "LUTHIER_GLOBAL luthier_u64 total;\n{hook}\nLUTHIER_TOOL(R\"(\n\
         insert = [{{ hook = \"h\", at = \"kernel-entry\", arguments = [{arguments}] }}]\n\
         print = [{{ text = \"sum {{total}}.\" }}]\n)\")\n"
    )
}

/// Values that a kernel's entry does not have; tests of `verify` (`values`, `objects`) compare them with what the emulated device knows.
const ELSEWHERE: [&str; 5] = [
    "effective_address",
    "access_size",
    "access_kind",
    "scc",
    "vcc",
];

/// 20 workgroups of 64 lanes run, in launches of 4, 4, 4 and 8; the runtime's own fill is launch 0.
#[test]
fn hooks_get_every_value_that_is_documented() {
    let Some(scene) = Scene::new() else { return };
    let lanes = |value: &str| format!("LUTHIER_HOOK void h() {{ luthier::add(&total, {value}); }}");
    let by_lane = "LUTHIER_HOOK void h(luthier_u32 value) { luthier::add(&total, value & 1023); }";
    let once = "LUTHIER_HOOK void h(luthier_u32 value) { luthier::count_wave(&total, value); }";
    let table = "LUTHIER_HOOK void h() { const luthier_u32 weights[] = {1, 5, 7, 11, 2, 99, 12, 3};\n\
                 luthier::add(&total, weights[luthier::lane() & 7]); }";
    let array = "LUTHIER_HOOK void h() { luthier_u32 squares[16]; for (int i = 0; i < 16; ++i) squares[i] = i * i;\n\
                 luthier::add(&total, squares[luthier::lane() & 15]); }";
    let plain =
        "LUTHIER_HOOK void h(luthier_u64 *to) { __atomic_fetch_add(to, 1ull, __ATOMIC_RELAXED); }";
    let m0 = "LUTHIER_HOOK void h() { luthier::write_m0(7); luthier::count_wave(&total, luthier::m0() == 7 ? 1 : 2); }";
    // Sums of workgroup numbers: 0 to 3 three times, 0 to 7 once.
    let groups = 3 * 6 + 28;
    // The value as an argument is what the function says.
    let pair = |value: &str| {
        format!(
            "LUTHIER_HOOK void h(luthier_u64 given) {{ luthier::count_wave(&total, given == {value}); }}"
        )
    };
    let reading = |kind: &str, offset: u32, value: &str| {
        format!(
            "LUTHIER_HOOK void h(luthier_u64 at) {{ luthier::count_wave(&total, *(const {kind} *)(at + {offset}) == {value}); }}"
        )
    };
    let cases = [
        (
            lanes("luthier::dispatch_id()"),
            "",
            64 * (4 + 2 * 4 + 3 * 4 + 4 * 8),
        ),
        (lanes("luthier::workitem_id_x()"), "", 20 * 2016),
        (
            lanes("luthier::workitem_id_y() + luthier::workitem_id_z()"),
            "",
            0,
        ),
        (lanes("luthier::workgroup_id_x()"), "", 64 * groups),
        (
            lanes("luthier::workgroup_id_y() + luthier::workgroup_id_z()"),
            "",
            0,
        ),
        (
            lanes("luthier::workgroup_size(0) + luthier::workgroup_size(1)"),
            "",
            20 * 64 * 65,
        ),
        (
            lanes("luthier::grid_size(0)"),
            "",
            64 * (3 * 4 * 256 + 8 * 512),
        ),
        (by_lane.to_owned(), "\"v0\"", 20 * 2016),
        (by_lane.to_owned(), "\"workitem.x\"", 20 * 2016),
        (by_lane.to_owned(), "\"5\"", 20 * 64 * 5),
        (once.to_owned(), "\"workgroup.x\"", groups),
        (once.to_owned(), "\"workgroup.y\"", 0),
        (once.to_owned(), "\"workgroup.z\"", 0),
        // Rounded to nearest, denormals kept, clamped as DX10 has it, and as IEEE has it.
        (by_lane.to_owned(), "\"mode\"", 20 * 64 * 0x3f0),
        (lanes("luthier::mode() & 1023"), "", 20 * 64 * 0x3f0),
        (table.to_owned(), "", 20 * 8 * 140),
        (array.to_owned(), "", 20 * 4 * 1240),
        (plain.to_owned(), "\"&total\"", 20 * 64),
        (m0.to_owned(), "", 0),
        // It is the second hook of its tool: see `TOGETHER`.
        (once.to_owned(), "\"site\"", 20),
        (pair("luthier::site()"), "\"site\"", 20),
        (pair("luthier::pc()"), "\"pc\"", 20),
        (pair("luthier::dispatch_id()"), "\"dispatch\"", 20),
        (pair("luthier::m0()"), "\"m0\"", 20),
        (pair("~0ull"), "\"exec\"", 20),
        (by_lane.to_owned(), "\"workitem.y\"", 0),
        (by_lane.to_owned(), "\"workitem.z\"", 0),
        // The kernel's argument, and the workgroup's 64 work-items.
        (
            reading("luthier_u64", 0, "luthier::kernel_argument<luthier_u64>(0)"),
            "\"kernarg\"",
            20,
        ),
        (reading("luthier_u16", 4, "64"), "\"packet\"", 20),
    ];
    for row in HOOK_VALUES {
        let functions: String = cases.iter().map(|case| case.0.as_str()).collect();
        let function = format!("luthier::{}(", row.name);
        let word = format!("\"{}\"", row.word);
        let is_asked = matches!(row.asked, Asked::Function | Asked::Bit);
        let asked = !is_asked || functions.contains(&function);
        let given = row.word.is_empty() || cases.iter().any(|case| case.1 == word);
        assert!(
            (asked && given) || ELSEWHERE.contains(&row.name),
            "no case has {function}) and {word}"
        );
    }
    // A tool for several: it takes longer to build one than to run it.
    for (first, cases) in (0..).step_by(TOGETHER).zip(cases.chunks(TOGETHER)) {
        let tool = scene.build(&format!("values{first}"), &adding_all(cases));
        let tool = tool.unwrap_or_else(|said| panic!("{said}"));
        judge(&scene.run(DEVICE, &[&tool]), cases);
        if first == 0 {
            judge(&scene.run("gfx1030", &[&tool]), &cases[..3]);
        }
    }
}

/// A hook, its arguments, and the sum that it must come to.
type Case = (String, &'static str, u64);

/// The number of hooks in a tool.
const TOGETHER: usize = 9;

/// A tool with the hooks of all cases, each with a sum of its own.
fn adding_all(cases: &[Case]) -> String {
    let (mut code, mut inserts, mut texts) = (String::new(), String::new(), String::new());
    for (number, (hook, arguments, _)) in cases.iter().enumerate() {
        let own = |text: &str| text.replace("&total", &format!("&total{number}"));
        let hook = own(hook).replace("void h(", &format!("void h{number}("));
        code += &format!("LUTHIER_GLOBAL luthier_u64 total{number};\n{hook}\n");
        inserts += &format!(
            "{{ hook = \"h{number}\", at = \"kernel-entry\", arguments = [{}] }}, ",
            own(arguments)
        );
        texts += &format!("{{ text = \"sum {number} is {{total{number}}}.\" }}, ");
    }
    format!("{code}LUTHIER_TOOL(R\"(\ninsert = [{inserts}]\nprint = [{texts}]\n)\")\n")
}

fn judge(said: &str, cases: &[Case]) {
    for (number, (hook, arguments, sum)) in cases.iter().enumerate() {
        // With `write_m0`, either value is a count of 20 waves; that it builds and the program runs is what is asked.
        let sum = match hook.contains("write_m0") {
            true => String::new(),
            false => format!("{sum}."),
        };
        assert!(
            said.contains(&format!("sum {number} is {sum}")),
            "{hook} {arguments}: {said}"
        );
    }
}

/// The bits that an earlier hook has left in registers are no part of a value that is narrower than its parameter.
#[test]
fn parameters_may_be_wider_than_values() {
    let Some(scene) = Scene::new() else { return };
    let sum = |name: String, kind: &str, word: &str| {
        let hooks = format!(
            "LUTHIER_GLOBAL luthier_u64 other;\n\
             LUTHIER_HOOK void dirty() {{ luthier_u64 n = luthier::lane() + 1;\n\
             luthier::add(&other, n * 0x123456789abcdefull ^ n * n * 0xfedcba987654321ull); }}\n\
             LUTHIER_HOOK void h({kind} value) {{ luthier::add(&total, value); }}"
        );
        let before = "insert = [{ hook = \"dirty\", at = \"kernel-entry\" }, {";
        let text = adding(&hooks, &format!("\"{word}\"")).replacen("insert = [{", before, 1);
        let tool = scene.build(&name, &text);
        let said = scene.run(DEVICE, &[&tool.unwrap_or_else(|said| panic!("{said}"))]);
        let (_, rest) = said.split_once("sum ").unwrap_or_else(|| panic!("{said}"));
        rest.split_once('.').unwrap().0.to_owned()
    };
    for (number, word) in ["workitem.x", "m0"].into_iter().enumerate() {
        let wide = sum(format!("wide{number}"), "luthier_u64", word);
        let narrow = sum(format!("narrow{number}"), "luthier_u32", word);
        assert_eq!(wide, narrow, "{word}");
    }
}

/// A value of the wave for a parameter of lanes.
#[test]
fn mode_goes_to_vectors() {
    let Some(scene) = Scene::new() else { return };
    let hook = "LUTHIER_HOOK void h(luthier_u32 value) { luthier::add(&total, value & 1023); }";
    let kinds = "hooks = { h = [\"vector\"] }\ninsert =";
    let text = adding(hook, "\"mode\"").replacen("insert =", kinds, 1);
    let tool = scene.build("vector", &text).unwrap();
    let said = scene.run(DEVICE, &[&tool]);
    assert!(
        said.contains(&format!("sum {}.", 20 * 64 * 0x3f0)),
        "{said}"
    );
}

/// One tool is for waves of 32 and of 64 lanes.
#[test]
fn a_mask_goes_whole_or_not_at_all() {
    let Some(scene) = Scene::new() else { return };
    let hook = "LUTHIER_HOOK void h(luthier_u32 mask) { luthier::count_wave(&total, mask & 1); }";
    let tool = scene.build("mask", &adding(hook, "\"exec\"")).unwrap();
    let said = scene.run("gfx1030", &[&tool]);
    assert!(said.contains("sum 40."), "{said}");
    let said = scene.run("gfx90a", &[&tool]);
    let refused = "it has 32 bits, and the value given for it has 64";
    assert!(said.contains("sum 0.") && said.contains(refused), "{said}");
}

#[test]
fn values_that_do_not_fit_are_refused_when_the_tool_is_built() {
    let Some(scene) = Scene::new() else { return };
    let scalar = "LUTHIER_HOOK void h(luthier_u32 value) { luthier::count_wave(&total, value); }";
    let kinds = |kind: &str, argument: &str| {
        let tool = adding(scalar, argument);
        tool.replacen(
            "insert =",
            &format!("hooks = {{ h = [\"{kind}\"] }}\ninsert ="),
            1,
        )
    };
    // A slot of one register would lose what a hook stores behind a pointer to more.
    let referring = |changed: &str, store: &str| {
        format!(
            "struct words {{ luthier_u32 all[17]; }};\n\
             LUTHIER_HOOK void h({changed}) {{ {store} = {{}}; }}\n\
             LUTHIER_TOOL(R\"(\nhooks = {{ h = [\"vector-reference\"] }}\n)\")\n"
        )
    };
    let twice = format!(
        "LUTHIER_GLOBAL luthier_u64 total;\n{scalar}\nLUTHIER_TOOL(R\"(\n\
         [[insert]]\nhook = \"h\"\narguments = [\"1\"]\n\
         [[insert]]\nhook = \"h\"\narguments = [\"1\", \"2\"]\n)\")\n"
    );
    let stream = |record: &str, keys: &str| {
        format!(
            "LUTHIER_GLOBAL luthier::ring trace, spare; LUTHIER_GLOBAL luthier_u64 plain;\n\
             struct record {{ luthier_u64 a; luthier_u32 b, c; }};\n\
             LUTHIER_HOOK void h() {{ {record}; }}\n\
             LUTHIER_TOOL(R\"(\n[[insert]]\nhook = \"h\"\n[[stream]]\n{keys}\n)\")\n"
        )
    };
    let emit = "luthier::emit(&trace, record{1, 2, 3})";
    let wave = "luthier::emit_wave(&trace, record{1, 2, 3}, 4u)";
    let of_trace = |rest: &str| format!("ring = \"trace\"\nfile = \"t.jsonl\"\n{rest}");
    let fields = of_trace("fields = [\"a:u64\", \"b:u32\", \"c:u32\"]");
    // A record of a wave has a mask of 8 bytes and 64 values of 4.
    for keys in [&fields, &of_trace("bytes = 16")] {
        let built = scene.build("fits", &stream(emit, keys));
        built.unwrap_or_else(|said| panic!("{said}"));
    }
    let built = scene.build("fits", &stream(wave, &of_trace("bytes = 280")));
    built.unwrap_or_else(|said| panic!("{said}"));
    for (name, text, reason) in [
        (
            "returns",
            adding("LUTHIER_HOOK luthier_u32 h() { return 3; }", ""),
            "/returns.hip:3: the hook returns a value, which nothing takes; declare it `void`",
        ),
        (
            "unknown",
            adding(
                "LUTHIER_HOOK void h(luthier_u64 *to) { luthier::add(to, 1); }",
                "\"&totl\"",
            ),
            "/unknown.hip: LUTHIER_TOOL names a variable totl, but there is none",
        ),
        (
            "text",
            adding(scalar, "\"$p\"").replacen(
                "insert =",
                "parameter = [{ name = \"p\" }]\ninsert =",
                1,
            ),
            "/text.hip: in LUTHIER_TOOL: the parameter p is a text",
        ),
        (
            "short",
            stream(
                emit,
                &of_trace("fields = [\"a:u64\", \"b:u64\", \"c:u64\"]"),
            ),
            "/short.hip: hooks append records of 16 bytes to trace, and what LUTHIER_TOOL says of that stream makes 24",
        ),
        (
            "bytes",
            stream(emit, &of_trace("bytes = 12")),
            "hooks append records of 16 bytes to trace",
        ),
        (
            "wave",
            stream(wave, &fields),
            "hooks append records of 280 bytes to trace",
        ),
        (
            "plain",
            stream(emit, &fields.replacen("trace", "plain", 1)),
            "LUTHIER_TOOL has a stream of the variable plain, which is no luthier::ring",
        ),
        (
            "ending",
            stream(emit, &fields.replacen("jsonl", "csv", 1)),
            "records are written as .parquet or .jsonl",
        ),
        (
            "folder",
            stream(emit, &fields.replacen("t.jsonl", "../t.jsonl", 1)),
            "stream trace goes to ../t.jsonl, which is no file name",
        ),
        (
            "spare",
            stream("luthier::emit(&spare, record{1, 2, 3})", &fields),
            "hooks append records to spare, and LUTHIER_TOOL has no `stream` that takes them",
        ),
        (
            "lanes",
            kinds("scalar", "\"v3\""),
            "one value for all lanes",
        ),
        (
            "wide",
            adding(scalar, "\"s[4:5]\""),
            "it has 32 bits, and the value given for it has 64",
        ),
        (
            "many",
            twice,
            "the hook has 1 parameter, and 2 arguments are given",
        ),
        ("word", adding(scalar, "\"workgroup.w\""), "workgroup.z"),
        (
            "pointer",
            referring("double *x", "*x"),
            "parameter 0 of the hook is a pointer, which does not say how many registers the hook changes; declare it as a reference",
        ),
        (
            "row",
            referring("words &x", "x"),
            "parameter 0 of the hook refers to 544 bits; registers in a row have at most 512",
        ),
        (
            "none",
            "LUTHIER_HOOK void h() {}".to_owned(),
            "LUTHIER_EXPORT_FUNC(HOOK)",
        ),
        (
            "m0",
            adding(
                "LUTHIER_HOOK void h() { asm volatile(\"s_mov_b32 m0, 7\" ::: \"m0\"); }",
                "",
            ),
            "luthier::write_m0",
        ),
    ] {
        let said = scene.build(name, &text).expect_err(name);
        assert!(said.contains(reason), "{name}: {said}");
    }
}

#[test]
fn tools_of_one_name_keep_to_themselves_and_one_tool_runs_once() {
    let Some(scene) = Scene::new() else { return };
    let hook = "LUTHIER_HOOK void h(luthier_u32 value) { luthier::count_wave(&total, value); }";
    let one = scene.build("one/count", &adding(hook, "\"1\"")).unwrap();
    let two = scene.build("two/count", &adding(hook, "\"2\"")).unwrap();
    let said = scene.run(DEVICE, &[&one, &two]);
    assert!(
        said.contains("count:\n  sum 20.") && said.contains("count-2:\n  sum 40."),
        "{said}"
    );
    let said = scene.run(DEVICE, &[&one, &one]);
    assert!(
        said.contains("count:\n  sum 20.") && said.contains("is named twice; it runs once"),
        "{said}"
    );
}

#[test]
fn places_have_numbers_of_their_own_and_lines_in_the_report() {
    let Some(scene) = Scene::new() else { return };
    let text = "LUTHIER_GLOBAL luthier_u64 total;\n\
        LUTHIER_HOOK void before(luthier_u64 *waves, luthier_u64 *lanes) {\n\
        luthier::count_wave(waves, 1); luthier::count_lanes(lanes, 1); luthier::count_wave(&total, 1); }\n\
        LUTHIER_HOOK void after(luthier_u64 *waves) { luthier::count_wave(waves, 1); }\n\
        LUTHIER_TOOL(R\"(\n\
        insert = [{ hook = \"before\", where = \"kind=vector-memory&load|store\", arguments = [\"&site.waves\", \"&site.lanes\"] },\n\
                  { hook = \"after\", where = \"kind=store\", after = true, arguments = [\"&site.waves\"] }]\n\
        print = [{ each = \"site\", text = \"{site.waves} {site.lanes} {site.kernel} {site.line} {site.text}\" },\n\
                 { text = \"{{ \\\"all\\\": {total} } is {{total} in all\" }]\n\
        )\")\n";
    let tool = scene.build("places", text).unwrap();
    // The hook behind the store adds to the number of the one before it. The second time the kernel comes from the cache.
    for _ in 0..2 {
        let said = scene.run(DEVICE, &[&tool]);
        let lines: Vec<&str> = said
            .lines()
            .skip_while(|line| *line != "places:")
            .skip(1)
            .collect();
        let [store, load, all, ..] = lines[..] else {
            panic!("{said}")
        };
        for (line, start, mnemonic) in [
            (store, "  40 1280 add_one(int*) ", "global_store_dword"),
            (load, "  20 1280 add_one(int*) ", "global_load_dword"),
        ] {
            // (The program is compiled without lines.)
            let fits = line.starts_with(start) && line.contains(&format!(" ? {mnemonic} v"));
            assert!(fits, "{line}: {said}");
        }
        assert_eq!(all, r#"  { "all": 40 } is {total} in all"#, "{said}");
    }
    let narrow = text.replace("(luthier_u64 *waves) {", "(luthier_u32 waves) {");
    let narrow = narrow.replace(
        "luthier::count_wave(waves, 1); }\nLUTHIER_TOOL",
        "}\nLUTHIER_TOOL",
    );
    let said = scene.build("narrow", &narrow).unwrap_err();
    assert!(
        said.contains("parameter 0 of hook after: it has 32 bits"),
        "{said}"
    );
}

#[test]
fn operands_of_instructions_have_the_values_of_lanes() {
    let Some(scene) = Scene::new() else { return };
    // The address of the store, relative to the buffer or whole: lanes differ, and a scalar would repeat the first one.
    let hook = "LUTHIER_HOOK void h(luthier_u32 value) {\n\
                luthier_u32 first = __builtin_amdgcn_readfirstlane(value);\n\
                luthier::add(&total, value - first); }";
    let text = adding(hook, "\"operand.0\"").replacen(
        "at = \"kernel-entry\"",
        "where = \"opcode=global_store_dword\"",
        1,
    );
    let tool = scene.build("operands", &text).unwrap();
    let said = scene.run(DEVICE, &[&tool]);
    // With a 64-bit address nothing would be inserted, and a note would say so.
    let sum = 20 * 4 * 2016;
    assert!(
        said.contains(&format!("sum {sum}."))
            || said.contains("it has 32 bits, and the value given for it has 64"),
        "{said}"
    );
}

/// Places of an instruction without the operand are left out and counted, as places with one of another width are.
#[test]
fn operands_that_instructions_do_not_have_are_told() {
    let Some(scene) = Scene::new() else { return };
    let hook = "LUTHIER_HOOK void h(luthier_u32 value) { luthier::add(&total, value); }";
    let text = adding(hook, "\"operand.9\"").replacen(
        "at = \"kernel-entry\"",
        "where = \"opcode=global_store_dword\"",
        1,
    );
    let said = scene.run(DEVICE, &[&scene.build("operand9", &text).unwrap()]);
    assert!(
        said.contains(
            "nothing is inserted at 1 place: parameter 0 of hook h: global_store_dword has "
        ) && said.contains(" operands, counted from 0, and operand.9 is asked for"),
        "{said}"
    );
}

#[test]
fn variables_of_any_linkage_and_hooks_behind_the_end() {
    let Some(scene) = Scene::new() else { return };
    let text = r#"
#include <luthier.h>
MARK_LUTHIER_DEVICE_MODULE
__device__ unsigned long waves = 5;
LUTHIER_GLOBAL unsigned long again;
LUTHIER_GLOBAL unsigned long array[3];
extern "C" __device__ void hook() {
  luthier::count_wave(&waves, 1); luthier::count_wave(&again, 1); luthier::count_wave(&array[2], 2);
}
LUTHIER_EXPORT_FUNC(hook)
void luthier_at_hsa_event(hsa_api_args_t *args, luthier_api_phase_t, hsa_api_id_t) {
  auto *packet = args->hsa_evt_kernel_launch.dispatch_packet;
  if (luthier_is_instrumented(packet->kernel_object))
    return;
  auto all = luthier_disassemble_kernel_object(packet->kernel_object);
  luthier_insert_call(all[0], LUTHIER_GET_HOOK_HANDLE(hook), LUTHIER_IPOINT_BEFORE);
  for (auto &instruction : all)
    if (instruction.mnemonic == "s_endpgm")
      luthier_insert_call(instruction, LUTHIER_GET_HOOK_HANDLE(hook), LUTHIER_IPOINT_AFTER);
  luthier_override_with_instrumented(packet);
}
void luthier_at_term() {
  printf("%lu %lu\n", luthier_copy_from_variable(waves), luthier_copy_from_variable(again));
  auto first = luthier_copy_from_variable(array), same = luthier_copy_from_variable(array, 0);
  printf("%zu: %lu %lu %lu\n", first.size(), first[1], first[2], same[2]);
}
"#;
    let tool = scene.build("linkage", text).unwrap();
    let said = scene.run(DEVICE, &[&tool]);
    assert!(said.contains("25 20\n3: 0 40 40\n"), "{said}");
    assert!(
        said.contains("nothing is inserted behind the end of the program"),
        "{said}"
    );
    // No callbacks at all.
    let silent = &text[..text.find("void luthier_at_hsa_event").unwrap()];
    let tool = scene.build("silent", silent).unwrap();
    let said = scene.run(DEVICE, &[&tool]);
    assert!(said.contains("defines none of luthier_at_init"), "{said}");
}

/// The compiler takes a function with other parameters than a callback's for an overload.
#[test]
fn functions_named_like_callbacks_are_told() {
    let Some(scene) = Scene::new() else { return };
    let tool = |callbacks: &str| {
        let headers = "#include <luthier.h>\nMARK_LUTHIER_DEVICE_MODULE\n";
        let text = format!("{headers}{callbacks}void luthier_at_term() {{ puts(\"done\"); }}\n");
        let (tool, built) = scene.build_with_words("callbacks", &text).unwrap();
        [built, scene.run(DEVICE, &[&tool])]
    };
    // A function that the tool itself calls is no callback, either.
    let [built, ran] = tool(
        "void luthier_at_kernel(int) {}\n\
         void luthier_at_exit() {}\n\
         static void luthier_at_home() {}\n\
         void luthier_at_launch_end(luthier_u64) { luthier_at_home(); luthier_at_exit(); }\n",
    );
    let library = scene.folder.path().join("callbacks.so");
    for said in [built, ran] {
        for function in [
            "luthier_at_kernel(int)",
            "luthier_at_exit()",
            "luthier_at_launch_end(unsigned long)",
        ] {
            let warning = format!(
                "luthier: warning: {function} of {} is no callback of luthier.h: its name or its parameters differ\n",
                library.display()
            );
            assert!(said.contains(&warning), "{warning}{said}");
        }
        assert_eq!(said.matches("is no callback").count(), 3, "{said}");
    }
    let [built, ran] = tool(
        "void luthier_at_init() {}\n\
         void luthier_at_kernel(luthier_u64) {}\n\
         void luthier_at_hsa_event(hsa_api_args_t *, luthier_api_phase_t, hsa_api_id_t) {}\n\
         bool luthier_at_records(const char *, const void *, size_t) { return true; }\n\
         void luthier_at_launch_end(luthier_u64, luthier_u64, luthier_u64) {}\n\
         void luthier_at_memory(const luthier_allocation &) {}\n\
         void luthier_at_copy(const luthier_raw_copy &) {}\n\
         void luthier_at_packets(luthier_packet *, size_t, luthier_u64, luthier_u32) {}\n",
    );
    assert!(ran.contains("done\n"), "{ran}");
    for said in [built, ran] {
        assert!(!said.contains("is no callback"), "{said}");
    }
}

/// Addresses at all instructions: only some access memory.
#[test]
fn a_place_that_takes_no_hook_costs_itself_alone() {
    let Some(scene) = Scene::new() else { return };
    let hook = "LUTHIER_HOOK void h(luthier_u64 address) { luthier::add(&total, address != 0); }";
    let text =
        adding(hook, "\"address\"").replacen("at = \"kernel-entry\"", "at = \"instruction\"", 1);
    let tool = scene.build("places", &text).unwrap();
    let said = scene.run(DEVICE, &[&tool]);
    // Three scalar loads, whose address is every lane's, one load and one store.
    assert!(said.contains(&format!("sum {}.", 20 * 64 * 5)), "{said}");
    assert!(
        said.contains(" more places, which luthier run --strict would refuse: "),
        "{said}"
    );
    let strict = scene.run(DEVICE, &[Path::new("--strict"), &tool]);
    assert!(strict.contains("0 instrumented, 1 refused"), "{strict}");
    // The tool itself may say so.
    let text = text.replacen("R\"(", "R\"(\nall-or-nothing = true", 1);
    let tool = scene.build("whole", &text).unwrap();
    let said = scene.run(DEVICE, &[&tool]);
    assert!(said.contains("0 instrumented, 1 refused"), "{said}");
}
