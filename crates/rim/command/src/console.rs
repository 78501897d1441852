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
