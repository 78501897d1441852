//! The libraries that the dynamic linker loads into a program first: `LD_PRELOAD`, names with colons or spaces between them, in the
//! order in which symbols are looked for.

use std::{
    env,
    ffi::{OsStr, OsString},
    process::Command,
};

const VARIABLE: &str = "LD_PRELOAD";
const SEPARATORS: &[u8] = b" :\t\n";

/// The libraries that the program of `command` preloads so far.
fn requested(command: &Command) -> OsString {
    let own = command.get_envs().find(|(name, _)| *name == VARIABLE);
    let value = match own {
        Some((_, value)) => value.map(OsStr::to_owned),
        None => env::var_os(VARIABLE),
    };
    value.unwrap_or_default()
}

/// Has `library` asked before all others.
pub fn put_first(command: &mut Command, library: &OsStr) {
    let others = requested(command);
    command.env(VARIABLE, join(library, &others));
}

/// Has `library` asked after all others, unless it is among them: some insist on being the first.
pub fn put_last(command: &mut Command, library: &OsStr) {
    let others = requested(command);
    let mut names = others
        .as_encoded_bytes()
        .split(|byte| SEPARATORS.contains(byte));
    if !names.any(|name| name == library.as_encoded_bytes()) {
        command.env(VARIABLE, join(&others, library));
    }
}

fn join(first: &OsStr, second: &OsStr) -> OsString {
    let mut value = first.to_owned();
    if !first.is_empty() && !second.is_empty() {
        value.push(":");
    }
    value.push(second);
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_preloaded_keeps_its_place() {
        let mut command = Command::new("true");
        command.env(VARIABLE, "libasan.so /x.so");
        put_last(&mut command, OsStr::new("/driver.so"));
        put_first(&mut command, OsStr::new("/first.so"));
        put_last(&mut command, OsStr::new("/driver.so"));
        assert_eq!(requested(&command), "/first.so:libasan.so /x.so:/driver.so");
        command.env_remove(VARIABLE);
        put_last(&mut command, OsStr::new("/driver.so"));
        assert_eq!(requested(&command), "/driver.so");
    }
}
