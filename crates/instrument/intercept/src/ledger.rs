//! Tells the program's launcher which processes have delivered the results of tools.
//!
//! `_exit` and SIGKILL end a process at once: results cannot be delivered then, but the launcher can say so. The file of `LUTHIER_LEDGER`
//! gets a line for each session that begins, is refused or has delivered. `luthier run` reads it at the end.

use std::{fs::OpenOptions, io::Write};

const VARIABLE: &str = "LUTHIER_LEDGER";
pub const BEGAN: &str = "began";
pub const DELIVERED: &str = "delivered";
/// The process has used a GPU, without tools.
pub const REFUSED: &str = "refused";
const SAID: &str = "said";

/// Appends a line about this process; never fails.
pub fn write(what: &str) {
    let path = std::env::var_os(VARIABLE).filter(|path| !path.is_empty());
    let Some(path) = path else { return };
    // One write, so that lines of several processes do not mix.
    let line = format!("{} {what}\n", std::process::id());
    let append = || {
        let file = OpenOptions::new().append(true).open(&path);
        file.and_then(|mut file| file.write_all(line.as_bytes()))
    };
    if guest::apart(append).is_err() {
        // If there can be no other thread, the file is open for as short a time as possible.
        let _ = append();
    }
}

/// Has the program's launcher print `text`.
pub fn say(text: &str) {
    let line = text.replace('\\', "\\\\").replace('\n', "\\n");
    write(&format!("{SAID} {line}"));
}
