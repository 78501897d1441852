//! `luthier query`: starts `luthier-query`, the query engine of the Python package.

use std::{
    env,
    ffi::OsString,
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

use anyhow::{Context, Result, bail};
use clap::Args;

const ENGINE: &str = "luthier-query";
/// How to get it; the wheel lies beside the archive and the package that `./dev package` makes. (Debian's own Python refuses pip.)
pub const INSTALL: &str = "python3 -m venv v && v/bin/pip install 'WHEEL[query]' && PATH=$PWD/v/bin:$PATH, where WHEEL is luthier-*.whl of the \
                           same build";

/// How it is called.
const EXAMPLES: &str = "\
Examples:
  luthier query out 'select kernel, count(*) from accesses group by kernel'
  luthier query out --named working-set
  luthier query out --export dataset
  luthier query out --named sharing --scheduler df://localhost:50050";

/// Query the files of `luthier run --output` with SQL, such as traces of any size.
///
/// The query engine, Apache DataFusion, is a program of its own, `luthier-query`, which comes with the Python package (pip install
/// 'WHEEL[query]') and is looked for beside this command and in PATH. Its options are what `luthier query --help` prints then.
#[derive(Args)]
#[command(disable_help_flag = true)]
#[command(after_long_help = EXAMPLES)]
pub struct Query {
    /// Directories, and a query or options
    #[arg(
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "DIR... [SQL]"
    )]
    arguments: Vec<OsString>,
}

impl Query {
    /// Does not return if the engine starts.
    pub fn execute(self) -> Result<ExitCode> {
        let executable = env::current_exe().context("cannot find the luthier executable")?;
        let Some(engine) = engine() else {
            if self.asks_for_help() {
                Query::augment_args(clap::Command::new("luthier query")).print_long_help()?;
                return Ok(ExitCode::SUCCESS);
            }
            let home = executable.parent().unwrap_or(Path::new("/"));
            bail!(
                "{ENGINE} is neither in {} nor in PATH. It comes with Luthier's Python package: {INSTALL}",
                home.display()
            );
        };
        let error = Command::new(&engine)
            .args(&self.arguments)
            .env("LUTHIER", &executable)
            .exec();
        Err(error).with_context(|| format!("cannot start {}", engine.display()))
    }
}

impl Query {
    /// The engine prints its own help; without an engine, this command's help has to do.
    fn asks_for_help(&self) -> bool {
        let help = ["--help", "-h"];
        self.arguments
            .iter()
            .any(|word| help.iter().any(|help| word == help))
    }
}

/// The path of the query engine.
pub fn engine() -> Option<PathBuf> {
    let executable = env::current_exe().ok()?;
    let paths = env::var_os("PATH").unwrap_or_default();
    found(executable.parent()?, env::split_paths(&paths))
}

fn found(home: &Path, mut paths: impl Iterator<Item = PathBuf>) -> Option<PathBuf> {
    let beside = home.join(ENGINE);
    if beside.is_file() {
        return Some(beside);
    }
    paths.find_map(|path| Some(path.join(ENGINE)).filter(|program| program.is_file()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_engine_is_found_beside_the_command_and_then_in_the_path() {
        let root = tempfile::tempdir().unwrap();
        let [home, other] = ["home", "other"].map(|name| root.path().join(name));
        for folder in [&home, &other] {
            std::fs::create_dir(folder).unwrap();
        }
        let search = || found(&home, [root.path().to_owned(), other.clone()].into_iter());
        assert_eq!(search(), None);
        for folder in [&other, &home] {
            std::fs::write(folder.join(ENGINE), "").unwrap();
            assert_eq!(search(), Some(folder.join(ENGINE)));
        }
    }
}
