//! `cargo xtask tool-abi`: writes what C and documentation have of the rows in `crates/instrument/tool-abi`.

use std::{
    collections::BTreeMap,
    fmt::Write,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};
use tool_abi::{Asked, Constant, Enumeration, Form, HOOK_VALUES, HookValueRow, Member, constants};

/// Columns of a line of C.
const WIDTH: usize = 140;

/// A part of a file that this task writes.
struct Section {
    file: &'static str,
    name: &'static str,
    text: fn() -> String,
}

const SECTIONS: &[Section] = &[
    Section {
        file: "include/luthier.h",
        name: "interface",
        text: interface,
    },
    Section {
        file: "include/luthier_device.h",
        name: "declarations",
        text: declarations,
    },
    Section {
        file: "include/luthier_device.h",
        name: "values",
        text: functions,
    },
    Section {
        file: "docs/tools/reference.md",
        name: "values",
        text: table,
    },
];

/// Writes all sections, and the lines of the layout that are new; or, with `check`, says which of them differ.
pub fn run(root: &Path, check: bool) -> Result<Vec<String>> {
    let mut files: BTreeMap<PathBuf, String> = BTreeMap::new();
    for section in SECTIONS {
        let path = root.join(section.file);
        let text = match files.remove(&path) {
            Some(text) => text,
            None => fs::read_to_string(&path).context(section.file)?,
        };
        files.insert(path, section.put_into(&text)?);
    }
    let layout = root.join(format!(
        "crates/instrument/tool-abi/layout-{}.txt",
        constants::API_VERSION
    ));
    let known = fs::read_to_string(&layout).unwrap_or_default();
    files.insert(layout, grown(&known)?);
    let mut complaints = Vec::new();
    for (path, text) in files {
        if fs::read_to_string(&path).unwrap_or_default() == text {
            continue;
        }
        let shown = path.strip_prefix(root).unwrap_or(&path).display();
        match check {
            true => complaints.push(format!(
                "{shown} differs from the rows of tool-abi: run `cargo xtask tool-abi`"
            )),
            false => fs::write(&path, text).with_context(|| shown.to_string())?,
        }
    }
    Ok(complaints)
}

impl Section {
    /// The lines around the section.
    fn marks(&self) -> [String; 2] {
        let name = self.name;
        let (open, close) = match self.file.ends_with(".md") {
            true => ("<!--", " -->"),
            false => ("//", ""),
        };
        [
            format!(
                "{open} Written by `cargo xtask tool-abi` from crates/instrument/tool-abi: {name}.{close}\n"
            ),
            format!("{open} End of what `cargo xtask tool-abi` writes: {name}.{close}\n"),
        ]
    }

    /// The file with the section as the rows have it.
    fn put_into(&self, text: &str) -> Result<String> {
        let [begin, end] = self.marks();
        let parts = text.split_once(&begin).and_then(|(before, rest)| {
            let (_, behind) = rest.split_once(&end)?;
            Some((before, behind))
        });
        let Some((before, behind)) = parts else {
            bail!(
                "{} lacks the lines around the section {}:\n{begin}{end}",
                self.file,
                self.name
            );
        };
        Ok(format!("{before}{begin}{}{end}{behind}", (self.text)()))
    }
}

/// The layout as tools were compiled with it, and behind it what is new. Facts that tools were compiled with must not change.
fn grown(known: &str) -> Result<String> {
    let mut present: Vec<(String, u64)> = Vec::new();
    for structure in tool_abi::all_structures() {
        // Only structures that say their size may grow.
        if structure
            .members
            .iter()
            .all(|row| row.name != "struct_size")
        {
            present.push((structure.name.to_owned(), structure.size as u64));
        }
        for member in structure.members {
            let name = format!("{}.{}", structure.name, member.name);
            present.push((name, member.offset as u64));
        }
    }
    for (_, all) in tool_abi::enumerations() {
        present.extend(
            all.iter()
                .map(|row| (row.name.to_owned(), row.value.into())),
        );
    }
    let mut text = known.to_owned();
    for line in known.lines() {
        let (name, value) = line.split_once(' ').context("a line without a value")?;
        let now = present.iter().find(|row| row.0 == name);
        let now = now.map(|row| row.1.to_string());
        if now.as_deref() != Some(value) {
            bail!(
                "{name} is {} and was {value} when tools were compiled with version {} of the interface. Put new members, functions and numbers \
                 behind the others. If tools have to be compiled again, raise API_VERSION. If none was compiled yet, take its line out of the \
                 file layout-*.txt",
                now.as_deref().unwrap_or("missing"),
                constants::API_VERSION
            );
        }
    }
    for (name, value) in present {
        let is_known = known
            .lines()
            .any(|line| line.split(' ').next() == Some(&name));
        if !is_known {
            let _ = writeln!(text, "{name} {value}");
        }
    }
    Ok(text)
}

/// Lines of a comment.
fn comment(out: &mut String, indent: &str, about: &[&str]) {
    for line in about {
        let _ = writeln!(out, "{indent}//{line}");
    }
}

/// A line with what it means: behind it if there is room, or else in lines before it.
fn explained(out: &mut String, line: &str, about: &[&str]) {
    match about {
        [] => {
            let _ = writeln!(out, "{line}");
        }
        [one] if line.len() + one.len() + 3 <= WIDTH && !line.contains('\n') => {
            let _ = writeln!(out, "{line} //{one}");
        }
        more => {
            comment(out, "  ", more);
            let _ = writeln!(out, "{line}");
        }
    }
}

/// `include/luthier.h`: numbers, structures and tables.
fn interface() -> String {
    let mut out = format!(
        "#define LUTHIER_API_VERSION {}\n#define LUTHIER_NO_DEVICE {:#x}u\n#define LUTHIER_OWN_MODULE {:#x}ull\n\nextern \"C\" {{\n",
        constants::API_VERSION,
        constants::NO_DEVICE,
        constants::OWN_MODULE
    );
    for (enumeration, all) in tool_abi::enumerations() {
        enumerators(&mut out, enumeration, &all);
    }
    out.push_str("// A packet of a queue, 64 bytes.\nstruct luthier_packet;\n\n");
    for structure in tool_abi::all_structures() {
        comment(&mut out, "", structure.about);
        out.push_str("typedef struct {\n");
        for Member {
            name,
            about,
            declared,
            ..
        } in structure.members
        {
            let line = wrapped(&format!("  {};", declared(name)));
            match line.contains("(*") {
                true => {
                    comment(&mut out, "  ", about);
                    let _ = writeln!(out, "{line}");
                }
                false => explained(&mut out, &line, about),
            }
        }
        let _ = writeln!(out, "}} {};\n", structure.name);
    }
    out.push_str("}\n");
    out
}

fn enumerators(out: &mut String, enumeration: &Enumeration, all: &[Constant]) {
    let name = enumeration.name;
    comment(out, "", enumeration.about);
    let _ = match enumeration.form {
        Form::Numbers => writeln!(out, "enum {name} {{"),
        Form::Bits => writeln!(out, "enum {name} : luthier_u32 {{"),
        Form::Type => writeln!(out, "typedef enum {{"),
    };
    for Constant { name, value, about } in all {
        let line = match enumeration.form {
            Form::Bits => format!("  {name} = 1u << {},", value.trailing_zeros()),
            Form::Numbers | Form::Type => format!("  {name} = {value},"),
        };
        explained(out, &line, about);
    }
    let _ = match enumeration.form {
        Form::Type => writeln!(out, "}} {name};\n"),
        Form::Numbers | Form::Bits => writeln!(out, "}};\n"),
    };
}

/// A declaration of a function, its parameters below each other's beginning.
fn wrapped(line: &str) -> String {
    let Some(first) = line.find(")(").map(|at| at + 2) else {
        return line.to_owned();
    };
    let (mut out, mut column) = (line[..first].to_owned(), first);
    for (index, parameter) in line[first..].split(", ").enumerate() {
        let width = parameter.len() + 2;
        if index != 0 {
            out.push(',');
            match column + width > WIDTH {
                true => {
                    let _ = write!(out, "\n{:first$}", "");
                    column = first;
                }
                false => out.push(' '),
            }
        }
        out.push_str(parameter);
        column += width;
    }
    out
}

/// Rows in the order of their functions in C.
fn asked() -> impl Iterator<Item = &'static HookValueRow> {
    HOOK_VALUES.iter().filter(|row| row.asked != Asked::Never)
}

fn unsigned(row: &HookValueRow) -> String {
    format!("luthier_u{}", row.dwords * 32)
}

/// The function that the compiler of hooks replaces by an input.
fn input(row: &HookValueRow) -> String {
    let file = if row.per_lane { "vector" } else { "scalar" };
    format!("__luthier_{file}{}_{}", row.dwords * 32, row.name)
}

/// The name of the value in the function that sets it.
fn parameter(row: &HookValueRow) -> &'static str {
    match row.dwords {
        2 => "mask",
        _ => "value",
    }
}

/// `include/luthier_device.h`: what the compiler of hooks replaces.
fn declarations() -> String {
    let mut out = String::new();
    for row in asked() {
        let _ = writeln!(
            out,
            "LUTHIER_SUPPLIED {} {}(void);",
            unsigned(row),
            input(row)
        );
    }
    for row in HOOK_VALUES.iter().filter(|row| row.written.is_some()) {
        let _ = writeln!(
            out,
            "LUTHIER_SUPPLIED void __luthier_write_{}({} {});",
            row.name,
            unsigned(row),
            parameter(row)
        );
    }
    out
}

/// `include/luthier_device.h`: functions for hooks.
fn functions() -> String {
    let mut out = String::new();
    let mut said: &[&str] = &[];
    for row in HOOK_VALUES {
        let HookValueRow { name, about, .. } = row;
        let input = input(row);
        let read = match row.asked {
            Asked::Never | Asked::ByHeader => None,
            Asked::Bit => Some(format!("bool {name}() {{ return {input}() != 0; }}")),
            Asked::Function => {
                let result = unsigned(row);
                Some(format!("{result} {name}() {{ return {input}(); }}"))
            }
        };
        if let Some(read) = read {
            // Once for all dimensions.
            if *about != said {
                comment(&mut out, "", about);
                said = about;
            }
            let _ = writeln!(out, "LUTHIER_INLINE {read}");
        }
        if let Some(written) = row.written {
            comment(&mut out, "", written);
            let value = parameter(row);
            let of_type = match row.asked {
                Asked::Bit => "bool".to_owned(),
                _ => unsigned(row),
            };
            let _ = writeln!(
                out,
                "LUTHIER_INLINE void write_{name}({of_type} {value}) {{ __luthier_write_{name}({value}); }}"
            );
        }
    }
    out
}

/// `docs/tools/reference.md`: the values, and what each language calls them.
fn table() -> String {
    let mut out = String::from(
        "\n| function for hooks | argument in a description | kind of argument for host code | value |\n|---|---|---|---|\n",
    );
    for row in HOOK_VALUES {
        let name = row.name;
        let mut functions = Vec::new();
        if matches!(row.asked, Asked::Function | Asked::Bit) {
            functions.push(format!("`{name}()`"));
        }
        if row.written.is_some() {
            functions.push(format!("`write_{name}({})`", parameter(row)));
        }
        let word = match row.word {
            "" => String::new(),
            word => format!("`\"{word}\"`"),
        };
        if functions.is_empty() && word.is_empty() {
            continue;
        }
        let kind = row
            .argument
            .map_or_else(String::new, |(_, name)| match row.dimension {
                Some(dimension) => format!("`{name}`, {dimension}"),
                None => format!("`{name}`"),
            });
        let about = row.about.concat();
        let _ = writeln!(
            out,
            "| {} | {word} | {kind} | {} |",
            functions.join(", "),
            about.trim()
        );
    }
    out.push('\n');
    out
}

#[cfg(test)]
mod tests {
    use super::{grown, run};

    #[test]
    fn headers_and_documentation_have_what_the_rows_say() {
        let complaints = run(&crate::root(), true).unwrap();
        assert_eq!(complaints, Vec::<String>::new());
    }

    #[test]
    fn what_tools_were_compiled_with_does_not_move() {
        let whole = grown("").unwrap();
        assert_eq!(grown(&whole).unwrap(), whole);
        let moved = whole.replace("luthier_api.option 208\n", "luthier_api.option 216\n");
        assert_ne!(moved, whole);
        let error = grown(&moved).unwrap_err().to_string();
        let said = "luthier_api.option is 208 and was 216 when tools were compiled with version 2";
        assert!(error.contains(said), "{error}");
        let gone = format!("{whole}luthier_api.gone 512\n");
        let error = grown(&gone).unwrap_err().to_string();
        assert!(error.contains("luthier_api.gone is missing"), "{error}");
    }
}
