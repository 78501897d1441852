//! `luthier completions` and the manual pages, both made from the command line's own definition.

use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, Result};
use clap::{Args, Command};
use clap_complete::Shell;

/// Print a script that lets a shell complete the words of this command.
#[derive(Args)]
#[command(
    after_help = "For bash:\n  luthier completions bash > ~/.local/share/bash-completion/completions/luthier"
)]
pub struct Completions {
    /// The shell that reads the script
    #[arg(value_enum)]
    shell: Shell,
}

impl Completions {
    pub fn execute(&self, mut command: Command) -> Result<ExitCode> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut command, "luthier", &mut script);
        // The reader of the script may stop early (`| head`), which is no error.
        match io::stdout().write_all(&script) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                Err(error).context("cannot write to standard output")
            }
            _ => Ok(ExitCode::SUCCESS),
        }
    }
}

/// Write manual pages, one for each command, into a directory.
#[derive(Args)]
pub struct Manual {
    /// Folder for the pages
    #[arg(required_unless_present = "markdown")]
    directory: Option<PathBuf>,
    /// Print the reference of docs/reference.md instead
    #[arg(long)]
    markdown: bool,
}

impl Manual {
    pub fn execute(&self, command: Command) -> Result<ExitCode> {
        let command = command.disable_help_subcommand(true);
        if let Some(directory) = self.directory.as_ref().filter(|_| !self.markdown) {
            fs::create_dir_all(directory)
                .with_context(|| format!("cannot make {}", directory.display()))?;
            write_page(directory, &command, "luthier")?;
        } else {
            let mut text = REFERENCE.to_owned();
            reference(&command, "luthier", &mut text);
            command::out!("{}", text.trim_end());
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// How the reference begins.
const REFERENCE: &str = "# Commands\n\nThe `--help` texts of all commands.\n";
/// Columns of the reference.
const WIDTH: usize = 100;

/// Adds a command and those below it.
fn reference(command: &Command, name: &str, text: &mut String) {
    let mut shown = command
        .clone()
        .bin_name(name)
        .disable_version_flag(true)
        .term_width(WIDTH);
    let help = shown.render_long_help().to_string();
    let help: Vec<&str> = help.lines().map(str::trim_end).collect();
    *text += &format!(
        "\n## {name}\n\n```text\n{}\n```\n",
        help.join("\n").trim_end()
    );
    for below in command
        .get_subcommands()
        .filter(|below| !below.is_hide_set())
    {
        reference(below, &format!("{name} {}", below.get_name()), text);
    }
}

/// `name` has the words of all commands above, joined as manual pages' names are.
fn write_page(directory: &Path, command: &Command, name: &str) -> Result<()> {
    let page = directory.join(format!("{name}.1"));
    let mut text = Vec::new();
    let named = command
        .clone()
        .name(name.to_owned())
        .bin_name(name.replace('-', " "));
    clap_mangen::Man::new(named).render(&mut text)?;
    fs::write(&page, text).with_context(|| format!("cannot write {}", page.display()))?;
    for below in command
        .get_subcommands()
        .filter(|below| !below.is_hide_set())
    {
        write_page(directory, below, &format!("{name}-{}", below.get_name()))?;
    }
    Ok(())
}
