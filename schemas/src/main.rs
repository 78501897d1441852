//! Checks the JSON on standard input. Prints every place where it is not as it should be, one to a line.
//!
//! - `luthier-schemas SCHEMA.json` compares it with a JSON Schema.
//! - `luthier-schemas sarif` compares it with SARIF 2.1.0, as the crate `serde-sarif` reads it, whose types come from OASIS's schema.
//!
//! The status is 0 if there is no such place, 1 if there are some, and 2 if the schema or the input cannot be read.

use std::{env, error::Error, fs, io, process::ExitCode};

use jsonschema::draft202012;
use serde::Deserialize;
use serde_json::Value;
use serde_sarif::sarif::Sarif;

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
    let schema = env::args().nth(1).ok_or("name a schema, or say sarif")?;
    let value: Value = serde_json::from_reader(io::stdin())?;
    match schema.as_str() {
        "sarif" => Ok(of_sarif(&value)),
        path => of_schema(path, &value),
    }
}

fn of_schema(path: &str, value: &Value) -> Result<Vec<String>, Box<dyn Error>> {
    let schema: Value = serde_json::from_str(&fs::read_to_string(path)?)?;
    draft202012::meta::validate(&schema).map_err(|error| format!("{path}: {error}"))?;
    let validator = draft202012::new(&schema).map_err(|error| format!("{path}: {error}"))?;
    let errors = validator.iter_errors(value);
    Ok(errors
        .map(|error| format!("${}: {error}", error.instance_path()))
        .collect())
}

/// The types refuse what lacks a property or has a wrong one, and drop properties that SARIF does not have.
fn of_sarif(value: &Value) -> Vec<String> {
    let mut places = Vec::new();
    match Sarif::deserialize(value).and_then(serde_json::to_value) {
        Ok(read) => lost("$", value, &read, &mut places),
        Err(error) => places.push(format!("$: {error}")),
    }
    places
}

/// Adds the places in which `read` lacks something that `value` has.
fn lost(at: &str, value: &Value, read: &Value, places: &mut Vec<String>) {
    match (value, read) {
        (Value::Object(properties), Value::Object(read)) => {
            for (name, value) in properties {
                let at = format!("{at}.{name}");
                match read.get(name) {
                    Some(read) => lost(&at, value, read, places),
                    None => places.push(format!("{at}: SARIF has no such property")),
                }
            }
        }
        (Value::Array(items), Value::Array(read)) if items.len() == read.len() => {
            for (place, (value, read)) in items.iter().zip(read).enumerate() {
                lost(&format!("{at}[{place}]"), value, read, places);
            }
        }
        _ if value == read => (),
        _ => places.push(format!("{at}: read as {read}")),
    }
}
