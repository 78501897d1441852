//! `luthier tool`: tools made and listed.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand};

use launcher::libraries;
use serde::Serialize;

use crate::{
    format::{Format, print_json},
    include, info, progress, rust_tool, stock,
    with_tools::warn_of_stray_callbacks,
};

/// Make tools for `luthier run -t`.
///
/// `new` writes one to start from, `build` compiles it for all targets, `list` names those at hand.
#[derive(Args)]
pub struct Tool {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Write NAME.hip, an instruction counter to start from
    New(New),
    /// Compile the hooks of NAME.hip to NAME.tool, for all targets
    Build(Build),
    /// Compile the hooks in a library that a HIP compiler made with -fembed-bitcode=all, and print where the result lies;
    /// `luthier run` does so by itself
    CompileHooks(CompileHooks),
    /// List the tools that come with Luthier
    List(List),
    /// Describe a tool: its parameters with types and defaults, hooks, variables, streams and targets
    Info(Info),
    /// Print the directory of luthier.h, for the -I of compilers and editors
    Include,
}

#[derive(Args)]
struct List {
    /// `text` for people, `json` for programs
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

#[derive(Args)]
struct Info {
    /// `text` for people, `json` for programs
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// A name from `luthier tool list` or the path of a built tool
    #[arg(value_name = "TOOL")]
    tool: String,
}

#[derive(Args)]
struct CompileHooks {
    /// The library
    #[arg(value_name = "TOOL.so")]
    library: PathBuf,
    /// It is a module that a tool loads (luthier_load_module), which has hooks and no callbacks
    #[arg(long)]
    module: bool,
}

#[derive(Args)]
struct New {
    /// The tool's name, or a path that ends with it
    name: String,
    /// With host code in Rust: make a folder NAME with a crate in it
    #[arg(long)]
    rust: bool,
    /// With --rust: the tool is compiled together with the sources of Luthier in this folder, whose whole API it may use
    #[arg(long, value_name = "DIR", requires = "rust")]
    checkout: Option<PathBuf>,
}

/// Arguments of `tool build` that do not go with `--ready`.
const OF_FILES: [&str; 2] = ["file", "module"];

#[derive(Args)]
struct Build {
    /// HIP file with the hooks
    #[arg(value_name = "FILE.hip", required_unless_present = "ready")]
    file: Option<PathBuf>,
    /// The file to write, or a directory for it; by default the file's name with .tool. With --ready a directory
    #[arg(short, long, value_name = "FILE.tool")]
    output: Option<PathBuf>,
    /// The file has hooks and no host code: it is a module that a tool loads, or belongs to a tool in Rust
    #[arg(long)]
    module: bool,
    /// Targets, with commas between them; default: all
    #[arg(long, value_name = "TARGETS", value_delimiter = ',')]
    target: Vec<String>,
    /// Build the tools that come with Luthier, beside the program
    #[arg(long, conflicts_with_all = OF_FILES)]
    ready: bool,
    /// With --ready: do nothing when they are newer than the program
    #[arg(long, requires = "ready", conflicts_with_all = OF_FILES)]
    if_older: bool,
    /// The compiler
    #[arg(long, value_name = "PROGRAM", default_value = "clang-22")]
    clang: String,
}

/// The file that `tool new` writes.
const TEMPLATE: &str = include_str!("new_tool.hip");

impl Tool {
    pub fn execute(self) -> Result<ExitCode> {
        match self.command {
            Command::New(new) if new.rust => {
                rust_tool::new(&new.name, new.checkout.as_deref())?;
            }
            Command::New(new) => declarative(&new.name)?,
            Command::Build(build) => build.execute()?,
            Command::CompileHooks(CompileHooks { library, module }) => {
                let prepared = match module {
                    true => Some(stock::prepare_module(&library)?),
                    false => stock::prepare(&library)?,
                };
                let Some(prepared) = prepared else {
                    bail!(
                        "{} is no tool from a HIP compiler: it says MARK_LUTHIER_DEVICE_MODULE nowhere",
                        library.display()
                    );
                };
                println!("{}", prepared.into_path().display());
            }
            Command::Info(Info { tool, format }) => info::show(&tool, format)?,
            Command::Include => command::out!("{}", include::directory()?.display()),
            Command::List(List { format }) => list(format)?,
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn list(format: Format) -> Result<()> {
    #[derive(Serialize)]
    struct Row<'a> {
        name: &'a str,
        about: &'a str,
    }
    let rows = tools::TOOLS.iter().map(|tool| Row {
        name: tool.name,
        about: about(tool.source),
    });
    match format {
        Format::Json => print_json(&rows.collect::<Vec<_>>())?,
        Format::Text => rows.for_each(|row| command::out!("{:<18} {}", row.name, row.about)),
    }
    Ok(())
}

impl Build {
    fn execute(self) -> Result<()> {
        let targets: Vec<&str> = if self.target.is_empty() {
            tool_build::TARGETS.to_vec()
        } else {
            self.target.iter().map(String::as_str).collect()
        };
        if self.ready {
            let directory = match self.output {
                Some(directory) => directory,
                None => libraries::tools_directory()?,
            };
            if self.if_older && newer_than_program(&directory) {
                return Ok(());
            }
            tool_build::ready(&directory, &targets, &self.clang, |tool| {
                command::say!("building {tool}")
            })?;
            return Ok(());
        }
        let Some(file) = self.file else {
            bail!("name a HIP file");
        };
        let beside = file.with_extension(tools::SUFFIX);
        let output = match &self.output {
            Some(output) => outputs::named(output, beside.file_name().unwrap_or_default()),
            None => beside,
        };
        fs::File::open(&file).with_context(|| format!("cannot read {}", file.display()))?;
        let waiting = progress::waiting(&format!("building {}", file.display()));
        if self.module {
            let bytes = tool_build::build_module(&file, &targets, &self.clang)?;
            drop(waiting);
            records::write_whole(&output, &bytes)?;
            command::say!("{} for {}", output.display(), targets.join(", "));
            return Ok(());
        }
        let bytes = tool_build::build(&file, &targets, &self.clang)?;
        let library = tool_capi::library_of(&output);
        let has_host_code = tool_build::build_host(&file, &bytes, &library, &self.clang)?;
        drop(waiting);
        records::write_whole(&output, &bytes)?;
        if has_host_code {
            warn_of_stray_callbacks(&library);
        }
        command::say!(
            "{} for {}; use it with: luthier run -t {} -- PROGRAM",
            output.display(),
            targets.join(", "),
            usable(&output)
        );
        Ok(())
    }
}

/// Returns `true` if all tools in `directory` were built after the program, which has their sources in it.
fn newer_than_program(directory: &Path) -> bool {
    let modified = |path: &Path| fs::metadata(path).and_then(|file| file.modified()).ok();
    let Some(program) = std::env::current_exe().ok().as_deref().and_then(modified) else {
        return false;
    };
    let tools = tools::TOOLS.iter();
    let names = tools.map(|tool| format!("{}.{}", tool.name, tools::SUFFIX));
    let mut all = names.chain([tool_build::example::OBJECT_FILE.to_owned()]);
    all.all(|name| modified(&directory.join(name)).is_some_and(|built| built > program))
}

/// The form of a path that `-t` requires: with a slash.
fn usable(path: &Path) -> String {
    let text = path.display().to_string();
    if text.contains('/') {
        text
    } else {
        format!("./{text}")
    }
}

fn declarative(name: &str) -> Result<()> {
    let path = PathBuf::from(format!("{name}.hip"));
    let mut file = fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&path)
        .with_context(|| format!("cannot create {}", path.display()))?;
    file.write_all(TEMPLATE.as_bytes())
        .with_context(|| format!("cannot write {}", path.display()))?;
    command::say!(
        "{0}: build it with `luthier tool build {0}`",
        path.display()
    );
    Ok(())
}

/// The line that a HIP file's description has about itself.
fn about(source: &str) -> &str {
    source
        .lines()
        .find_map(|line| line.strip_prefix("about = "))
        .map_or("", |line| line.trim_matches('"'))
}
