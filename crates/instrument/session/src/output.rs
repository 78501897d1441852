//! Names of the files of a session.
//!
//! A process may start HSA again after it has shut it down. A program may also replace itself (`exec`) in the process.
//! Each of these sessions has files of its own.

use std::{io, path::Path};

use crate::{Session, Summary};

/// Leaves the summary and the code objects whose kernels ran in the session's directory, where the user wants them; what could not be
/// written, in words. Readers see whole files or none.
pub fn leave(session: &Session, summary: &Summary) -> Vec<String> {
    let config = session.config();
    let Some(directory) = &config.output else {
        return Vec::new();
    };
    let temporary = config.output_is_temporary;
    if temporary && !directory.is_dir() {
        return vec![GONE.to_owned()];
    }
    let objects = directory.join("objects");
    let name = file_name("summary.json", config.session);
    let text = summary.json().into_bytes();
    let launched = session.launched_objects();
    let launched = launched
        .iter()
        .map(|(hash, bytes)| (objects.join(format!("{hash}.co")), &bytes[..]));
    let all = std::iter::once((directory.join(name), &text[..])).chain(launched);
    let failed = all.filter_map(|(path, bytes)| {
        let error = write(&path, bytes, temporary).err()?;
        Some(format!("cannot write {}: {error}", path.display()))
    });
    failed.collect()
}

/// A process may outlive the command that made its temporary directory and removed it.
const GONE: &str =
    "the command that wanted the results of this process has ended, and they are lost";

/// An object that is there already is the same: its name says what is in it. A temporary directory is never made anew, since no process
/// would remove it.
fn write(path: &Path, bytes: &[u8], temporary: bool) -> io::Result<()> {
    let is_object = path.extension().is_some_and(|ending| ending == "co");
    if is_object && std::fs::metadata(path).is_ok_and(|file| file.len() == bytes.len() as u64) {
        return Ok(());
    }
    match path.parent() {
        Some(objects) if temporary && is_object => match std::fs::create_dir(objects) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        },
        Some(directory) if !temporary => outputs::make_directories(directory)?,
        _ => {}
    }
    outputs::write_apart(path, bytes)
}

/// `NAME.PID.EXTENSION` of the first session of this process, and `NAME.PID-2.EXTENSION` of the second.
pub fn file_name(name: &str, session: u32) -> String {
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, "json"));
    let process = std::process::id();
    match session {
        1 => format!("{stem}.{process}.{extension}"),
        later => format!("{stem}.{process}-{later}.{extension}"),
    }
}

/// The number of a session whose files go to `directory`, for the process's `began`th one: behind those of all sessions with
/// the process's number that have left files there.
pub fn session_number(directory: Option<&Path>, began: u32) -> u32 {
    let Some(directory) = directory else {
        return began;
    };
    // (What cannot be read is complained about by those who write.)
    let look = || last_session(directory, std::process::id());
    let last = guest::apart(look).unwrap_or_else(|_| last_session(directory, std::process::id()));
    began.max(last.saturating_add(1))
}

/// 0 if there is none.
fn last_session(directory: &Path, process: u32) -> u32 {
    let names = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let sessions = names.filter_map(|entry| session_of(entry.file_name().to_str()?, process));
    sessions.max().unwrap_or(0)
}

/// The session of the process that a file belongs to.
fn session_of(file: &str, process: u32) -> Option<u32> {
    let (name, _) = file.rsplit_once('.')?;
    let (_, by) = name.rsplit_once('.')?;
    let (by, session) = by.split_once('-').unwrap_or((by, "1"));
    let session = session.parse().ok().filter(|number| *number > 0);
    (by.parse() == Ok(process)).then_some(session)?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_say_whose_they_are() {
        for (file, session) in [
            ("summary.17.json", Some(1)),
            ("launch-log.trace.17-2.json", Some(2)),
            ("mem-trace.17-12.parquet", Some(12)),
            ("summary.170.json", None),
            ("summary.17-x.json", None),
            ("statistics.json", None),
            (".summary.17.json.17-0.unfinished", None),
            ("17", None),
        ] {
            assert_eq!(session_of(file, 17), session, "{file}");
        }
        let process = std::process::id();
        assert_eq!(file_name("a.b.json", 1), format!("a.b.{process}.json"));
        assert_eq!(file_name("a.jsonl", 3), format!("a.{process}-3.jsonl"));
    }

    #[test]
    fn a_session_takes_no_number_that_was_used() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(session_number(None, 2), 2);
        assert_eq!(session_number(Some(&folder.path().join("none")), 1), 1);
        assert_eq!(session_number(Some(folder.path()), 1), 1);
        // Files of a program that ran in this process before the current one.
        for session in [1, 2] {
            let file = folder.path().join(file_name("summary.json", session));
            std::fs::write(file, "{}").unwrap();
        }
        std::fs::write(folder.path().join("summary.1-9.json"), "{}").unwrap();
        assert_eq!(session_number(Some(folder.path()), 1), 3);
        assert_eq!(session_number(Some(folder.path()), 5), 5);
    }
}
