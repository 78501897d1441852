//! `cargo xtask hsa-events`: writes `include/luthier_hsa_events.h` from HSA's own headers, as clang understands them.

use std::{
    collections::BTreeMap,
    fmt::Write,
    path::Path,
    process::{Command, Stdio},
};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

const OUTPUT: &str = "include/luthier_hsa_events.h";
/// The structures of function pointers in `hsa_api_trace.h`, as they were in ROCr's order.
const TABLES: [&str; 3] = ["CoreApiTable", "AmdExtTable", "ImageExtTable"];
/// The headers with everything that is in them.
const SOURCE: &str = "#include <hsa/hsa.h>\n#include <hsa/hsa_ext_amd.h>\n#include <hsa/hsa_ext_image.h>\n#include <hsa/hsa_api_trace.h>\n";

/// Functions that ROCr 6.4 has besides: a line each with result and name, types and names of parameters, and tabs between them.
/// `cargo xtask hsa-events --newer FOLDER` writes it from the headers in a folder.
const NEWER: &str = "crates/rim/xtask/src/hsa_newer.txt";
/// When headers have them.
const IF_NEWER: &str =
    "#if HSA_AMD_INTERFACE_VERSION_MAJOR > 1 || HSA_AMD_INTERFACE_VERSION_MINOR >= 7\n";

/// Functions that only `hsa_api_trace.h` declares, for HSA tools.
const FOR_TOOLS: [&str; 3] = [
    "hsa_amd_queue_intercept_create",
    "hsa_amd_queue_intercept_register",
    "hsa_amd_runtime_queue_create_register",
];

/// A function of HSA.
struct Function {
    name: String,
    result: String,
    /// Type and name.
    parameters: Vec<(String, String)>,
}

/// Writes the header, or with `check` says whether it is what would be written.
pub fn run(root: &Path, check: bool) -> Result<()> {
    let newer = std::fs::read_to_string(root.join(NEWER)).context(NEWER)?;
    let newer: Option<Vec<Function>> = newer.lines().map(Function::parse).collect();
    let newer = newer.with_context(|| format!("{NEWER} has a line that is no function"))?;
    let text = header(&functions(Path::new("/usr/include"))?, &newer);
    let path = root.join(OUTPUT);
    if check {
        let present = std::fs::read_to_string(&path).unwrap_or_default();
        ensure!(
            present == text,
            "{OUTPUT} differs from what `cargo xtask hsa-events` writes with the headers here"
        );
        return Ok(());
    }
    std::fs::write(&path, text).with_context(|| path.display().to_string())
}

/// Writes the list of what the headers in this folder have besides those that are installed.
pub fn write_newer(root: &Path, headers: &Path) -> Result<()> {
    let known = functions(Path::new("/usr/include"))?;
    let mut newer = functions(headers)?;
    newer.retain(|function| known.iter().all(|known| known.name != function.name));
    let lines: String = newer.iter().map(Function::line).collect();
    std::fs::write(root.join(NEWER), lines).context(NEWER)
}

impl Function {
    fn line(&self) -> String {
        let parameters = self.parameters.iter();
        let parameters: String = parameters
            .map(|(kind, name)| format!("\t{kind}\t{name}"))
            .collect();
        format!("{}\t{}{parameters}\n", self.result, self.name)
    }

    fn parse(line: &str) -> Option<Function> {
        let mut words = line.split('\t').map(str::to_owned);
        let (result, name) = (words.next()?, words.next()?);
        let mut parameters = Vec::new();
        while let Some(kind) = words.next() {
            parameters.push((kind, words.next()?));
        }
        Some(Function {
            name,
            result,
            parameters,
        })
    }
}

/// All functions that a tool may hear of, in the order of the tables.
fn functions(headers: &Path) -> Result<Vec<Function>> {
    let mut clang = Command::new("clang++-22")
        .args([
            "-fsyntax-only",
            "-x",
            "c++",
            "-",
            "-Xclang",
            "-ast-dump=json",
        ])
        // How the header finds those beside it.
        .arg("-DAMD_INTERNAL_BUILD")
        .args([headers, &headers.join("hsa")].map(|folder| format!("-isystem{}", folder.display())))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot run clang++-22")?;
    std::io::Write::write_all(
        &mut clang.stdin.take().context("clang has no input")?,
        SOURCE.as_bytes(),
    )?;
    let output = clang.wait_with_output()?;
    ensure!(output.status.success(), "clang does not read HSA's headers");
    let tree: Value = serde_json::from_slice(&output.stdout)?;
    let (mut declared, mut tables) = (BTreeMap::new(), BTreeMap::new());
    collect(&tree, &mut declared, &mut tables);
    let mut found = Vec::new();
    for table in TABLES {
        let entries = tables.get(table).with_context(|| format!("no {table}"))?;
        for name in entries {
            if FOR_TOOLS.contains(&name.as_str()) {
                continue;
            }
            match declared.remove(name) {
                Some(function) => found.push(function),
                None => bail!("{table} has {name}, which no header declares"),
            }
        }
    }
    Ok(found)
}

fn text<'a>(node: &'a Value, key: &str) -> &'a str {
    node[key].as_str().unwrap_or_default()
}

fn collect(
    node: &Value,
    declared: &mut BTreeMap<String, Function>,
    tables: &mut BTreeMap<String, Vec<String>>,
) {
    let inner = node["inner"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    match text(node, "kind") {
        "FunctionDecl" => {
            let name = text(node, "name").to_owned();
            let whole = text(&node["type"], "qualType");
            let result = whole
                .split('(')
                .next()
                .unwrap_or_default()
                .trim()
                .to_owned();
            let parameters = inner
                .iter()
                .filter(|child| text(child, "kind") == "ParmVarDecl");
            let parameters = parameters.enumerate().map(|(index, child)| {
                let name = match text(child, "name") {
                    "" => format!("argument{index}"),
                    name => name.to_owned(),
                };
                (text(&child["type"], "qualType").to_owned(), name)
            });
            let parameters = parameters.collect();
            declared.insert(
                name.clone(),
                Function {
                    name,
                    result,
                    parameters,
                },
            );
        }
        "CXXRecordDecl" if TABLES.contains(&text(node, "name")) => {
            let fields = inner
                .iter()
                .filter(|child| text(child, "kind") == "FieldDecl");
            let names = fields.filter_map(|field| text(field, "name").strip_suffix("_fn"));
            let names: Vec<String> = names.map(str::to_owned).collect();
            if !names.is_empty() {
                tables.insert(text(node, "name").to_owned(), names);
            }
        }
        _ => {
            for child in inner {
                collect(child, declared, tables);
            }
        }
    }
}

/// `TYPE NAME`, where the type may be a pointer to a function or an array.
fn declaration(kind: &str, name: &str) -> String {
    if let Some(at) = kind.find("(*)") {
        return format!("{}(*{name}){}", &kind[..at], &kind[at + 3..]);
    }
    format!("{kind} {name}")
}

/// The type of a copy: what is constant itself can be changed in a tool's structure.
fn changeable(kind: &str) -> String {
    match kind.strip_suffix("const") {
        Some(rest) => rest.trim_end().to_owned(),
        None if !kind.contains('*') => kind.trim_start_matches("const ").to_owned(),
        None => kind.to_owned(),
    }
}

/// `write` for all functions, and again, where headers have them, for the newer ones.
fn both(out: &mut String, all: [&[Function]; 2], mut write: impl FnMut(&mut String, &Function)) {
    for function in all[0] {
        write(out, function);
    }
    out.push_str(IF_NEWER);
    for function in all[1] {
        write(out, function);
    }
    out.push_str("#endif\n");
}

fn header(functions: &[Function], newer: &[Function]) -> String {
    let all = [functions, newer];
    let mut out = String::from(
        "// The functions of HSA as events: numbers, arguments by name, and what is put in their place. Written by\n\
         // `cargo xtask hsa-events` from hsa_api_trace.h of ROCr 5.2 and 6.4; included by luthier.h.\n#pragma once\n#pragma clang system_header\n\n\
         #include <hsa/hsa_ext_amd.h>\n#include <hsa/hsa_ext_image.h>\n\n\
         typedef enum {\n  HSA_EVT_ID_KERNEL_LAUNCH = 0,\n",
    );
    both(&mut out, all, |out, function| {
        let _ = writeln!(out, "  HSA_API_ID_{},", function.name);
    });
    out.push_str("  HSA_API_ID_END\n} hsa_api_id_t;\n\n");
    out.push_str(
        "// The call that an event tells of. Arguments may be changed when it begins. With `skip` the call is left out, and `returned`\n\
         // is what the application gets; when it ends, `returned` may be changed, too.\n\
         typedef struct hsa_api_args {\n  bool skip;\n  union {\n    struct {\n\
         \x20     // A copy of the packet: its kernel object, kernel arguments, grid and workgroup.\n\
         \x20     hsa_kernel_dispatch_packet_t *dispatch_packet;\n      const char *kernel_name;\n    } hsa_evt_kernel_launch;\n",
    );
    both(&mut out, all, |out, function| {
        out.push_str("    struct {\n");
        for (kind, name) in &function.parameters {
            let _ = writeln!(out, "      {};", declaration(&changeable(kind), name));
        }
        if function.result != "void" {
            let _ = writeln!(out, "      {};", declaration(&function.result, "returned"));
        }
        let _ = writeln!(out, "    }} {};", function.name);
    });
    out.push_str(
        "  };\n} hsa_api_args_t;\n\nvoid luthier_tell(hsa_api_args_t *args, luthier_api_phase_t phase, hsa_api_id_t id);\n\
         bool luthier_is_telling();\n\ntemplate <hsa_api_id_t> struct luthier_hsa;\n",
    );
    both(&mut out, all, wrapper);
    out.push_str(
        "\nstruct luthier_hsa_entry {\n  const char *name;\n  void **original;\n  void *ours;\n};\n\
         inline luthier_hsa_entry luthier_hsa_entry_of(hsa_api_id_t id) {\n  switch (id) {\n",
    );
    both(&mut out, all, |out, Function { name, .. }| {
        let _ = writeln!(
            out,
            "  case HSA_API_ID_{name}:\n    return {{\"{name}\", (void **)&luthier_hsa<HSA_API_ID_{name}>::original, (void *)&luthier_hsa<HSA_API_ID_{name}>::call}};"
        );
    });
    out.push_str("  default:\n    return {nullptr, nullptr, nullptr};\n  }\n}\n");
    out
}

/// The function in the runtime's table while a tool listens.
fn wrapper(out: &mut String, function: &Function) {
    let Function {
        name,
        result,
        parameters,
    } = function;
    let is_void = result == "void";
    let taken: Vec<String> = parameters
        .iter()
        .map(|(kind, name)| declaration(kind, name))
        .collect();
    let plain: Vec<&str> = parameters.iter().map(|(_, name)| name.as_str()).collect();
    let own: Vec<String> = plain.iter().map(|name| format!("own.{name}")).collect();
    let _ = writeln!(
        out,
        "\ntemplate <> struct luthier_hsa<HSA_API_ID_{name}> {{\n  static inline decltype(&::{name}) original = nullptr;\n  static {result} call({}) {{",
        taken.join(", ")
    );
    let _ = writeln!(
        out,
        "    if (luthier_is_telling())\n      return original({});\n    hsa_api_args_t args;\n    args.skip = false;\n    auto &own = args.{name};\n    (void)own;",
        plain.join(", ")
    );
    for parameter in &plain {
        let _ = writeln!(out, "    own.{parameter} = {parameter};");
    }
    if !is_void {
        out.push_str("    own.returned = {};\n");
    }
    let _ = writeln!(
        out,
        "    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_{name});"
    );
    let assign = if is_void { "" } else { "own.returned = " };
    let _ = writeln!(
        out,
        "    if (!args.skip)\n      {assign}original({});",
        own.join(", ")
    );
    let _ = writeln!(
        out,
        "    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_{name});"
    );
    if !is_void {
        out.push_str("    return own.returned;\n");
    }
    out.push_str("  }\n};\n");
}
