//! `luthier-schemas SCHEMA.json` compares JSON with a JSON Schema. The schema itself is checked first. Each line of standard input is a value.
//! For each of them, the program prints every place where the value is not as it should be, one to a line, outer places first, and then
//! an empty line.
//!
//! The status is 2 if the schema or a line cannot be read.

use std::{
    env,
    error::Error,
    io::{self, Write},
    process::ExitCode,
};

use boon::{Compiler, ErrorKind, Schemas, ValidationError};

fn main() -> ExitCode {
    match answer() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn answer() -> Result<(), Box<dyn Error>> {
    let schema = env::args().nth(1).ok_or("name a schema")?;
    let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
    compiler.enable_format_assertions();
    let index = compiler
        .compile(&schema, &mut schemas)
        .map_err(|error| format!("{schema}: {error:#}"))?;
    for line in io::stdin().lines() {
        let value = serde_json::from_str(&line?)?;
        let mut places = Vec::new();
        if let Err(error) = schemas.validate(&value, index) {
            add(&error, &mut places);
        }
        let mut out = io::stdout().lock();
        for place in places {
            // A place is a line, whatever is in the value.
            writeln!(out, "{}", place.replace('\n', " "))?;
        }
        writeln!(out)?;
        out.flush()?;
    }
    Ok(())
}

/// Adds the error and those that it consists of.
fn add(error: &ValidationError<'_, '_>, places: &mut Vec<String>) {
    let only_groups = matches!(
        error.kind,
        ErrorKind::Group | ErrorKind::Schema { .. } | ErrorKind::Reference { .. }
    );
    if !only_groups {
        places.push(format!("${}: {}", error.instance_location, error.kind));
    }
    error.causes.iter().for_each(|cause| add(cause, places));
}
