//! A cache of the programs that tests compile: one entry for each content.
//!
//! [`Compiler`] is started like [`std::process::Command`]. If a compiler was started before with the same arguments, the same source
//! files, and headers that are still the same, its output is copied from the cache instead. The cache is `target/compiled`;
//! `LUTHIER_TEST_COMPILED` names another folder, or is `off`.
//!
//! Sources that a test wrote to a temporary folder are copied into the cache and compiled there, so that the same text is found again
//! from another folder. Names of files in debug information lead there, too; a test for which these names matter starts the compiler
//! itself.
//!
//! Nothing is removed by itself: [`forget`] does it, which the gate calls.
//!
//! `hipcc` does not read HIP's headers again for each program: `headers` tells how.
//!
//! A command that is not understood is started as it is: see [`Plan`](plan). The compiler also runs again after a failure, for its
//! messages.
#![forbid(unsafe_code)]

mod entry;
mod forget;
mod headers;
mod plan;
mod program;

use std::{
    env,
    ffi::{OsStr, OsString},
    fs, io,
    path::{Path, PathBuf},
    process::{Command, ExitStatus, Output, Stdio},
};

use entry::Entry;
pub use forget::forget;
use headers::Headers;
pub use program::program;

/// With this variable, glibc asks the kernel for huge pages: compilers of HIP take 6 % less processor time. The caller's own value stays.
const HUGE_PAGES: (&str, &str) = ("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1");

/// The variable with the folder of the cache, or `off`.
pub const FOLDER: &str = "LUTHIER_TEST_COMPILED";

/// A compiler that is to be started.
#[derive(Clone, Debug)]
pub struct Compiler {
    program: OsString,
    arguments: Vec<OsString>,
    variables: Vec<(OsString, OsString)>,
    files: Vec<PathBuf>,
    folder: Option<PathBuf>,
    cache: Option<PathBuf>,
}

impl Compiler {
    /// `program` is a name in the PATH, or a path.
    pub fn new(program: impl AsRef<OsStr>) -> Compiler {
        let named = env::var_os(FOLDER).filter(|folder| !folder.is_empty());
        let cache = match named {
            Some(off) if off == "off" => None,
            Some(folder) => Some(PathBuf::from(folder)),
            None => Some(root().join("target/compiled")),
        };
        Compiler {
            program: program.as_ref().to_owned(),
            arguments: Vec::new(),
            variables: Vec::new(),
            files: Vec::new(),
            folder: None,
            cache,
        }
    }

    /// Uses the cache in this folder.
    pub fn cache(&mut self, folder: &Path) -> &mut Compiler {
        self.cache = Some(folder.to_owned());
        self
    }

    pub fn arg(&mut self, argument: impl AsRef<OsStr>) -> &mut Compiler {
        self.arguments.push(argument.as_ref().to_owned());
        self
    }

    pub fn args<A: AsRef<OsStr>>(
        &mut self,
        arguments: impl IntoIterator<Item = A>,
    ) -> &mut Compiler {
        let arguments = arguments.into_iter();
        self.arguments
            .extend(arguments.map(|argument| argument.as_ref().to_owned()));
        self
    }

    pub fn env(&mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> &mut Compiler {
        let pair = (name.as_ref().to_owned(), value.as_ref().to_owned());
        self.variables.push(pair);
        self
    }

    /// The compiler uses a file that no argument names, as a plugin beside it. If this changes, the compiler starts again.
    pub fn uses(&mut self, file: impl AsRef<Path>) -> &mut Compiler {
        self.files.push(file.as_ref().to_owned());
        self
    }

    pub fn current_dir(&mut self, folder: impl AsRef<Path>) -> &mut Compiler {
        self.folder = Some(folder.as_ref().to_owned());
        self
    }

    /// The compiler's output and status, of this run or of the one that made the entry in the cache.
    pub fn output(&mut self) -> io::Result<Output> {
        if let (Some(cache), Some(plan)) = (&self.cache, plan::Plan::of(self)) {
            fs::create_dir_all(cache)?;
            let entry = Entry::lock(cache, &plan.key)?;
            if let Some(printed) = entry.get(self, &plan)? {
                return Ok(printed);
            }
        }
        self.output_anew()
    }

    /// The status; what the compiler printed goes to standard error.
    pub fn status(&mut self) -> io::Result<ExitStatus> {
        let output = self.output()?;
        eprint!("{}", String::from_utf8_lossy(&output.stdout));
        eprint!("{}", String::from_utf8_lossy(&output.stderr));
        Ok(output.status)
    }

    /// The compiler's output and status now. Nothing of what it makes is kept but precompiled headers of HIP.
    pub fn output_anew(&self) -> io::Result<Output> {
        if let Some(cache) = &self.cache {
            fs::create_dir_all(cache)?;
        }
        Ok(self.run(&self.arguments, |_| {})?.0)
    }

    /// Starts the compiler with these arguments and `set`, and with precompiled headers where it can have them. Returns the headers
    /// that these were made of, too.
    fn run(
        &self,
        arguments: &[OsString],
        set: impl Fn(&mut Command),
    ) -> io::Result<(Output, String)> {
        let start = |options: &[OsString]| {
            let mut command = self.command(&[options, arguments].concat());
            set(&mut command);
            command.output()
        };
        if let Some(cache) = &self.cache
            && let Some(headers) = Headers::of(self, cache)?
        {
            let output = start(&headers.options)?;
            if output.status.success() {
                return Ok((output, headers.made));
            }
        }
        Ok((start(&[])?, String::new()))
    }

    /// The path that an argument names.
    fn path(&self, argument: &OsStr) -> PathBuf {
        match &self.folder {
            Some(folder) => folder.join(argument),
            None => PathBuf::from(argument),
        }
    }

    fn command(&self, arguments: &[OsString]) -> Command {
        let mut command = Command::new(&self.program);
        let variables = self.variables.iter();
        command
            .args(arguments)
            .envs(variables.map(|(name, value)| (name, value)))
            .stdin(Stdio::null());
        if env::var_os(HUGE_PAGES.0).is_none() {
            command.env(HUGE_PAGES.0, HUGE_PAGES.1);
        }
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        command
    }
}

/// The repository's root: this crate lies in `crates/ground/compiled`.
fn root() -> &'static Path {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    folder.ancestors().nth(3).unwrap_or(folder)
}
