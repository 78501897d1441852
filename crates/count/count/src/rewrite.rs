//! `rewrite`: bitcode in, counting bitcode out, through the stand-alone rewriter.
//!
//! A process of its own: it carries LLVM, which `luthier` does not.

use crate::RewriteArguments;
use crate::error::Error;
use crate::toolchain::{self, OPTIONS_VARIABLE};
use std::process::{Command, ExitCode};

/// Rewrites a module.
pub fn rewrite(arguments: &RewriteArguments) -> Result<ExitCode, Error> {
    let line = arguments.count.option_line()?;
    let mut command = Command::new(toolchain::rewriter()?);
    command
        .env(OPTIONS_VARIABLE, line)
        .arg(&arguments.input)
        .arg(outputs::named(
            &arguments.output,
            arguments.input.file_name().unwrap_or_default(),
        ));
    let status = toolchain::status(&mut command)?;
    Ok(command::of_child(status))
}
