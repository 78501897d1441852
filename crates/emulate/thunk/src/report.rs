//! Messages to the user.

/// Writes `message` and a newline to standard error, in one piece, unless the application has put something else there. A closed
/// stream is nobody's fault.
pub fn report(message: &str) {
    files::standard_error::print(&format!("{message}\n"));
}
