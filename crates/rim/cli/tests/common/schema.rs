//! As much of JSON Schema as docs/schemas uses. Words that are not known here are errors, so that no schema says more than is checked.

use std::path::Path;

use serde_json::{Map, Value};

/// The schema `docs/schemas/NAME.json`.
pub fn schema(name: &str) -> Value {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/schemas");
    let path = root.join(name).with_extension("json");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The first place where `value` is not as `schema` says.
pub fn check(schema: &Value, value: &Value) -> Result<(), String> {
    Checker { root: schema }.any(schema, value, "$")
}

struct Checker<'a> {
    root: &'a Value,
}

impl Checker<'_> {
    fn any(&self, schema: &Value, value: &Value, at: &str) -> Result<(), String> {
        let words = schema.as_object().ok_or("a schema is an object")?;
        for (word, said) in words {
            self.word(words, word, said, value, at)?;
        }
        Ok(())
    }

    fn word(
        &self,
        schema: &Map<String, Value>,
        word: &str,
        said: &Value,
        value: &Value,
        at: &str,
    ) -> Result<(), String> {
        let wrong = |what: String| Err(format!("{at} {what}: {value}"));
        match word {
            "$schema" | "$defs" | "title" | "description" => Ok(()),
            "$ref" => {
                let name = said.as_str().unwrap().strip_prefix("#/$defs/").unwrap();
                self.any(&self.root["$defs"][name], value, at)
            }
            "type" if !is_a(said.as_str().unwrap(), value) => wrong(format!("is no {said}")),
            "minimum" if value.is_number() && value.as_f64() < said.as_f64() => {
                wrong(format!("is below {said}"))
            }
            "minItems" if (items(value).len() as u64) < said.as_u64().unwrap() => {
                wrong(format!("has fewer than {said} items"))
            }
            "const" if value != said => wrong(format!("is not {said}")),
            "enum" if !said.as_array().unwrap().contains(value) => {
                wrong(format!("is none of {said}"))
            }
            "type" | "minimum" | "minItems" | "const" | "enum" => Ok(()),
            "anyOf" => {
                let tried = said.as_array().unwrap().iter();
                let mut errors = tried.map(|one| self.any(one, value, at));
                match errors.any(|outcome| outcome.is_ok()) {
                    true => Ok(()),
                    false => wrong("is nothing of what it may be".to_owned()),
                }
            }
            "required" => {
                let missing = said.as_array().unwrap().iter();
                let mut missing =
                    missing.filter(|name| value.get(name.as_str().unwrap()).is_none());
                missing
                    .next()
                    .map_or(Ok(()), |name| wrong(format!("has no {name}")))
            }
            "properties" => said
                .as_object()
                .unwrap()
                .iter()
                .filter_map(|(name, inner)| Some((inner, value.get(name)?, name)))
                .try_for_each(|(inner, value, name)| {
                    self.any(inner, value, &format!("{at}.{name}"))
                }),
            "additionalProperties" => {
                let known = schema.get("properties").and_then(Value::as_object);
                let others = value.as_object().into_iter().flatten();
                others
                    .filter(|(name, _)| known.is_none_or(|known| !known.contains_key(*name)))
                    .try_for_each(|(name, inner)| match said {
                        Value::Bool(false) => wrong(format!("has {name}, which is in no schema")),
                        said => self.any(said, inner, &format!("{at}.{name}")),
                    })
            }
            "prefixItems" => {
                let pairs = said
                    .as_array()
                    .unwrap()
                    .iter()
                    .zip(items(value))
                    .enumerate();
                pairs.into_iter().try_for_each(|(index, (inner, value))| {
                    self.any(inner, value, &format!("{at}[{index}]"))
                })
            }
            "items" => {
                let before = schema
                    .get("prefixItems")
                    .map_or(0, |before| items(before).len());
                let rest = items(value).iter().enumerate().skip(before);
                rest.into_iter().try_for_each(|(index, inner)| match said {
                    Value::Bool(false) => wrong(format!("has more than {before} items")),
                    said => self.any(said, inner, &format!("{at}[{index}]")),
                })
            }
            other => Err(format!("{at}: {other} is no word that is known here")),
        }
    }
}

fn is_a(kind: &str, value: &Value) -> bool {
    match kind {
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        _ => false,
    }
}

fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}
