//! The options of `luthier run` that choose tools and what they look at.

use std::{
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};

use launcher::{hsa_tools, libraries, preload};

use crate::{
    built_in,
    ledger::Ledger,
    rust_tool,
    stock::{self, Prepared},
};

/// The checks that `--strict` turns on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Strict {
    Memory,
    Hooks,
    #[value(hide = true)]
    All,
}

#[derive(Args, Default)]
pub struct WithTools {
    /// A tool: a name from `luthier tool list` or the path of a built tool; several are composed. TOOL:NAME=VALUE,NAME=VALUE sets its
    /// parameters (`luthier tool info TOOL` lists them). LIBRARY.so:NAME chooses one of several tools in a library
    #[arg(short, long = "tool", value_name = "TOOL")]
    tools: Vec<String>,
    /// Only kernels whose name matches
    #[arg(short, long, value_name = "REGEX")]
    kernel: Option<String>,
    /// Only these launches of each kernel, counted from 0: N, N.., N..M (without M), N..=M, or several: 0,4..8
    #[arg(long, value_name = "RANGE")]
    launch: Option<String>,
    /// Only the first launch of each kernel and then every Nth
    #[arg(long, value_name = "N")]
    every: Option<String>,
    /// Only launches with this grid in work-items: X, X,Y or X,Y,Z, * for any; or >=N, <=N for all of them
    #[arg(long, value_name = "GRID")]
    grid: Option<String>,
    /// Only places where all conditions hold: opcode=PATTERN, kind=CLASS (load, store, valu, f32, ...; also A|B, A&B, !A)
    #[arg(long, value_name = "CONDITION")]
    site: Vec<String>,
    /// `memory`: the emulated GPU stops accesses beyond the last byte of an allocation or of a workgroup's LDS, and to freed memory;
    /// `hooks`: a kernel is not instrumented if one of its places cannot take a hook, instead of leaving out that place; both if none is
    /// named
    #[arg(long, value_name = "WHAT", num_args = 0..=1, require_equals = true, default_missing_value = "all")]
    strict: Option<Strict>,
    /// One launch at a time: each waits for the one before it, also of other queues and devices
    #[arg(long)]
    serialize: bool,
    /// End the program when a launch runs longer, as Ctrl-C would, and say where its waves are: in which hook, at which instruction
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    kernel_limit: Option<u64>,
    /// Only places in functions whose name matches
    #[arg(long, value_name = "REGEX")]
    function: Option<String>,
    /// Only places that come from these source lines
    #[arg(long, value_name = "FILE:FIRST-LAST")]
    source: Option<String>,
    /// Only what waves of this workgroup execute: X, X,Y or X,Y,Z; * for any
    #[arg(long, value_name = "NUMBER")]
    workgroup: Option<String>,
    /// Only the first N executions of each place by waves
    #[arg(long, value_name = "N")]
    first: Option<String>,
    /// Only the first execution of each place by a wave, and then every Nth
    #[arg(long, value_name = "N")]
    sample: Option<String>,
}

impl WithTools {
    /// Adds what a report is made of: the counts of instructions, and if no tool was named everything that costs little.
    /// Tools that are in the program already stay alone.
    pub fn for_report(&mut self, program: &std::ffi::OsStr) {
        const ALL: [&str; 5] = [
            "hotspots",
            "mem-coalesce",
            "lds-conflicts",
            "branch-divergence",
            "launch-log",
        ];
        let alone = |tool: &String| [tools::BUILT_IN, "identity"].contains(&tool.as_str());
        if self.tools.iter().any(alone) {
            return;
        }
        // Counts of some instructions would be taken for those of all.
        let everywhere = self.site.is_empty() && self.conditions().next().is_none();
        let [hotspots, others @ ..] = ALL;
        match self.tools.is_empty() {
            true if !built_in::tools(program).is_empty() => return,
            true => self.tools.extend(others.map(str::to_owned)),
            false => {}
        }
        if everywhere {
            self.add(hotspots);
        }
    }

    /// One tool, for all kernels.
    pub fn one(tool: &str) -> WithTools {
        WithTools {
            tools: vec![tool.to_owned()],
            ..WithTools::default()
        }
    }

    /// Adds a tool unless it is there.
    pub fn add(&mut self, tool: &str) {
        let mut lists = self.tools.iter();
        if !lists.any(|list| tools::given(list).iter().any(|(known, _)| *known == tool)) {
            self.tools.push(tool.to_owned());
        }
    }

    /// The expression for kernels' names.
    pub fn kernel(&self) -> Option<&str> {
        self.kernel.as_deref()
    }

    /// Whether the emulated GPU is to be exact about memory; `Some(true)`: it has to, for nothing else was asked for.
    pub fn exact_memory(&self) -> Option<bool> {
        match self.strict? {
            Strict::Memory => Some(true),
            Strict::All => Some(false),
            Strict::Hooks => None,
        }
    }

    /// The options that select kernels and launches, with the names they have in [`luthier::SETTINGS`].
    fn selected(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let options = [
            ("--kernel", &self.kernel),
            ("--launch", &self.launch),
            ("--every", &self.every),
            ("--grid", &self.grid),
        ];
        options
            .into_iter()
            .filter_map(|(name, value)| Some((name, value.as_deref()?)))
    }

    /// The conditions of `--site` that the other options for places and their executions stand for, by option.
    fn conditions(&self) -> impl Iterator<Item = (&'static str, String)> {
        let options = [
            ("--function", &self.function),
            ("--source", &self.source),
            ("--workgroup", &self.workgroup),
            ("--first", &self.first),
            ("--sample", &self.sample),
        ];
        let given = options.into_iter();
        given.filter_map(|(option, value)| {
            let value = value.as_deref()?;
            Some((option, format!("{}={value}", &option[2..])))
        })
    }

    /// The options that choose kernels, launches, places and executions. `records`: `--kernel` also chooses what is recorded.
    fn choices(&self, records: bool) -> impl Iterator<Item = &'static str> {
        let selected = self.selected().map(|(name, _)| name);
        let of_kernels = move |name: &&str| *name != "--kernel" || !records;
        let places = (!self.site.is_empty()).then_some("--site");
        let conditions = self.conditions().map(|(option, _)| option);
        selected.filter(of_kernels).chain(conditions).chain(places)
    }

    /// The first option that means nothing without tools.
    fn without_effect(&self, records: bool) -> Option<&'static str> {
        let others = [
            ("--serialize", self.serialize),
            ("--kernel-limit", self.kernel_limit.is_some()),
            ("--strict=hooks", self.strict == Some(Strict::Hooks)),
        ];
        let others = others.into_iter();
        let others = others.filter_map(|(name, given)| given.then_some(name));
        self.choices(records).chain(others).next()
    }

    /// Refuses what has no effect on tools that are in files already. It warns if tools in the program count and no output gets the counts.
    fn check_files(&self, command: &Command, in_program: &[String], records: bool) -> Result<()> {
        let named = self.tools.iter().flat_map(|list| tools::given(list));
        let (of_files, others): (Vec<_>, Vec<_>) =
            named.partition(|(tool, _)| *tool == tools::BUILT_IN);
        if let ([_, ..], [(other, _), ..]) = (&of_files[..], &others[..]) {
            bail!(
                "{} shows what tools in files find out, and {other} cannot run beside those; name one of the two",
                tools::BUILT_IN
            );
        }
        let alone = self.tools.is_empty() || !of_files.is_empty();
        match self.choices(records).next() {
            Some(option) if alone => bail!(
                "{option} has no effect on tools that are in files already; `luthier instrument` takes -k and --site when it puts them there"
            ),
            _ if others.is_empty() || in_program.is_empty() => {}
            _ => command::say!(
                "luthier: {} has tools in it ({}); its kernels run with those, and what they count is not shown",
                command.get_program().display(),
                in_program.join(", ")
            ),
        }
        Ok(())
    }

    /// Checks what was asked for and tells the program's process. Tools that are in the program already are looked at if no
    /// others are named. With tools, there is a ledger to look at when the program has ended.
    /// `records`: dispatches are recorded, which kernels can be selected for as well.
    pub fn apply(&self, command: &mut Command, records: bool) -> Result<Option<Ledger>> {
        luthier::Selection::of_options(self.selected())?;
        let in_program = built_in::tools(command.get_program());
        if self.tools.is_empty() && in_program.is_empty() {
            return match self.without_effect(records) {
                Some(option) => {
                    bail!("{option} is for tools, and there are none: add -t TOOL")
                }
                None => Ok(None),
            };
        }
        self.check_files(command, &in_program, records)?;
        let Chosen {
            given,
            named,
            options,
            prepared,
        } = self.chosen()?;
        let directory = libraries::tools_directory()?;
        let own = check_together(&named, &directory, &options)?;
        let mut conditions = self.site.clone();
        conditions.extend(self.conditions().map(|(_, condition)| condition));
        let conditions = conditions.join(";");
        tools::check_filter(&conditions)?;
        let ours = match own {
            Some(library) => {
                let library = std::path::absolute(library)?;
                rust_tool::check_library(&library)?;
                library
            }
            None => libraries::intercept()?,
        };
        let others = hsa_tools::requested(command);
        let paths = absolute(&named, own.map(|_| directory.as_path()));
        if let Some(path) = paths.iter().find(|path| path.contains([',', ':'])) {
            bail!(
                "{path}: LUTHIER_TOOL has commas and colons between tools, so that no path of a tool may have one; link the tool to another place"
            );
        }
        command
            .env("HSA_TOOLS_LIB", with_others(&ours, &others))
            .env(tools::LIBRARIES, made_of(&paths, &named, &given))
            .env("LUTHIER_TOOL", paths.join(","))
            .env(tools::OPTIONS, options)
            .env("LUTHIER_SITE", conditions);
        wrap_calls(command, &ours, &named);
        self.tell_settings(command);
        let mut ledger = Ledger::open(command)?;
        ledger.keep(prepared);
        Ok(Some(ledger))
    }

    /// The tools that `-t` names, each once.
    fn chosen(&self) -> Result<Chosen> {
        let given: Vec<_> = self
            .tools
            .iter()
            .flat_map(|list| tools::given(list))
            .collect();
        if given.is_empty() && !self.tools.is_empty() {
            bail!("-t names no tool; `luthier tool list` lists the ready tools");
        }
        let plain: Vec<String> = given.iter().map(|(tool, _)| (*tool).to_owned()).collect();
        let distinct = tools::distinct(&plain);
        // Several tools of one library are no repetition.
        let several = |tool: &&&str| {
            let options = given.iter().filter(|(known, _)| known == *tool);
            let mut keys = options.flat_map(|(_, options)| options.iter().map(|(key, _)| key));
            keys.any(|key| key.ends_with(':'))
        };
        for tool in distinct.repeated.iter().filter(|tool| !several(tool)) {
            command::say!("luthier: {tool} is named twice; it runs once");
        }
        let chosen = distinct.chosen.iter();
        let wanted: Vec<String> = chosen.map(|(tool, _)| (*tool).to_owned()).collect();
        let options = options(&given, &distinct.chosen);
        let (named, prepared) = prepare(wanted.clone())?;
        for (index, tool) in named.iter().enumerate() {
            if let Some(first) = named[..index].iter().position(|other| other == tool) {
                command::say!(
                    "luthier: {} is a copy of {}; it runs once",
                    wanted[index],
                    wanted[first]
                );
            }
        }
        Ok(Chosen {
            given: wanted,
            named,
            options,
            prepared,
        })
    }

    /// Tells the program's process how kernels and launches are selected, and what else was asked for.
    fn tell_settings(&self, command: &mut Command) {
        if self.serialize {
            command.env("LUTHIER_SERIALIZE", "1");
        }
        if let Some(limit) = self.kernel_limit {
            command.env("LUTHIER_KERNEL_LIMIT", limit.to_string());
        }
        if matches!(self.strict, Some(Strict::Hooks | Strict::All)) {
            command.env("LUTHIER_STRICT", "1");
        }
        for setting in &luthier::SETTINGS {
            if let Some((_, value)) = self.selected().find(|(name, _)| *name == setting.option) {
                command.env(setting.variable, value);
            }
        }
    }
}

/// The tools that a user named.
struct Chosen {
    /// As the user wrote them.
    given: Vec<String>,
    /// Their kinds, in the same order.
    named: Vec<String>,
    /// Values of their parameters.
    options: String,
    /// Libraries that stand in for stock tools, for as long as the program runs.
    prepared: Vec<Prepared>,
}

/// Checks that these tools take these values, and that they can be in one process. Returns the library among them that has all of Luthier
/// in it.
fn check_together<'a>(
    named: &'a [String],
    directory: &Path,
    options: &str,
) -> Result<Option<&'a String>> {
    let with_file = |tool: &&String| ![tools::BUILT_IN, "identity"].contains(&tool.as_str());
    let (own, others): (Vec<_>, Vec<_>) = named.iter().partition(|tool| tools::is_library(tool));
    for tool in others.into_iter().filter(with_file) {
        let opened = tools::open(tool, directory)?;
        let own = tools::options_of(opened.info().name, options);
        let file = opened.info().file.clone().with_options(own)?;
        if file.has_host_code() && tool.contains('/') {
            warn_of_stray_callbacks(&tool_capi::beside(&file, Path::new(tool))?);
        }
    }
    if let [first, second, ..] = own[..] {
        bail!(
            "{first} and {second} cannot run together, because each has all of Luthier in it; one library may have several tools"
        );
    }
    Ok(own.first().copied())
}

/// Says which functions in a tool's host code are named like callbacks and are none.
pub fn warn_of_stray_callbacks(library: &Path) {
    let bytes = tools::read_library(library).unwrap_or_default();
    for function in tools::stray_callbacks(&bytes) {
        command::say!(
            "luthier: warning: {function} of {} is no callback of luthier.h: its name or its parameters differ",
            library.display()
        );
    }
}

/// Luthier's library, and the tools of ROCr that the user asked for, with spaces between them. Luthier's comes first, so that it sees
/// dispatches first, and only once.
fn with_others(ours: &Path, others: &OsStr) -> OsString {
    let mut libraries = ours.as_os_str().to_owned();
    let others = others.to_string_lossy();
    let others = others.split_whitespace().map(Path::new);
    for other in others.filter(|other| other.file_name() != ours.file_name()) {
        libraries.push(" ");
        libraries.push(other);
    }
    libraries
}

/// Has Luthier's library begin before the program does, if a tool wraps calls of it.
fn wrap_calls(command: &mut Command, ours: &Path, named: &[String]) {
    let wrapping = wrapping(named);
    // (The linker's list has no way to write these.)
    let mut bytes = ours.as_os_str().as_encoded_bytes().iter();
    let is_plain = !bytes.any(|byte| b" :\t\n".contains(byte));
    if !wrapping.is_empty() && is_plain {
        command.env(tool_capi::WRAPS, wrapping.join(":"));
        preload::put_last(command, ours.as_os_str());
    }
}

/// Values of tools' parameters, by the names that the tools report under.
fn options(given: &[tools::Given<'_>], chosen: &[(&str, String)]) -> String {
    let mut lines = String::new();
    for (tool, options) in given {
        let name = chosen.iter().find(|(known, _)| known == tool);
        let name = name.map_or_else(|| tools::name_of(tool), |(_, name)| name.clone());
        for (key, value) in options {
            lines.push_str(&format!("{name}\t{key}={value}\n"));
        }
    }
    lines
}

/// The host code of those tools that wrap functions of HIP.
fn wrapping(tools: &[String]) -> Vec<String> {
    let libraries = tools
        .iter()
        .filter(|tool| tool.contains('/'))
        .map(|tool| tool_capi::library_of(Path::new(tool)));
    let wrapping = libraries.filter(|library| {
        let bytes = tools::read_library(library);
        bytes.is_ok_and(|bytes| tools::wraps(&bytes))
    });
    let absolute = wrapping.filter_map(|library| std::path::absolute(library).ok());
    absolute.map(|path| path.display().to_string()).collect()
}

/// Libraries from HIP compilers are replaced by what is made of them.
fn prepare(tools: Vec<String>) -> Result<(Vec<String>, Vec<Prepared>)> {
    let mut kept = Vec::new();
    let prepared = tools.into_iter().map(|tool| {
        if !tools::is_library(&tool) {
            return Ok(tool);
        }
        Ok(match stock::prepare(Path::new(&tool))? {
            Some(prepared) => {
                let path = prepared.tool.display().to_string();
                kept.push(prepared);
                path
            }
            None => tool,
        })
    });
    Ok((prepared.collect::<Result<_>>()?, kept))
}

/// The libraries that tools were made of, in the form of [`tools::LIBRARIES`]: their paths, their names after [`prepare`], and their names
/// before.
fn made_of(paths: &[String], prepared: &[String], given: &[String]) -> String {
    let tools = paths.iter().zip(prepared.iter().zip(given));
    let made = tools.filter(|(_, (prepared, given))| prepared != given);
    made.map(|(path, (_, given))| format!("{path}\t{given}\n"))
        .collect()
}

/// The path becomes absolute, because the program may change its directory before it first uses the GPU. A library with tools does not know
/// the directory of Luthier's, which is `ready`.
fn absolute(tools: &[String], ready: Option<&Path>) -> Vec<String> {
    if tools.is_empty() {
        return vec![tools::BUILT_IN.to_owned()];
    }
    let absolute = tools.iter().map(|tool| {
        let named = tool.contains('/') || tools::is_library(tool);
        let path = match ready.and_then(|directory| tools::ready_path(tool, directory)) {
            Some(ready) => Some(ready),
            None => named.then(|| PathBuf::from(tool)),
        };
        match path.and_then(|path| std::path::absolute(path).ok()) {
            Some(path) => path.display().to_string(),
            None => tool.clone(),
        }
    });
    absolute.collect()
}
