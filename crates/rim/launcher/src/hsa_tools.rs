//! The tools that ROCr loads into a program: `HSA_TOOLS_LIB`, names with spaces between them, in the order of loading.

use std::{
    env,
    ffi::{OsStr, OsString},
    process::Command,
};

const VARIABLE: &str = "HSA_TOOLS_LIB";

/// The tools that the program of `command` loads so far.
pub fn requested(command: &Command) -> OsString {
    let own = command.get_envs().find(|(name, _)| *name == VARIABLE);
    let value = match own {
        Some((_, value)) => value.map(OsStr::to_owned),
        None => env::var_os(VARIABLE),
    };
    value.unwrap_or_default()
}

/// Has `library` loaded before all others.
pub fn put_first(command: &mut Command, library: &OsStr) {
    let others = requested(command);
    let value = join(library, &others);
    command.env(VARIABLE, value);
}

/// Has `library` loaded after all others, unless it is among them.
pub fn put_last(command: &mut Command, library: &str) {
    let others = requested(command);
    if !others
        .to_string_lossy()
        .split_whitespace()
        .any(|other| other == library)
    {
        command.env(VARIABLE, join(&others, library.as_ref()));
    }
}

fn join(first: &OsStr, second: &OsStr) -> OsString {
    let mut value = first.to_owned();
    if !first.is_empty() && !second.is_empty() {
        value.push(" ");
    }
    value.push(second);
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_loaded_once_in_the_order_asked_for() {
        let mut command = Command::new("true");
        command.env(VARIABLE, "theirs.so");
        put_last(&mut command, "last.so");
        put_first(&mut command, OsStr::new("/first.so"));
        put_last(&mut command, "last.so");
        assert_eq!(requested(&command), "/first.so theirs.so last.so");
        command.env_remove(VARIABLE);
        put_last(&mut command, "last.so");
        assert_eq!(requested(&command), "last.so");
    }
}
