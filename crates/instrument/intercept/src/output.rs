//! Output of a session: stderr, and files in the output directory.
//!
//! An application may have put another file where standard error was. Messages then go to the program's launcher, by the [`ledger`].

use std::path::Path;

use session::{Summary, config::Level, output::file_name};

use crate::ledger;

/// Prints one line; never fails.
pub fn say(message: &str) {
    print(&format!("luthier: {message}\n"));
}

/// Delivers what a session has to say at its end.
pub fn deliver(session: &session::Session, summary: &Summary, tool_text: &str) {
    let config = session.config();
    let told = config.level >= Level::Warn;
    if let Some(directory) = &config.output {
        let name = file_name("summary.json", config.session);
        if let Err(error) = write(directory, &name, &summary.json()) {
            say(&format!(
                "cannot write {}: {error}",
                directory.join(name).display()
            ));
        }
    }
    if let Some(directory) = &config.output {
        keep_objects(session, &directory.join("objects"));
    }
    if told {
        print(&summary.text());
    }
    print(tool_text);
}

fn print(text: &str) {
    if !text.is_empty() && !files::standard_error::print(text) {
        ledger::say(text);
    }
}

/// Writes the code objects whose kernels ran as `HASH.co`, if the settings ask for it. An object that is there already is the same.
fn keep_objects(session: &session::Session, directory: &Path) {
    for (hash, bytes) in session.launched_objects() {
        let path = directory.join(format!("{hash}.co"));
        let known = || std::fs::metadata(&path).is_ok_and(|file| file.len() == bytes.len() as u64);
        let write = || {
            files::make_directories(directory)?;
            files::write_apart(&path, &bytes)
        };
        if !known()
            && let Err(error) = write()
        {
            say(&format!("cannot write {}: {error}", path.display()));
        }
    }
}

/// Readers see the whole file or none.
fn write(directory: &Path, name: &str, text: &str) -> std::io::Result<()> {
    files::make_directories(directory)?;
    files::write_apart(&directory.join(name), text.as_bytes())
}
