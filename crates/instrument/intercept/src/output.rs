//! Output of a session: stderr, and files in the output directory.
//!
//! An application may have put another file where standard error was. Messages then go to the program's launcher, by the [`ledger`].

use session::{Summary, config::Level};

use crate::ledger;

/// Prints one line; never fails.
pub fn say(message: &str) {
    print(&format!("luthier: {message}\n"));
}

/// Delivers what a session has to say at its end.
pub fn deliver(session: &session::Session, summary: &Summary, tool_text: &str) {
    let config = session.config();
    let told = config.level >= Level::Warn;
    for problem in session::output::leave(session, summary) {
        say(&problem);
    }
    if told {
        print(&summary.text());
    }
    print(tool_text);
}

fn print(text: &str) {
    if !text.is_empty() && !guest::standard_error::print(text) {
        ledger::say(text);
    }
}
