//! One result in the cache: `KEY/output/NAME`, with the sources it was made of in `KEY/sources`.
//!
//! `KEY/made` is written last; without it the entry is not there. It has a line for each header that was read: digest and path. `KEY/alone`
//! says that the command only works where it was started, as a source that includes a file beside it does. The time of the folder is
//! when it was wanted last: [`forget`](crate::forget) goes by it.

use std::{
    collections::BTreeSet,
    fs::{self, File, Metadata, TryLockError},
    io,
    os::unix::{fs::MetadataExt, process::ExitStatusExt},
    path::{Path, PathBuf},
    process::{Command, ExitStatus, Output},
    time::SystemTime,
};

use sha2::{Digest, Sha256};

use crate::{
    Compiler,
    plan::{self, Plan},
};

/// Copies a program by a process of its own. If this process wrote the copy, a child that another test starts meanwhile would hold it open
/// for writing until it executes, and the program could not be started ("Text file busy").
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let mut cp = Command::new("cp");
    let printed = cp
        .args(["--reflink=auto", "--"])
        .arg(from)
        .arg(to)
        .output()?;
    match printed.status.success() {
        true => Ok(()),
        false => Err(io::Error::other(
            String::from_utf8_lossy(&printed.stderr).into_owned(),
        )),
    }
}

pub struct Entry {
    folder: PathBuf,
    /// Others wait who want the same.
    _lock: File,
}

impl Entry {
    pub fn lock(cache: &Path, key: &str) -> io::Result<Entry> {
        loop {
            let (path, lock) = lock_file(cache, key)?;
            lock.lock()?;
            // The process that removed the entry has removed its lock, and others may have made another one since.
            if is_at(&lock, &path) {
                return Ok(Entry {
                    folder: cache.join(key),
                    _lock: lock,
                });
            }
        }
    }

    /// Removes the result and its lock, unless a process uses it now. Returns true if it did.
    pub fn remove(cache: &Path, key: &str) -> io::Result<bool> {
        let (path, lock) = lock_file(cache, key)?;
        match lock.try_lock() {
            Ok(()) if is_at(&lock, &path) => {}
            Ok(()) | Err(TryLockError::WouldBlock) => return Ok(false),
            Err(TryLockError::Error(error)) => return Err(error),
        }
        let removed = match fs::remove_dir_all(cache.join(key)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => false,
            other => other.map(|()| true)?,
        };
        fs::remove_file(path)?;
        Ok(removed)
    }

    /// Copies the output to where the caller wants it, made now if it is not there. None if the compiler does not succeed from here.
    pub fn get(&self, compiler: &Compiler, plan: &Plan) -> io::Result<Option<Output>> {
        let Some(output) = self.ready(compiler, plan)? else {
            return Ok(None);
        };
        // A link may be there, or a program that runs.
        if plan.output.exists() {
            fs::remove_file(&plan.output)?;
        }
        copy(&output, &plan.output)?;
        Ok(Some(Output {
            status: ExitStatus::from_raw(0),
            stdout: fs::read(self.folder.join("stdout"))?,
            stderr: fs::read(self.folder.join("stderr"))?,
        }))
    }

    /// The output in the cache, made now if it is not there. None if the compiler does not succeed from here.
    pub fn ready(&self, compiler: &Compiler, plan: &Plan) -> io::Result<Option<PathBuf>> {
        let name = plan.output.file_name().unwrap_or_default();
        let output = self.folder.join("output").join(name);
        let alone = self.folder.join("alone");
        if self.folder.exists() {
            File::open(&self.folder)?.set_modified(SystemTime::now())?;
        }
        if alone.exists() {
            return Ok(None);
        }
        if !self.is_made() {
            if self.folder.exists() {
                fs::remove_dir_all(&self.folder)?;
            }
            fs::create_dir_all(self.folder.join("output"))?;
            if !self.make(compiler, plan, &output)? {
                File::create(alone)?;
                return Ok(None);
            }
        }
        Ok(Some(output))
    }

    /// The lines of the headers that the output was made of.
    pub fn headers(&self) -> io::Result<String> {
        fs::read_to_string(self.folder.join("made"))
    }

    /// Returns `true` if it is there, and made with the headers that are there now.
    fn is_made(&self) -> bool {
        let Ok(made) = self.headers() else {
            return false;
        };
        made.lines().all(|line| {
            let header = line.split_once(' ');
            header
                .is_some_and(|(digest, path)| digest_of(Path::new(path)).as_deref() == Some(digest))
        })
    }

    fn make(&self, compiler: &Compiler, plan: &Plan, output: &Path) -> io::Result<bool> {
        let sources = self.folder.join("sources");
        fs::create_dir_all(&sources)?;
        let headers = self.folder.join("headers");
        // The folder is in debug information, where one that is temporary is not to be.
        let base = match &compiler.folder {
            Some(folder) if plan::is_lasting(folder) => folder.clone(),
            Some(_) => sources.clone(),
            None => std::env::current_dir()?,
        };
        let (printed, precompiled) =
            compiler.run(&plan.arguments(&sources, output)?, |command| {
                // Clang, and what starts it, writes every header that it reads, for the host and for every target.
                command
                    .current_dir(&base)
                    .env("CC_PRINT_HEADERS", "1")
                    .env("CC_PRINT_HEADERS_FILE", &headers);
            })?;
        if !printed.status.success() || !output.is_file() {
            return Ok(false);
        }
        let read = fs::read_to_string(&headers).unwrap_or_default();
        let read: BTreeSet<PathBuf> = read.lines().map(|path| base.join(path)).collect();
        let mut made = precompiled;
        for path in read {
            // One that is gone by now was temporary.
            let Some(digest) = digest_of(&path) else {
                return Ok(false);
            };
            made.push_str(&format!("{digest} {}\n", path.display()));
        }
        fs::write(self.folder.join("stdout"), printed.stdout)?;
        fs::write(self.folder.join("stderr"), printed.stderr)?;
        let unfinished = self.folder.join("unfinished");
        fs::write(&unfinished, made)?;
        fs::rename(unfinished, self.folder.join("made"))?;
        Ok(true)
    }
}

fn lock_file(cache: &Path, key: &str) -> io::Result<(PathBuf, File)> {
    let path = cache.join(format!("{key}.lock"));
    let lock = File::create(&path)?;
    Ok((path, lock))
}

/// Returns `true` if this is the file that is now at the path.
fn is_at(file: &File, path: &Path) -> bool {
    let numbers = |metadata: Metadata| (metadata.dev(), metadata.ino());
    let there = fs::metadata(path).map(numbers).ok();
    there.is_some() && there == file.metadata().map(numbers).ok()
}

fn digest_of(path: &Path) -> Option<String> {
    let digest = Sha256::digest(fs::read(path).ok()?);
    Some(
        digest[..16]
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect(),
    )
}
