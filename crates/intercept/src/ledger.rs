//! Tells whoever started the program which processes have delivered what tools collected.
//!
//! `_exit` and SIGKILL end a process without giving us a moment: nothing can be delivered then, but somebody can say so. The file
//! of `LUTHIER_LEDGER` gets a line for each session that begins and each that has delivered; `luthier run` reads it in the end.

use std::{fs::OpenOptions, io::Write};

const VARIABLE: &str = "LUTHIER_LEDGER";
pub const BEGAN: &str = "began";
pub const DELIVERED: &str = "delivered";

/// Appends a line about this process; never fails.
pub fn write(what: &str) {
    let path = std::env::var_os(VARIABLE).filter(|path| !path.is_empty());
    let file = path.and_then(|path| OpenOptions::new().append(true).open(path).ok());
    if let Some(mut file) = file {
        // One write, so that lines of several processes do not mix.
        let _ = file.write_all(format!("{} {what}\n", std::process::id()).as_bytes());
    }
}
