//! `luthier-count-rewrite IN OUT`: reads bitcode or textual IR, makes it count, writes bitcode. Options come from
//! `LUTHIER_COUNT`, as for the plugin.

use luthier_count::rewrite::rewrite;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [input, output] = arguments.as_slice() else {
        eprintln!("usage: luthier-count-rewrite IN.bc OUT.bc");
        return ExitCode::from(2);
    };
    let options = std::env::var("LUTHIER_COUNT").unwrap_or_default();
    match rewrite(input.as_ref(), output.as_ref(), &options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("luthier count rewrite: {message}");
            ExitCode::FAILURE
        }
    }
}
