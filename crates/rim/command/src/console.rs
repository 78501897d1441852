//! Output of commands.

use std::{
    error::Error,
    fmt::{self, Arguments, Display, Formatter},
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

/// An error with lines behind its own: what another program has said, or a list.
#[derive(Debug)]
pub struct Said {
    /// The error, which has no colon at its end.
    pub line: String,
    pub others: String,
}

impl Said {
    /// The lines behind an error, given it and its causes.
    pub fn of<'e>(mut chain: impl Iterator<Item = &'e (dyn Error + 'static)>) -> Option<&'e str> {
        let said = chain.find_map(|cause| cause.downcast_ref::<Said>())?;
        Some(&said.others)
    }
}

impl Display for Said {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match &*self.others {
            "" => formatter.write_str(&self.line),
            others => write!(formatter, "{}:\n{others}", self.line),
        }
    }
}

impl Error for Said {}

/// An error as one line. Control characters, which names of files may have, are written as escapes. Only `others`, lines that another
/// program has said and that stand behind a colon at the end of `text`, keep theirs.
pub fn error_line(text: &str, others: Option<&str>) -> String {
    let line = others.and_then(|others| text.strip_suffix(others)?.strip_suffix(":\n"));
    let mut said = String::new();
    for letter in line.unwrap_or(text).chars() {
        match letter.is_control() {
            true => said.extend(letter.escape_default()),
            false => said.push(letter),
        }
    }
    match (line, others) {
        (Some(_), Some(others)) if !others.is_empty() => format!("{said}:\n{others}"),
        _ => said,
    }
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
    use super::{Said, error_line};

    #[test]
    fn errors_are_one_line() {
        for (text, line) in [
            (
                "cannot read a\nb.hip: it is gone",
                "cannot read a\\nb.hip: it is gone",
            ),
            ("x\u{1b}[31m", "x\\u{1b}[31m"),
            ("a:\nb\u{1b}[31m: gone", "a:\\nb\\u{1b}[31m: gone"),
            ("naïve", "naïve"),
        ] {
            assert_eq!(error_line(text, None), line);
        }
    }

    #[test]
    fn what_compilers_say_is_as_they_said_it() {
        assert_eq!(
            error_line("a does not compile:\n", Some("")),
            "a does not compile"
        );
        for (others, said) in [("x:\n1\n^", ":\nx:\n1\n^"), ("", "")] {
            let error = Said {
                line: "a:\nb\u{1b}[31m does not compile".to_owned(),
                others: others.to_owned(),
            };
            let line = error_line(&error.to_string(), Some(others));
            assert_eq!(line, format!("a:\\nb\\u{{1b}}[31m does not compile{said}"));
        }
    }
}
