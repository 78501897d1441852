//! `luthier instrument`: tools put into code objects on disk.

use std::{
    collections::BTreeMap,
    fs,
    io::{IsTerminal, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, Result, bail};
use clap::Args;
use codeobj::{CodeObject, elf::Elf};
use luthier::{Engine, KernelOutcome};
use regex::Regex;

use launcher::libraries;

use crate::built_in;

/// Put tools into a program, a shared library, an offload bundle or a code object (.hsaco, .co).
///
/// `luthier run` shows what tools in a program found out when it ends; for those in libraries and files that a program
/// loads, say `luthier run -t built-in`. The tools' variables are also symbols of the code object, which the program can
/// read (hipModuleGetGlobal). Kernels that cannot be instrumented stay as they are.
#[derive(Args)]
pub struct Instrument {
    /// A program, library, offload bundle or code object
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// A tool: a name from `luthier tool list` or the path of a built tool; several are composed
    #[arg(short, long = "tool", value_name = "TOOL", required = true)]
    tools: Vec<String>,
    /// Where to write it with the tools in it
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Only kernels whose name matches
    #[arg(short, long, value_name = "REGEX")]
    kernel: Option<Regex>,
    /// Only places where this holds, as of `luthier run`
    #[arg(long, value_name = "CONDITION")]
    site: Vec<String>,
}

impl Instrument {
    pub fn execute(self) -> Result<ExitCode> {
        let input = fs::read(&self.input)
            .with_context(|| format!("cannot read {}", self.input.display()))?;
        let directory = libraries::tools_directory()?;
        let tools = tools::open_all(&self.tools, &directory)?;
        if let Some(tool) = tools.iter().find(|tool| tool.file().has_host_code()) {
            bail!(
                "tool {} has host code of its own, which only `luthier run` can call",
                tool.name()
            );
        }
        let engine = Engine::new(tools, &self.site.join(";"), None)?;
        let mut report = Report::default();
        let mut output = self
            .file(&engine, &input, &mut report)
            .with_context(|| self.input.display().to_string())?;
        let instrumented = report.kernels.iter().any(|kernel| kernel.result.is_ok());
        // Only host files are run; what others consist of is for their readers.
        if instrumented && Elf::is_elf(&output) && !CodeObject::is_code_object(&output) {
            let distinct = tools::distinct(&self.tools).chosen;
            let names: Vec<_> = distinct.iter().map(|(_, name)| name.as_str()).collect();
            built_in::mark(&mut output, &names);
        }
        self.write(&output)
            .with_context(|| format!("cannot write {}", self.output.display()))?;
        report.print(&self.output);
        Ok(ExitCode::SUCCESS)
    }

    fn write(&self, bytes: &[u8]) -> std::io::Result<()> {
        // Asked before, for both may be one file. Programs stay programs.
        let permissions = fs::metadata(&self.input)?.permissions();
        let mut output = files::Output::create(&self.output)?;
        output.set_permissions(permissions)?;
        output.write_all(bytes)?;
        output.finish()
    }

    fn file(&self, engine: &Engine, input: &[u8], report: &mut Report) -> Result<Vec<u8>> {
        let mut found = 0;
        let output = codeobj::replace::code_objects(input, &mut |object| -> Result<Vec<u8>> {
            found += 1;
            if let Err(error) = CodeObject::parse(object)
                && is_of_others(&error)
            {
                report.left.push(error.to_string());
                return Ok(object.to_vec());
            }
            let done = engine.instrument_object(object, self.kernel.as_ref())?;
            report.kernels.extend(done.kernels);
            Ok(done.object)
        })?;
        match report.left.first() {
            Some(reason) if report.left.len() == found => bail!("{reason}"),
            _ => Ok(output),
        }
    }
}

/// Code objects that may stand beside those we know, for devices or runtimes that we do not.
fn is_of_others(error: &codeobj::Error) -> bool {
    use codeobj::Error::{CodeObjectV2, UnknownAbi, UnknownMach};
    matches!(error, CodeObjectV2 | UnknownAbi { .. } | UnknownMach { .. })
}

#[derive(Default)]
struct Report {
    kernels: Vec<KernelOutcome>,
    /// Why code objects stay as they are.
    left: Vec<String>,
}

impl Report {
    fn print(&self, output: &Path) {
        let refused: Vec<_> = self
            .kernels
            .iter()
            .filter_map(|kernel| Some((kernel, kernel.result.as_ref().err()?)))
            .collect();
        let sites: u64 = self
            .kernels
            .iter()
            .filter_map(|kernel| Some(kernel.result.as_ref().ok()?.sites))
            .sum();
        files::say!(
            "{}: {} kernels, {} instrumented at {sites} places, {} refused",
            output.display(),
            self.kernels.len(),
            self.kernels.len() - refused.len(),
            refused.len()
        );
        let mut left: BTreeMap<&str, usize> = BTreeMap::new();
        for reason in &self.left {
            *left.entry(reason).or_default() += 1;
        }
        for (reason, count) in left {
            match count {
                1 => files::say!("  a code object stays as it is: {reason}"),
                count => files::say!("  {count} code objects stay as they are: {reason}"),
            }
        }
        let refused = refused.iter();
        by_kernels(
            "refused",
            refused.map(|(kernel, reason)| (reason.as_str(), &*kernel.name)),
        );
        let done = (self.kernels.iter())
            .filter_map(|kernel| Some((kernel, &kernel.result.as_ref().ok()?.notes)));
        by_kernels(
            "note",
            done.flat_map(|(kernel, notes)| notes.iter().map(|note| (&**note, &*kernel.name))),
        );
    }
}

/// Prints what is said of kernels, each thing once, with their names.
fn by_kernels<'a>(label: &str, said: impl Iterator<Item = (&'a str, &'a str)>) {
    let mut all: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (text, kernel) in said {
        all.entry(text).or_default().push(kernel);
    }
    // All names only for someone who can scroll.
    let shown = if std::io::stderr().is_terminal() {
        5
    } else {
        usize::MAX
    };
    for (text, kernels) in all {
        files::say!("  {label}: {text}");
        for kernel in kernels.iter().take(shown) {
            files::say!("    {kernel}");
        }
        if kernels.len() > shown {
            files::say!("    and {} more", kernels.len() - shown);
        }
    }
}
