//! `luthier-cc`, and under a name that ends with `c++` or `cxx` the same for C++: compilers in one word, for build systems that
//! take no other. Options of `luthier count cc` stand among clang's or come from `LUTHIER_COUNT`.

use count::{Command, CompileArguments, CountArguments};
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut words = std::env::args_os();
    let name = words.next().unwrap_or_default();
    let name = Path::new(&name)
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let arguments = CompileArguments {
        count: CountArguments::default(),
        arguments: words.collect(),
    };
    match name.ends_with("c++") || name.ends_with("cxx") {
        true => Command::Cxx(arguments),
        false => Command::Cc(arguments),
    }
    .run()
}
