//! `luthier-schemas SCHEMA.json` compares the JSON on standard input with a JSON Schema. The schema itself is checked first. Prints every place
//! where the input is not as it should be, one to a line, outer places first.
//!
//! The status is 0 if there is no such place, 1 if there are some, and 2 if the schema or the input cannot be read.

use std::{env, error::Error, io, process::ExitCode};

use boon::{Compiler, ErrorKind, Schemas, ValidationError};
use serde_json::Value;

fn main() -> ExitCode {
    match places() {
        Ok(places) => {
            places.iter().for_each(|place| println!("{place}"));
            ExitCode::from(u8::from(!places.is_empty()))
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn places() -> Result<Vec<String>, Box<dyn Error>> {
    let schema = env::args().nth(1).ok_or("name a schema")?;
    let value: Value = serde_json::from_reader(io::stdin())?;
    let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
    compiler.enable_format_assertions();
    let index = compiler
        .compile(&schema, &mut schemas)
        .map_err(|error| format!("{schema}: {error:#}"))?;
    let mut places = Vec::new();
    if let Err(error) = schemas.validate(&value, index) {
        add(&error, &mut places);
    }
    Ok(places)
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
