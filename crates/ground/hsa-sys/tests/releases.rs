//! Compares the layouts with what is installed: every entry of AMD's table with the C compiler's view of the header, and with the
//! runtime's own machine code. Other releases are compared too, of which `LUTHIER_HSA_ROOTS` has the folders, with colons between
//! them: those that `./dev rocm` makes, for example.

use std::{
    collections::HashMap,
    env,
    fmt::Write,
    path::{Path, PathBuf},
    process::Command,
};

use hsa_sys::{
    layouts::{LAYOUTS, Layout, amd_offset, newer_amd_offset},
    tables::{AmdTable, TableVersion},
};

/// The roots with this file.
fn roots_with(file: &str) -> Vec<PathBuf> {
    let more = env::var_os("LUTHIER_HSA_ROOTS").unwrap_or_default();
    // (Of nothing there is one part, which is empty.)
    let more = env::split_paths(&more).filter(|root| !root.as_os_str().is_empty());
    let more: Vec<PathBuf> = more.collect();
    for root in &more {
        assert!(root.join(file).exists(), "{} has no {file}", root.display());
    }
    let mut roots = vec![PathBuf::from("/")];
    roots.retain(|root| root.join(file).exists());
    roots.extend(more);
    if roots.is_empty() {
        prerequisite::skip(&format!(
            "/{file} is missing (Debian package libhsa-runtime-dev)"
        ));
    }
    roots
}

/// Every entry that some layout has, without `hsa_amd_`.
fn names() -> Vec<&'static str> {
    let groups = LAYOUTS.iter().flat_map(|layout| layout.inserted);
    let newer = groups.flat_map(|group| group.names.iter().copied());
    let mut names: Vec<_> = AmdTable::ENTRIES.iter().map(|entry| entry.0).collect();
    names.extend(newer);
    names.sort_unstable();
    names.dedup();
    names
}

/// The offset at which our layouts say that a table has an entry.
fn ours(version: &TableVersion, name: &str) -> Option<usize> {
    match AmdTable::ENTRIES.iter().find(|(known, _)| *known == name) {
        Some((_, offset)) => amd_offset(version, *offset),
        None => newer_amd_offset(version, name),
    }
}

fn output(command: &mut Command) -> String {
    let output = command.output().expect("a compiler and binutils");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    String::from_utf8(output.stdout).expect("text")
}

/// Major version and size of the table, and offsets of the entries that the header has.
fn by_the_header(root: &Path, index: usize) -> (TableVersion, HashMap<&'static str, usize>) {
    let names = names();
    let mut source = String::from(
        "#define AMD_INTERNAL_BUILD\n#include <cstddef>\n#include <cstdio>\n#include <hsa.h>\n#include <hsa_api_trace.h>\n\
         template <class Table> void print() {\n\
         std::printf(\"%u %zu\\n\", HSA_AMD_EXT_API_TABLE_MAJOR_VERSION, sizeof(Table));\n",
    );
    for name in &names {
        let _ = writeln!(
            source,
            "if constexpr (requires(Table table) {{ table.hsa_amd_{name}_fn; }}) \
             std::printf(\"%zu\\n\", offsetof(Table, hsa_amd_{name}_fn)); else std::puts(\"0\");"
        );
    }
    source.push_str("}\nint main() { print<AmdExtTable>(); }\n");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let file = folder.join(format!("amd_table_{index}.cpp"));
    let program = file.with_extension("");
    std::fs::write(&file, source).expect("a source");
    let headers = format!("-I{}", root.join("usr/include/hsa").display());
    let options = ["-std=c++20", "-w", "-Wno-invalid-offsetof"];
    output(
        Command::new("c++")
            .args(options)
            .args([&headers, "-o"])
            .args([&program, &file]),
    );
    let printed = output(&mut Command::new(&program));
    let mut numbers = printed
        .split_whitespace()
        .map(|word| word.parse::<u32>().expect("a number"));
    let version = TableVersion {
        major: numbers.next().expect("a version"),
        minor: numbers.next().expect("a size"),
        ..Default::default()
    };
    let offsets: Vec<usize> = numbers.map(|offset| offset as usize).collect();
    assert_eq!(offsets.len(), names.len());
    let entries = names.into_iter().zip(offsets);
    (
        version,
        entries.filter(|(_, offset)| *offset != 0).collect(),
    )
}

#[test]
fn the_compiler_agrees_on_every_entry() {
    for (index, root) in roots_with("usr/include/hsa/hsa_api_trace.h")
        .iter()
        .enumerate()
    {
        let (version, theirs) = by_the_header(root, index);
        let place = root.display();
        let layout = Layout::of(&version).unwrap_or_else(|| panic!("{place}: unknown {version:?}"));
        for name in names() {
            let theirs = theirs.get(name).copied();
            assert_eq!(ours(&version, name), theirs, "{place}: {name}");
        }
        let (entries, size) = (theirs.len(), version.minor);
        println!(
            "{place}: {entries} entries, {size} bytes, as ROCr {}",
            layout.releases
        );
        // A header with more than we know has it at the end.
        let last = theirs.values().max().expect("entries");
        assert_eq!(*last, 16 + 8 * (entries - 1), "{place}");
    }
}

/// Every exported function of AMD's jumps to what the table has for it: `mov TABLE(%rip),%rax`, `jmp *OFFSET(%rax)`. One that is
/// not in the table jumps through something else that way.
fn by_the_code(runtime: &Path) -> HashMap<String, usize> {
    let code = output(
        Command::new("objdump")
            .args(["-d", "--no-show-raw-insn"])
            .arg(runtime),
    );
    let mut tables: HashMap<&str, HashMap<String, usize>> = HashMap::new();
    let (mut name, mut table) = (None, None);
    for line in code.lines() {
        if line.ends_with(">:") {
            let symbol = line.split(['<', '>', '@']).nth(1).unwrap_or_default();
            name = symbol.strip_prefix("hsa_amd_");
            continue;
        }
        let target = line.split_once("jmp ").map(|(_, target)| target.trim());
        let offset = target.and_then(|target| target.strip_prefix("*0x")?.strip_suffix("(%rax)"));
        if let (Some(offset), Some(table), Some(name)) = (offset, table, name) {
            let offset = usize::from_str_radix(offset, 16).expect("a number");
            let functions = tables.entry(table).or_default();
            functions.entry(name.to_owned()).or_insert(offset);
        }
        let loaded = line.split_once("mov ").and_then(|(_, operands)| {
            let (from, address) = operands.split_once("(%rip),%rax")?;
            from.trim().starts_with("0x").then_some(address)
        });
        table = loaded;
    }
    let table = tables.into_values().max_by_key(HashMap::len);
    table.expect("functions that jump through a table")
}

#[test]
fn the_runtime_jumps_to_where_the_entries_are() {
    for root in roots_with("usr/lib/x86_64-linux-gnu/libhsa-runtime64.so.1") {
        let theirs = by_the_code(&root.join("usr/lib/x86_64-linux-gnu/libhsa-runtime64.so.1"));
        let place = root.display();
        assert!(theirs.len() > 40, "{place}: {theirs:?}");
        // All of them end with an exported function, and sizes of both major versions have nothing in common.
        let minor = *theirs.values().max().expect("entries") as u32 + 8;
        let versions = [1, 2].map(|major| TableVersion {
            major,
            minor,
            ..Default::default()
        });
        let version = versions
            .iter()
            .find(|version| Layout::of(version).is_some());
        let version = version.unwrap_or_else(|| panic!("{place}: no layout has {minor} bytes"));
        let names = names();
        for (name, offset) in &theirs {
            let known = names.contains(&name.as_str());
            assert!(known, "{place}: {name} at {offset} is in no layout");
            assert_eq!(ours(version, name), Some(*offset), "{place}: {name}");
        }
        println!("{place}: {} functions, {minor} bytes", theirs.len());
    }
}
