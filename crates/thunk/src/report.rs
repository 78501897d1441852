//! Messages to the user.

use std::io::Write;

/// Writes `message` and a newline to standard error. A closed stream is nobody's fault.
pub fn report(message: &str) {
    // One write, so that lines of several threads and processes do not mix.
    let _ = std::io::stderr().write_all(format!("{message}\n").as_bytes());
}
