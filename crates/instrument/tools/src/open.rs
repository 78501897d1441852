//! Tools by name or path.

use crate::TOOLS;
use codeobj::elf::{Binding, Elf, Symbol};
use luthier::{Declarative, Tool, ToolFile};
use std::path::{Path, PathBuf};

/// In place of a tool's name: look at what is in the program already.
pub const BUILT_IN: &str = "built-in";
/// Ending of a built tool.
pub const SUFFIX: &str = "tool";
/// Tools and their libraries have no more bytes.
const LARGEST: u64 = 1 << 30;

/// The known name that is nearest to one that is not, if it is near at all.
pub fn nearest<'a>(given: &str, known: &[&'a str]) -> Option<&'a str> {
    let most = (given.len() / 3).clamp(1, 3);
    let near = known.iter().filter_map(|name| {
        let distance = strsim::damerau_levenshtein(given, name);
        (distance <= most).then_some((distance, *name))
    });
    near.min().map(|(_, name)| name)
}

#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("-t names no tool; `luthier tool list` lists the ready tools")]
    NoName,
    #[error(
        "no tool {name}{meant}: there is {known}, and no file of that name; build one with `luthier tool build`"
    )]
    Unknown {
        name: String,
        /// One that may have been meant, as the message goes on with it.
        meant: String,
        known: String,
    },
    #[error("no tool {0} comes with Luthier; for the file that lies here, say -t ./{0}.{SUFFIX}")]
    Here(String),
    #[error("tool {name} is not built ({}): run `./dev build`, or `luthier tool build --ready`", path.display())]
    NotBuilt { name: String, path: PathBuf },
    #[error("{tool}:{parameter} gives the parameter no value: write {tool}:{parameter}=VALUE")]
    NoValue { tool: String, parameter: String },
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("{0} is a library with host code, which only `luthier run` can call")]
    Library(String),
    #[error("tool {0} has host code of its own, which only `luthier run` can call")]
    HostCode(String),
    #[error(transparent)]
    Tool(#[from] luthier::Error),
}

/// The name under which a tool reports: of a path, the file's without its ending; of a library, without the `lib` in front either.
pub fn name_of(tool: &str) -> String {
    let stem = Path::new(tool)
        .file_stem()
        .map(|stem| stem.to_string_lossy());
    match stem {
        Some(stem) if is_library(tool) => {
            let name = stem.strip_prefix("lib").filter(|name| !name.is_empty());
            name.unwrap_or(&stem).to_owned()
        }
        Some(stem) if is_path(tool) => stem.into_owned(),
        _ => tool.to_owned(),
    }
}

/// A tool as `-t` names it, and the values of its parameters. For a library with several tools: `ONE:NAME` for a parameter of one tool, and
/// `ONE:` for a tool that is to run.
pub type Given<'a> = (&'a str, Vec<(String, &'a str)>);

/// Takes a list apart as `-t` takes it: `TOOL,TOOL:NAME=VALUE,NAME=VALUE,LIBRARY.so:ONE:NAME=VALUE`.
pub fn given(list: &str) -> Vec<Given<'_>> {
    let mut tools: Vec<Given<'_>> = Vec::new();
    let mut one = "";
    for part in list.split(',').filter(|part| !part.is_empty()) {
        let colon = part.rfind(':').filter(|at| part[*at..].contains('='));
        let (tool, option) = match (colon, part.split_once('=')) {
            (Some(at), _) => (Some(&part[..at]), part[at + 1..].split_once('=')),
            (None, Some(option)) if tools.last().is_some_and(|last| !last.1.is_empty()) => {
                (None, Some(option))
            }
            (None, _) => (Some(part), None),
        };
        if let Some(tool) = tool {
            let library;
            (library, one) = one_of_several(tool);
            tools.push((library, Vec::new()));
        }
        let Some((_, options)) = tools.last_mut() else {
            continue;
        };
        let prefix = match one {
            "" => String::new(),
            one => format!("{one}:"),
        };
        if tool.is_some() && !one.is_empty() {
            options.push((prefix.clone(), ""));
        }
        options.extend(option.map(|(name, value)| (prefix + name, value)));
    }
    tools
}

/// A library's path, and the name of one of its tools where `LIBRARY.so:NAME` was said.
fn one_of_several(tool: &str) -> (&str, &str) {
    let colon = tool.rfind(".so:").map(|at| at + ".so".len());
    match colon.map(|at| (&tool[..at], &tool[at + 1..])) {
        Some((library, one)) if !one.contains('/') => (library, one),
        _ => (tool, ""),
    }
}

/// The tools of a library, called `known`, that are to run by the result of [`given`], each with the values of its parameters: all of them
/// unless some are named. The error names one that does not exist.
pub fn chosen_of<'a>(
    known: &[&'a str],
    said: &[(&str, &'a str)],
) -> Result<Vec<ChosenTool<'a>>, String> {
    let named = |text: &str| text.split_once(':').map(|(one, _)| one.to_owned());
    let wanted: Vec<String> = said.iter().filter_map(|(key, _)| named(key)).collect();
    if let Some(unknown) = wanted.iter().find(|one| !known.contains(&one.as_str())) {
        return Err(format!("has no tool {unknown}, but {}", known.join(", ")));
    }
    let runs = |name: &&&str| wanted.is_empty() || wanted.iter().any(|one| one == **name);
    let chosen = known.iter().filter(runs).map(|name| {
        let own = said.iter().filter_map(|(key, value)| {
            let key = match key.split_once(':') {
                Some((one, key)) => (one == *name && !key.is_empty()).then_some(key)?,
                None => key,
            };
            Some((key.to_owned(), *value))
        });
        (*name, own.collect())
    });
    Ok(chosen.collect())
}

/// The name of one of a library's tools, and what is said of its parameters.
pub type ChosenTool<'a> = (&'a str, Vec<(String, &'a str)>);

/// The parameter values for the tool that reports as `name`, in the form of [`OPTIONS`].
pub fn options_of<'a>(name: &str, all: &'a str) -> Vec<(&'a str, &'a str)> {
    let lines = all.lines().filter_map(|line| line.split_once('\t'));
    let own = lines.filter(|(tool, _)| *tool == name);
    own.filter_map(|(_, option)| option.split_once('='))
        .collect()
}

/// Environment variable with the libraries that the user named, for those tools that are made of one: lines of
/// `TOOL<tab>LIBRARY`, where TOOL is the path in `LUTHIER_TOOL`.
pub const LIBRARIES: &str = "LUTHIER_TOOL_LIBRARIES";

/// The name that the user gave for the tool at this path, from [`LIBRARIES`]: messages use that name.
pub fn named_as(tool: &Path, libraries: &str) -> PathBuf {
    let mut rows = libraries.lines().filter_map(|line| line.split_once('\t'));
    let row = rows.find(|(path, _)| Path::new(path) == tool);
    row.map_or_else(|| tool.to_owned(), |(_, library)| PathBuf::from(library))
}

/// Lines of `NAME<tab>PARAMETER=VALUE`, by the names that tools report under.
pub const OPTIONS: &str = "LUTHIER_TOOL_OPTIONS";

/// Tools of a run, each once.
pub struct ToolSet<'a> {
    /// As they were given, with the names that they go by: two files of one name have different ones.
    pub chosen: Vec<(&'a str, String)>,
    /// Tools that were named again, which would count twice.
    pub repeated: Vec<&'a str>,
}

/// Tells tools apart: variables and reports go by names.
pub fn distinct(tools: &[String]) -> ToolSet<'_> {
    let mut distinct = ToolSet {
        chosen: Vec::new(),
        repeated: Vec::new(),
    };
    let mut known = Vec::new();
    for tool in tools {
        let identity = match is_path(tool) || is_library(tool) {
            true => std::fs::canonicalize(tool).unwrap_or_else(|_| PathBuf::from(tool)),
            false => PathBuf::from(tool),
        };
        if known.contains(&identity) {
            distinct.repeated.push(tool);
            continue;
        }
        known.push(identity);
        let plain = name_of(tool);
        let taken = |name: &String| distinct.chosen.iter().any(|(_, other)| other == name);
        let numbered = (2..).map(|number| format!("{plain}-{number}"));
        let mut names = std::iter::once(plain.clone()).chain(numbered);
        let name = names.find(|name| !taken(name)).unwrap_or_default();
        distinct.chosen.push((tool, name));
    }
    distinct
}

/// The tools of a run that have no host code of their own, under names of their own; each as `-t` has it, or several with commas between.
pub fn open_all(lists: &[String], directory: &Path) -> Result<Vec<Box<dyn Tool>>, OpenError> {
    let given: Vec<_> = lists.iter().flat_map(|list| given(list)).collect();
    if given.is_empty() && !lists.is_empty() {
        return Err(OpenError::NoName);
    }
    let plain: Vec<String> = given.iter().map(|(tool, _)| (*tool).to_owned()).collect();
    let chosen = distinct(&plain).chosen.into_iter();
    let opened = chosen.map(|(tool, name)| {
        let said = given.iter().filter(|(known, _)| *known == tool);
        let options: Vec<_> = said
            .flat_map(|(_, options)| options.iter().map(|(key, value)| (key.as_str(), *value)))
            .collect();
        let opened = open_with(tool, &name, directory, options)?;
        match opened.info().file.has_host_code() {
            true => Err(OpenError::HostCode(name)),
            false => Ok(opened),
        }
    });
    opened.collect()
}

/// A tool by name, from `directory`, or by path.
pub fn open(tool: &str, directory: &Path) -> Result<Box<dyn Tool>, OpenError> {
    open_as(tool, &name_of(tool), directory)
}

/// The same, which reports under a name of the caller's choice, with what [`OPTIONS`] says in the environment.
pub fn open_as(tool: &str, reports_as: &str, directory: &Path) -> Result<Box<dyn Tool>, OpenError> {
    let all = std::env::var(OPTIONS).unwrap_or_default();
    open_with(tool, reports_as, directory, options_of(reports_as, &all))
}

fn open_with(
    tool: &str,
    reports_as: &str,
    directory: &Path,
    options: Vec<(&str, &str)>,
) -> Result<Box<dyn Tool>, OpenError> {
    if is_library(tool) {
        return Err(OpenError::Library(tool.to_owned()));
    }
    if let Some((tool, parameter)) = without_value(tool) {
        return Err(OpenError::NoValue {
            tool: tool.to_owned(),
            parameter: parameter.to_owned(),
        });
    }
    let name = name_of(tool);
    let ready = TOOLS.iter().find(|ready| ready.name == name);
    let path = if is_path(tool) {
        PathBuf::from(tool)
    } else if ready.is_some() {
        directory.join(format!("{name}.{SUFFIX}"))
    } else if Path::new(&format!("{name}.{SUFFIX}")).is_file() {
        return Err(OpenError::Here(name));
    } else {
        let names: Vec<_> = TOOLS.iter().map(|ready| ready.name).collect();
        let known = names.join(", ");
        let meant = nearest(&name, &names).map(|meant| format!(" (did you mean {meant}?)"));
        return Err(OpenError::Unknown {
            name,
            meant: meant.unwrap_or_default(),
            known,
        });
    };
    let bytes =
        outputs::read_regular(&path, LARGEST).map_err(|source| match (source.kind(), ready) {
            (std::io::ErrorKind::NotFound, Some(_)) => OpenError::NotBuilt {
                name: name.clone(),
                path: path.clone(),
            },
            _ => OpenError::Unreadable {
                path: path.clone(),
                source,
            },
        })?;
    let file = ToolFile::parse(reports_as, &bytes)?.with_options(options)?;
    Ok(match ready {
        Some(ready) => (ready.make)(file),
        None => Box::new(Declarative(file)),
    })
}

/// A tool and its parameter where a user wrote `TOOL:PARAMETER`.
fn without_value(tool: &str) -> Option<(&str, &str)> {
    let (file, parameter) = tool.rsplit_once(':')?;
    let is_ready = TOOLS.iter().any(|ready| ready.name == file);
    let is_tool = is_ready || is_path(file) && Path::new(file).is_file();
    (is_tool && !Path::new(tool).exists()).then_some((file, parameter))
}

/// The tool with this file: a ready tool if it has the name of one, else a declarative one.
pub fn with_host_code(file: ToolFile) -> Box<dyn Tool> {
    match TOOLS.iter().find(|ready| ready.name == file.name()) {
        Some(ready) => (ready.make)(file),
        None => Box::new(Declarative(file)),
    }
}

/// The bytes of a library that a user named as a tool, which has to be a regular file.
pub fn read_library(path: &Path) -> std::io::Result<Vec<u8>> {
    outputs::read_regular(path, LARGEST)
}

/// Returns `true` if a library is a tool with host code in C++, from `hipcc` or another HIP compiler: it exports what
/// `MARK_LUTHIER_DEVICE_MODULE` defines.
pub fn is_stock(library: &[u8]) -> bool {
    exports(library, |name| name == "luthier_tool")
}

/// Returns `true` if the host code of a tool has functions that stand in for those of HIP (`LUTHIER_WRAP_HIP`).
pub fn wraps(library: &[u8]) -> bool {
    exports(library, |name| name.starts_with("luthier_wraps_"))
}

/// Functions in the host code of a tool that are named like callbacks and are none: their names or their parameters differ.
/// `include/luthier.h` declares callbacks as weak symbols, so that those that a tool defines are weak, too.
pub fn stray_callbacks(library: &[u8]) -> Vec<String> {
    let strong = |symbol: &Symbol<'_>| symbol.is_defined() && symbol.binding == Binding::Global;
    let names = dynamic(library, |symbol| {
        strong(symbol).then(|| demangle::readable(symbol.name))
    });
    let mut names: Vec<_> = names
        .into_iter()
        .filter(|name| name.starts_with("luthier_at_"))
        .collect();
    names.sort();
    names
}

fn exports(library: &[u8], wanted: impl Fn(&str) -> bool) -> bool {
    !dynamic(library, |symbol| wanted(symbol.name).then_some(())).is_empty()
}

/// Makes something of each dynamic symbol of a library, and nothing of a library that cannot be read.
fn dynamic<T>(library: &[u8], made: impl Fn(&Symbol<'_>) -> Option<T>) -> Vec<T> {
    /// `SHT_DYNSYM`.
    const SYMBOLS: u32 = 11;
    let symbols = Elf::parse(library).and_then(|elf| elf.symbols(SYMBOLS));
    symbols
        .unwrap_or_default()
        .iter()
        .filter_map(made)
        .collect()
}

/// Returns `true` if this names a library: one with host code in Rust, or one from a HIP compiler ([`is_stock`]).
pub fn is_library(tool: &str) -> bool {
    tool.ends_with(".so")
}

/// The path of a ready tool in `directory`, if this is the name of one.
pub fn ready_path(tool: &str, directory: &Path) -> Option<PathBuf> {
    let known = TOOLS.iter().any(|ready| ready.name == tool);
    known.then(|| directory.join(format!("{tool}.{SUFFIX}")))
}

fn is_path(tool: &str) -> bool {
    tool.contains('/') || tool.ends_with(&format!(".{SUFFIX}"))
}

/// Whether a text is what `--site` takes.
pub fn check_filter(text: &str) -> Result<(), OpenError> {
    text.parse::<luthier::SiteFilter>()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_go_by_the_names_of_their_files() {
        for (tool, name) in [
            ("instr-count", "instr-count"),
            ("./my.tool", "my"),
            ("target/release/libhot_blocks.so", "hot_blocks"),
            ("counter.so", "counter"),
            ("./lib.so", "lib"),
            ("./libs.tool", "libs"),
        ] {
            assert_eq!(name_of(tool), name);
        }
    }

    #[test]
    fn lists_of_tools_have_options() {
        let none = Vec::new;
        assert_eq!(given("a,b"), [("a", none()), ("b", none())]);
        assert_eq!(
            given("a:x=1,y=2,b,./c.so:z=q=r"),
            [
                ("a", vec![("x".to_owned(), "1"), ("y".to_owned(), "2")]),
                ("b", none()),
                ("./c.so", vec![("z".to_owned(), "q=r")])
            ]
        );
        assert_eq!(
            given("a.so:one,a.so:two:x=1,y=2"),
            [
                ("a.so", vec![("one:".to_owned(), "")]),
                (
                    "a.so",
                    ["two:", "two:x", "two:y"]
                        .map(str::to_owned)
                        .into_iter()
                        .zip(["", "1", "2"])
                        .collect()
                )
            ]
        );
        // (A file may be called so.)
        assert_eq!(given("x=y"), [("x=y", none())]);
        assert_eq!(
            options_of("a", "a\tx=1\nb\tx=2\na\ty="),
            [("x", "1"), ("y", "")]
        );
    }

    #[test]
    fn some_tools_of_a_library_run() {
        let known = ["one", "two"];
        let x = |value| vec![("x".to_owned(), value)];
        let all = chosen_of(&known, &[("x", "1")]).unwrap();
        assert_eq!(all, [("one", x("1")), ("two", x("1"))]);
        let some = chosen_of(&known, &[("two:", ""), ("two:x", "2")]).unwrap();
        assert_eq!(some, [("two", x("2"))]);
        let unknown = chosen_of(&known, &[("three:", "")]).unwrap_err();
        assert_eq!(unknown, "has no tool three, but one, two");
    }
}
