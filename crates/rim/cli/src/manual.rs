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

/// Print a script with which a shell completes this command's words.
#[derive(Args)]
#[command(
    after_help = "For bash:\n  luthier completions bash > ~/.local/share/bash-completion/completions/luthier"
)]
pub struct Completions {
    #[arg(value_enum)]
    shell: Shell,
}

impl Completions {
    pub fn execute(&self, mut command: Command) -> Result<ExitCode> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut command, "luthier", &mut script);
        // Whoever reads the script may stop early (`| head`), which is no error of ours.
        match io::stdout().write_all(&script) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
            _ => Ok(ExitCode::SUCCESS),
        }
    }
}

/// Write manual pages, one for each command, into a directory.
#[derive(Args)]
pub struct Manual {
    directory: PathBuf,
}

impl Manual {
    pub fn execute(&self, command: Command) -> Result<ExitCode> {
        fs::create_dir_all(&self.directory)
            .with_context(|| format!("cannot make {}", self.directory.display()))?;
        let command = command.disable_help_subcommand(true);
        write_page(&self.directory, &command, "luthier")?;
        Ok(ExitCode::SUCCESS)
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
