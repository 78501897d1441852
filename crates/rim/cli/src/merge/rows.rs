//! Adding up JSON of tools: lists of what was counted, within each other.
//!
//! The key of a row consists of its texts, of places such as `["file", 12]` and of the numbers of [`ABOUT`], such as kernel, code object and
//! address. Rows with the same key become one, and all their other numbers are added, whatever a tool calls them.

use std::collections::HashMap;

use anyhow::{Context, Result, bail};
use serde_json::{Map, Number, Value};

/// Numbers that say what a row is about.
const ABOUT: [&str; 13] = [
    "pc",
    "from",
    "to",
    "line",
    "column",
    "function",
    "block",
    "index",
    "site",
    "instructions",
    "node",
    "agent",
    "number",
];

/// Numbers of which the largest says it for all.
const LARGEST: [&str; 12] = [
    "session",
    "added_bytes",
    "seconds",
    "build_seconds",
    "sites",
    "vgprs",
    "sgprs",
    "lds",
    "most_lds",
    "scratch",
    "waves_per_simd",
    "wave_size",
];

/// Facts that hold for the sum if they hold for all rows, and that are not part of a key.
const OF_ALL: [&str; 1] = ["from_cache"];

/// Numbers of processes, and handles in them, which have no meaning in the sum.
const PROCESSES: [&str; 3] = ["process", "pid", "id"];

/// Nothing, in the shape of a value.
pub fn empty(like: &Value) -> Value {
    match like {
        Value::Array(_) => Value::Array(Vec::new()),
        Value::Object(_) => Value::Object(Map::new()),
        _ => Value::Null,
    }
}

/// Adds a file's rows.
pub fn add(total: &mut Value, more: Value) -> Result<()> {
    match (total, more) {
        (Value::Array(total), Value::Array(more)) => add_list(total, more),
        (Value::Object(total), Value::Object(more)) => add_object(total, more),
        _ => bail!("it is neither a list nor an object, or not what other processes wrote"),
    }
}

fn add_list(total: &mut Vec<Value>, more: Vec<Value>) -> Result<()> {
    let mut known: HashMap<String, usize> = HashMap::new();
    for (at, row) in total.iter().enumerate() {
        known.entry(about(row)).or_insert(at);
    }
    for row in more {
        match (known.get(&about(&row)), row) {
            (Some(&at), Value::Object(row)) => match &mut total[at] {
                Value::Object(total) => add_object(total, row)?,
                _ => bail!("a list has rows of several kinds"),
            },
            // The same text, as of a note.
            (Some(_), Value::String(_)) => {}
            (None, row @ (Value::Object(_) | Value::String(_))) => {
                known.insert(about(&row), total.len());
                total.push(started(row)?);
            }
            (_, row) => bail!("a list with {row} in it cannot be added up"),
        }
    }
    Ok(())
}

/// A first row: as if it were added to nothing, so that what it has twice is one, too.
fn started(row: Value) -> Result<Value> {
    let Value::Object(row) = row else {
        return Ok(row);
    };
    let mut total = Map::new();
    add_object(&mut total, row)?;
    Ok(Value::Object(total))
}

/// The key of a row, as a text.
fn about(row: &Value) -> String {
    let Value::Object(fields) = row else {
        return row.to_string();
    };
    let mut of: Vec<_> = fields
        .iter()
        .filter(|(name, value)| match value {
            Value::String(_) => true,
            Value::Bool(_) => !OF_ALL.contains(&name.as_str()),
            Value::Number(_) => ABOUT.contains(&name.as_str()),
            Value::Array(list) => is_place(list),
            _ => false,
        })
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    of.sort();
    of.join("\n")
}

/// A text with numbers behind it, such as a file and a line.
fn is_place(list: &[Value]) -> bool {
    matches!(list, [Value::String(_), numbers @ ..] if !numbers.is_empty() && numbers.iter().all(Value::is_number))
}

fn add_object(total: &mut Map<String, Value>, more: Map<String, Value>) -> Result<()> {
    for (name, value) in more {
        let sum = match (total.remove(&name), value) {
            (None, Value::Object(more)) => started(Value::Object(more))?,
            (None, Value::Array(more)) => added_pairs(&name, Vec::new(), more)?,
            (None, Value::Number(more)) => Value::Number(added(&name, None, more)?),
            (None, more) => more,
            (Some(Value::Object(mut total)), Value::Object(more)) => {
                add_object(&mut total, more).with_context(|| name.clone())?;
                Value::Object(total)
            }
            (Some(Value::Array(total)), Value::Array(more)) => added_pairs(&name, total, more)?,
            (Some(Value::Number(total)), Value::Number(more)) => {
                Value::Number(added(&name, Some(total), more)?)
            }
            (Some(Value::String(total)), Value::String(more)) => {
                Value::String(joined(total, &more))
            }
            (Some(Value::Bool(total)), Value::Bool(more)) => Value::Bool(total && more),
            (Some(total), more) if total == more => total,
            // A number that one of them does not know is unknown in the sum. A value that is no number is known if one of them knows it.
            (Some(Value::Null), Value::Number(_)) | (Some(Value::Number(_)), Value::Null) => {
                Value::Null
            }
            (Some(Value::Null), known) | (Some(known), Value::Null) => known,
            _ => bail!("{name} is not the same kind of value everywhere"),
        };
        total.insert(name, sum);
    }
    Ok(())
}

/// Lists of rows, or of as many numbers each, or the same place.
fn added_pairs(name: &str, mut total: Vec<Value>, more: Vec<Value>) -> Result<Value> {
    let numbers = |list: &[Value]| !list.is_empty() && list.iter().all(Value::is_number);
    if is_place(&more) && (total.is_empty() || total == more) {
        return Ok(Value::Array(more));
    }
    if !numbers(&more) {
        add_list(&mut total, more).with_context(|| name.to_owned())?;
        return Ok(Value::Array(total));
    }
    if total.is_empty() {
        return Ok(Value::Array(more));
    }
    if !numbers(&total) || total.len() != more.len() {
        bail!("{name} has not as many numbers everywhere");
    }
    let sums = total.into_iter().zip(more).map(|pair| match pair {
        (Value::Number(total), Value::Number(more)) => {
            added(name, Some(total), more).map(Value::Number)
        }
        _ => bail!("{name} is no list of numbers"),
    });
    Ok(Value::Array(sums.collect::<Result<_>>()?))
}

fn added(name: &str, total: Option<Number>, more: Number) -> Result<Number> {
    if PROCESSES.contains(&name) {
        return Ok(0.into());
    }
    if ABOUT.contains(&name) || LARGEST.contains(&name) {
        let smaller = |total: &Number| total.as_f64() < more.as_f64();
        return Ok(total.filter(|total| !smaller(total)).unwrap_or(more));
    }
    let Some(count) = more.as_u64() else {
        bail!("{name} is {more}, which is no count");
    };
    let before = total.as_ref().map_or(Some(0), Number::as_u64);
    let sum = before.and_then(|before| before.checked_add(count));
    sum.map(Number::from)
        .with_context(|| format!("{name} is too large"))
}

/// All different texts that are not part of the key.
fn joined(total: String, more: &str) -> String {
    match total == more || total.split(", ").any(|known| known == more) {
        true => total,
        false => format!("{total}, {more}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn sum(values: &[Value]) -> Result<Value> {
        let mut total = empty(&values[0]);
        for value in values {
            add(&mut total, value.clone())?;
        }
        Ok(total)
    }

    #[test]
    fn sessions_are_no_counters() {
        let total = sum(&[
            json!({ "session": 1, "launches": 2 }),
            json!({ "session": 2, "launches": 3 }),
            json!({ "session": 1, "launches": 4 }),
        ]);
        assert_eq!(total.unwrap(), json!({ "session": 2, "launches": 9 }));
    }

    #[test]
    fn counters_of_the_same_place_are_added() {
        let of = |waves: u64, opcodes: Value| json!([{ "kernel": "k", "name": "k(int, int)", "object": "o", "launches": 1, "sites": [{ "pc": 4, "text": "x", "waves": waves }], "opcodes": opcodes }]);
        // Beyond what a floating-point number holds exactly.
        let large = (1 << 53) + 1;
        let total = sum(&[
            of(large, json!({ "a": 1 })),
            of(2, json!({ "a": 2, "b": 3 })),
            json!([{ "kernel": "k", "object": "other", "launches": 7 }]),
        ]);
        let mut expected = of(large + 2, json!({ "a": 3, "b": 3 }));
        expected[0]["launches"] = json!(2);
        expected
            .as_array_mut()
            .unwrap()
            .push(json!({ "kernel": "k", "object": "other", "launches": 7 }));
        assert_eq!(total.unwrap(), expected);
    }

    #[test]
    fn facts_are_not_added() {
        let of = |seconds: f64, pid: u32| {
            json!({
                "tool": "t", "seconds": seconds, "process": pid, "from_cache": pid == 7, "notes": ["same", format!("of {pid}")],
                "kernels": [{ "symbol": "k", "before": { "vgprs": 8 }, "classes": { "valu": [1, 64] }, "lanes": null, "reason": null }]
            })
        };
        assert_eq!(
            sum(&[of(1.5, 7), of(0.5, 9)]).unwrap(),
            json!({
                "tool": "t", "seconds": 1.5, "process": 0, "from_cache": false, "notes": ["same", "of 7", "of 9"],
                "kernels": [{ "symbol": "k", "before": { "vgprs": 8 }, "classes": { "valu": [2, 128] }, "lanes": null, "reason": null }]
            })
        );
    }

    #[test]
    fn places_say_what_a_row_is_about() {
        let of = |line: u32, lanes: u32| json!({ "source": ["a.hip", line], "lanes": lanes });
        let total = sum(&[
            json!([of(4, 1), of(5, 2)]),
            json!([of(5, 10), of(4, 20), { "source": null, "lanes": 3 }]),
        ]);
        assert_eq!(
            total.unwrap(),
            json!([of(4, 21), of(5, 12), { "source": null, "lanes": 3 }])
        );
        // The same holds for a single thing.
        let total = sum(&[of(4, 1), of(4, 2)]);
        assert_eq!(total.unwrap(), of(4, 3));
        assert!(sum(&[of(4, 1), of(5, 2)]).is_err());
    }

    #[test]
    fn what_is_unknown_of_one_is_unknown_of_all() {
        let of = |waves: Value| json!([{ "pc": 1, "waves": waves }]);
        assert_eq!(
            sum(&[of(json!(3)), of(Value::Null)]).unwrap(),
            of(Value::Null)
        );
    }

    #[test]
    fn what_cannot_be_added_exactly_is_an_error() {
        for (value, said) in [
            (
                json!([{ "k": "a", "share": 0.5 }]),
                "share is 0.5, which is no count",
            ),
            (json!([{ "k": "a", "n": u64::MAX }]), "n is too large"),
            (json!([{ "k": "a", "n": -1 }]), "n is -1, which is no count"),
            (json!([[1]]), "a list with [1] in it cannot be added up"),
        ] {
            let error = sum(&[value.clone(), value]).unwrap_err();
            assert!(format!("{error:#}").contains(said), "{error:#}");
        }
    }
}
