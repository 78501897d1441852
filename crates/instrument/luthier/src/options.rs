//! Values that users give to a tool's parameters: `-t TOOL:NAME=VALUE`.

use crate::{Error, Parameter, ParameterKind, Result};
use std::collections::BTreeMap;

/// Values by the parameters' names; all parameters have one.
pub type Options = BTreeMap<String, String>;

impl ParameterKind {
    /// The name that descriptions use.
    pub fn name(self) -> &'static str {
        match self {
            ParameterKind::Text => "text",
            ParameterKind::Bool => "bool",
            ParameterKind::U32 => "u32",
            ParameterKind::U64 => "u64",
            ParameterKind::I32 => "i32",
            ParameterKind::I64 => "i64",
            ParameterKind::F32 => "f32",
            ParameterKind::F64 => "f64",
        }
    }

    /// The value's bits, as a hook gets them; `None` if it is not of this kind.
    fn bits(self, value: &str) -> Option<u64> {
        let unsigned = |value: &str| match value.strip_prefix("0x") {
            Some(digits) if digits.starts_with('+') => None,
            Some(digits) => u64::from_str_radix(digits, 16).ok(),
            None => value.parse().ok(),
        };
        // A number that is too large for its type is read as infinity, which the user has not written.
        let infinite = value.to_ascii_lowercase().contains("inf");
        match self {
            ParameterKind::Text => Some(0),
            ParameterKind::Bool => value.parse::<bool>().ok().map(u64::from),
            ParameterKind::U32 => unsigned(value).filter(|bits| u32::try_from(*bits).is_ok()),
            ParameterKind::U64 => unsigned(value),
            ParameterKind::I32 => value.parse::<i32>().ok().map(|value| value as u32 as u64),
            ParameterKind::I64 => value.parse::<i64>().ok().map(|value| value as u64),
            ParameterKind::F32 => value
                .parse::<f32>()
                .ok()
                .filter(|value| value.is_infinite() == infinite)
                .map(|value| value.to_bits().into()),
            ParameterKind::F64 => value
                .parse::<f64>()
                .ok()
                .filter(|value| value.is_infinite() == infinite)
                .map(f64::to_bits),
        }
    }
}

/// The default values of parameters. The error says what is wrong with a declaration.
pub(crate) fn defaults(parameters: &[Parameter]) -> std::result::Result<Options, String> {
    let mut options = Options::new();
    for parameter in parameters {
        let (name, kind) = (&parameter.name, parameter.kind);
        let plain = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter);
        if name.is_empty() || !name.chars().all(plain) {
            return Err(format!(
                "a parameter is called {name:?}; letters, digits, - and _ can be typed"
            ));
        }
        if kind.bits(&parameter.default).is_none() {
            return Err(format!(
                "the default of parameter {name}, {:?}, is no {}",
                parameter.default,
                kind.name()
            ));
        }
        if options
            .insert(name.clone(), parameter.default.clone())
            .is_some()
        {
            return Err(format!("there are two parameters {name}"));
        }
    }
    Ok(options)
}

/// The values for a run in which the user gave some.
pub(crate) fn given<'a>(
    tool: &str,
    parameters: &[Parameter],
    values: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Result<Options> {
    let bad = |key: &str, reason: String| Error::Option {
        tool: tool.to_owned(),
        name: key.to_owned(),
        reason,
    };
    let mut options = defaults(parameters).map_err(|reason| bad("", reason))?;
    let mut seen = Vec::new();
    for (key, value) in values {
        let known = parameters.iter().find(|parameter| parameter.name == key);
        let Some(parameter) = known else {
            let names: Vec<_> = parameters.iter().map(|known| &*known.name).collect();
            return Err(bad(
                key,
                match names.is_empty() {
                    true => "the tool has no parameters".to_owned(),
                    false => format!("there is no such parameter; there is {}", names.join(", ")),
                },
            ));
        };
        if parameter.kind.bits(value).is_none() {
            return Err(bad(
                key,
                format!("{value:?} is no {}", parameter.kind.name()),
            ));
        }
        if seen.contains(&key) {
            return Err(bad(key, "it is given twice; give it one value".to_owned()));
        }
        seen.push(key);
        options.insert(key.to_owned(), value.to_owned());
    }
    Ok(options)
}

/// The bits of a parameter's value; `None` for texts and unknown names.
pub(crate) fn bits(parameters: &[Parameter], options: &Options, name: &str) -> Option<u64> {
    let parameter = parameters.iter().find(|parameter| parameter.name == name)?;
    let kind = Some(parameter.kind).filter(|kind| *kind != ParameterKind::Text)?;
    kind.bits(options.get(name)?)
}

/// A text with values in place of `$NAME`; longer names first, because one may begin with another.
pub(crate) fn filled(text: &str, options: &Options) -> String {
    let mut names: Vec<_> = options.iter().collect();
    names.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
    names
        .into_iter()
        .fold(text.to_owned(), |text, (name, value)| {
            text.replace(&format!("${name}"), value)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameter(name: &str, kind: ParameterKind, default: &str) -> Parameter {
        Parameter {
            name: name.to_owned(),
            kind,
            default: default.to_owned(),
            help: String::new(),
        }
    }

    #[test]
    fn values_are_checked_and_defaults_hold() {
        let parameters = [
            parameter("lines", ParameterKind::U32, "64"),
            parameter("what", ParameterKind::Text, "v_*"),
            parameter("by", ParameterKind::F32, "1.5"),
        ];
        let options = given("t", &parameters, [("lines", "0x80")]).unwrap();
        assert_eq!(bits(&parameters, &options, "lines"), Some(128));
        assert_eq!(bits(&parameters, &options, "by"), Some(0x3fc0_0000));
        assert_eq!(bits(&parameters, &options, "what"), None);
        assert_eq!(filled("opcode=$what", &options), "opcode=v_*");
        for (key, value) in [
            ("lines", "4294967296"),
            ("lines", "x"),
            ("line", "1"),
            ("by", ""),
            ("by", "1e39"),
            ("lines", "0x+5"),
        ] {
            let error = given("t", &parameters, [(key, value)])
                .unwrap_err()
                .to_string();
            assert!(error.contains(key), "{error}");
        }
    }

    #[test]
    fn floats_are_what_is_written() {
        let parameters = [
            parameter("single", ParameterKind::F32, "0"),
            parameter("double", ParameterKind::F64, "0"),
        ];
        for (name, value, expected) in [
            ("double", "1e400", None),
            ("double", "-1e400", None),
            ("double", "-Infinity", Some(f64::NEG_INFINITY.to_bits())),
            ("double", "1e39", Some(1e39_f64.to_bits())),
            ("single", "1e39", None),
            ("single", "inf", Some(f32::INFINITY.to_bits().into())),
            ("single", "nan", Some(f32::NAN.to_bits().into())),
        ] {
            let given = given("t", &parameters, [(name, value)]).ok();
            let bits = given.and_then(|options| bits(&parameters, &options, name));
            assert_eq!(bits, expected, "{name}={value}");
        }
    }

    #[test]
    fn a_parameter_has_one_value() {
        let parameters = [parameter("a", ParameterKind::U32, "0")];
        let twice = given("t", &parameters, [("a", "1"), ("a", "2")]);
        let said = twice.unwrap_err().to_string();
        assert!(
            said.contains("parameter a of tool t: it is given twice"),
            "{said}"
        );
    }

    #[test]
    fn bad_declarations_are_errors() {
        for parameters in [
            vec![parameter("a", ParameterKind::U32, "")],
            vec![parameter("a b", ParameterKind::Text, "")],
            vec![parameter("a", ParameterKind::Text, ""); 2],
        ] {
            assert!(defaults(&parameters).is_err());
        }
    }
}
