//! Where words go: stderr, and files in the output directory.

use std::{fs, io::Write, path::Path};

use session::{Summary, config::Level};

/// Prints one line; never fails.
pub fn say(message: &str) {
    let _ = writeln!(std::io::stderr(), "luthier: {message}");
}

/// Delivers what a session has to say at its end. `generation` counts the sessions of this process from 1.
pub fn deliver(session: &session::Session, summary: &Summary, tool_text: &str, generation: u32) {
    let config = session.config();
    let told = config.level >= Level::Warn;
    if let Some(directory) = &config.output {
        let name = match generation {
            1 => format!("summary.{}.json", summary.process),
            later => format!("summary.{}-{later}.json", summary.process),
        };
        if let Err(error) = write(directory, &name, &summary.json()) {
            say(&format!(
                "cannot write {}: {error}",
                directory.join(name).display()
            ));
        }
    }
    if told {
        print(&summary.text());
    }
    print(tool_text);
}

fn print(text: &str) {
    // One write, so that lines of several processes do not mix.
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// Readers see the whole file or none.
fn write(directory: &Path, name: &str, text: &str) -> std::io::Result<()> {
    fs::create_dir_all(directory)?;
    let unfinished = directory.join(format!("{name}.unfinished"));
    fs::write(&unfinished, text)?;
    fs::rename(unfinished, directory.join(name))
}
