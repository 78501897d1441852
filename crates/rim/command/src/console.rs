//! Output of commands.

use std::{
    fmt::Arguments,
    io::{self, ErrorKind, Write},
};

use crate::status::{Status, of_signal};

/// Prints to standard error in one write; what cannot be written has no other place to go, so failures are ignored.
pub fn print_error(text: Arguments<'_>) {
    let _ = io::stderr().write_all(text.to_string().as_bytes());
}

/// Prints to standard output. If its reader left, the command ends quietly, as by SIGPIPE. After any other failure it ends with one line and
/// [`Status::Failed`]: the output is what the command is for.
pub fn print_output(text: Arguments<'_>) {
    let mut stdout = io::stdout().lock();
    let Err(error) = stdout.write_fmt(text).and_then(|()| stdout.flush()) else {
        return;
    };
    if error.kind() == ErrorKind::BrokenPipe {
        std::process::exit(of_signal(libc::SIGPIPE).into());
    }
    print_error(format_args!(
        "luthier: cannot write to standard output: {error}\n"
    ));
    std::process::exit(Status::Failed as i32);
}

/// An error as one line. Control characters, which names of files may have, are written as escapes. Behind a line that ends with a
/// colon stands what another program has said, and it keeps its lines.
pub fn error_line(text: &str) -> String {
    let (said, others) = match text.split_once(":\n") {
        Some((said, others)) => (said, Some(others)),
        None => (text, None),
    };
    let mut line = String::new();
    for letter in said.chars() {
        match letter.is_control() {
            true => line.extend(letter.escape_default()),
            false => line.push(letter),
        }
    }
    if let Some(others) = others {
        line.push_str(":\n");
        line.push_str(others);
    }
    line
}

/// Why a text is no regular expression, without the drawing of the place.
pub fn regex_problem(error: &dyn std::error::Error) -> String {
    let text = error.to_string();
    let last = text.lines().last().unwrap_or_default();
    last.trim_start_matches("error: ").to_owned()
}

/// A line on standard error, as `eprintln!`, that never panics.
#[macro_export]
macro_rules! say {
    ($($arguments:tt)*) => {
        $crate::print_error(format_args!("{}\n", format_args!($($arguments)*)))
    };
}

/// A line on standard output, as `println!`, that never panics.
#[macro_export]
macro_rules! out {
    () => { $crate::print_output(format_args!("\n")) };
    ($($arguments:tt)*) => {
        $crate::print_output(format_args!("{}\n", format_args!($($arguments)*)))
    };
}

#[cfg(test)]
mod tests {
    use super::error_line;

    #[test]
    fn errors_are_one_line_and_what_compilers_say_is_as_they_said_it() {
        for (text, line) in [
            (
                "cannot read a\nb.hip: it is gone",
                "cannot read a\\nb.hip: it is gone",
            ),
            ("x\u{1b}[31m", "x\\u{1b}[31m"),
            ("naïve", "naïve"),
            (
                "a\nb does not compile:\nx:1\n^",
                "a\\nb does not compile:\nx:1\n^",
            ),
        ] {
            assert_eq!(error_line(text), line);
        }
    }
}
