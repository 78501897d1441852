//! Messages to the user.

/// Writes `message` and a newline to standard error, in one piece, unless the application has put another file there. A closed stream is
/// not an error.
pub fn report(message: &str) {
    guest::standard_error::print(&format!("{message}\n"));
}
