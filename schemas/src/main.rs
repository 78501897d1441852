//! `luthier-schemas SCHEMA.json`: checks the JSON on standard input. Prints every place where it is not as the schema says, one to a line.
//!
//! The status is 0 if there is none, 1 if there are some, and 2 if the schema or the input cannot be read.

use std::{env, error::Error, fs, io, process::ExitCode};

use jsonschema::draft202012;
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
    let path = env::args().nth(1).ok_or("name a schema")?;
    let schema: Value = serde_json::from_str(&fs::read_to_string(&path)?)?;
    draft202012::meta::validate(&schema).map_err(|error| format!("{path}: {error}"))?;
    let validator = draft202012::new(&schema).map_err(|error| format!("{path}: {error}"))?;
    let value: Value = serde_json::from_reader(io::stdin())?;
    let errors = validator.iter_errors(&value);
    Ok(errors
        .map(|error| format!("${}: {error}", error.instance_path()))
        .collect())
}
