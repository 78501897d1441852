//! A compiler's command as far as the cache has to understand it.

use std::{
    env,
    ffi::{OsStr, OsString},
    fs::{self, Metadata},
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};

use sha2::{Digest, Sha256};

use crate::{Compiler, root};

/// Options that read or write files beside the sources and the output, or print what is not a message.
const NOT_UNDERSTOOD: &[&str] = &[
    "-###",
    "--coverage",
    "--save-temps",
    "-E",
    "-L",
    "-M",
    "-Wp,",
    "-dependency-file",
    "-ftest-coverage",
    "-ftime-",
    "-fprofile-arcs",
    "-o=",
    "-save-temps",
    "-v",
    "@",
];
/// Variables that compilers read begin with these.
const VARIABLES: &[&str] = &[
    "C_INCLUDE_PATH",
    "CC",
    "CLANG_",
    "COMPILER_PATH",
    "CPATH",
    "CPLUS_INCLUDE_PATH",
    "CUDA_",
    "DEVICE_LIB_PATH",
    "GCC_",
    "HIP",
    "HSA_PATH",
    "LIBRARY_PATH",
    "LUTHIER_COUNT",
    "LUTHIER_COVERAGE",
    "OBJC",
    "ROCM_",
    "SOURCE_DATE_EPOCH",
];
/// Changes with every package that is installed: libraries, startup files and linkers are not looked at one by one.
const PACKAGES: &str = "/var/lib/dpkg/status";

/// A command whose result can be kept.
pub struct Plan {
    /// Names everything that decides about the result, except headers.
    pub key: String,
    /// The place where the caller wants the output.
    pub output: PathBuf,
    /// The arguments, with `None` for the output.
    arguments: Vec<Part>,
}

enum Part {
    As(OsString),
    Output,
    /// A source file that is copied: its path and its name.
    Source(PathBuf, OsString),
}

impl Plan {
    /// None: the command writes no file, or more than is understood, or depends on temporary files other than its sources.
    pub fn of(compiler: &Compiler) -> Option<Plan> {
        let program = resolve(&compiler.program)?;
        let folder = match &compiler.folder {
            Some(folder) => folder.clone(),
            None => env::current_dir().ok()?,
        };
        let mut hash = Sha256::new();
        let mut add = |bytes: &[u8]| {
            // The length keeps apart what would be the same when joined.
            hash.update((bytes.len() as u64).to_le_bytes());
            hash.update(bytes);
        };
        add(compiler.program.as_encoded_bytes());
        add(stamp(&program).as_bytes());
        add(stamp(Path::new(PACKAGES)).as_bytes());
        for file in &compiler.files {
            add(stamp(file).as_bytes());
        }
        let mut variables: Vec<(OsString, OsString)> = env::vars_os().collect();
        variables.retain(|(name, _)| {
            let name = name.to_string_lossy();
            VARIABLES.iter().any(|known| name.starts_with(known))
        });
        variables.extend(compiler.variables.iter().cloned());
        variables.sort();
        for (name, value) in &variables {
            add(name.as_encoded_bytes());
            add(value.as_encoded_bytes());
        }
        let mut output = None;
        let mut parts = Vec::new();
        let mut arguments = compiler.arguments.iter();
        while let Some(argument) = arguments.next() {
            let text = argument.to_str()?;
            if NOT_UNDERSTOOD.iter().any(|option| text.starts_with(option)) {
                return None;
            }
            let part = match text {
                "-o" => {
                    let path = folder.join(arguments.next()?);
                    // Devices and FIFOs are no place to copy a file to.
                    if path.exists() && !path.is_file() || output.is_some() {
                        return None;
                    }
                    add(b"output");
                    add(path.file_name()?.as_encoded_bytes());
                    output = Some(path);
                    Part::Output
                }
                _ => part(argument, &folder)?,
            };
            match &part {
                Part::As(argument) => add(argument.as_encoded_bytes()),
                Part::Source(path, name) => {
                    add(name.as_encoded_bytes());
                    add(&fs::read(path).ok()?);
                }
                Part::Output => {}
            }
            // A file inside an argument, as in `-fpass-plugin=FILE`, or one that stays where it is.
            if let Part::As(argument) = &part
                && let Some(path) = file_in(argument.to_str()?, &folder)
            {
                add(&fs::read(path).ok()?);
            }
            parts.push(part);
        }
        if is_lasting(&folder) {
            add(folder.as_os_str().as_encoded_bytes());
        }
        let digest = hash.finalize();
        let key = digest[..16].iter().map(|byte| format!("{byte:02x}"));
        Some(Plan {
            key: key.collect(),
            output: output?,
            arguments: parts,
        })
    }

    /// The arguments of the command that writes to `output`, with copies of its sources in `sources`.
    pub fn arguments(&self, sources: &Path, output: &Path) -> std::io::Result<Vec<OsString>> {
        let mut arguments = Vec::new();
        for (number, part) in self.arguments.iter().enumerate() {
            match part {
                Part::As(argument) => arguments.push(argument.clone()),
                Part::Output => arguments.extend(["-o".into(), output.as_os_str().to_owned()]),
                Part::Source(path, name) => {
                    // Two sources may have the same name.
                    let folder = sources.join(number.to_string());
                    fs::create_dir_all(&folder)?;
                    let copy = folder.join(name);
                    fs::copy(path, &copy)?;
                    arguments.push(copy.into_os_string());
                }
            }
        }
        Ok(arguments)
    }
}

/// An argument that is not the output; None if it names something temporary that is no source file.
fn part(argument: &OsStr, folder: &Path) -> Option<Part> {
    let path = folder.join(argument);
    if !argument.to_str()?.starts_with('-') && path.is_file() {
        return Some(match is_lasting(&path) {
            // A path that is meant from another folder has to be whole.
            true => Part::As(path.into_os_string()),
            false => Part::Source(path.clone(), path.file_name()?.to_owned()),
        });
    }
    // `-I/tmp/folder`, `--sysroot=/tmp/folder`
    let text = argument.to_str()?;
    let path = text.find('/').map(|first| Path::new(&text[first..]));
    let is_temporary = path.is_some_and(|path| path.starts_with(env::temp_dir()));
    (!is_temporary).then(|| Part::As(argument.to_owned()))
}

/// The file that an argument names, itself or behind an `=`.
fn file_in(argument: &str, folder: &Path) -> Option<PathBuf> {
    let behind = argument.split_once('=').map(|(_, path)| path);
    let mut names = [Some(argument), behind].into_iter().flatten();
    names.find_map(|name| {
        let path = folder.join(name);
        path.is_file().then_some(path)
    })
}

/// Returns `true` if a file is still there when the tests run again: it belongs to the repository or to the system.
pub fn is_lasting(path: &Path) -> bool {
    let lasting = ["/usr", "/opt", "/etc"];
    !path.starts_with(env::temp_dir())
        && !path.starts_with(root().join("target/tmp"))
        && (path.starts_with(root()) || lasting.iter().any(|folder| path.starts_with(folder)))
}

/// Path, size and time of a file, links followed; the path alone if it is not there.
fn stamp(path: &Path) -> String {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let time = |metadata: Metadata| {
        let time = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        Some((metadata.len(), time))
    };
    format!(
        "{} {:?}",
        path.display(),
        fs::metadata(&path).ok().and_then(time)
    )
}

/// The file of a program.
fn resolve(program: &OsStr) -> Option<PathBuf> {
    if Path::new(program).components().count() > 1 {
        return Some(PathBuf::from(program));
    }
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders)
        .map(|folder| folder.join(program))
        .find(|path| path.is_file())
}
