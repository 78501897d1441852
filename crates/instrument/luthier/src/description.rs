//! The description inside a tool's HIP file, in TOML.

use crate::{
    Error, Result, SiteFilter,
    edit::Argument,
    filter::likeness,
    parameters,
    per_place::{self, PREFIX, braced},
};
use isa::{Operand, Reg, RegKind};
use records::Layout;
use serde::{Deserialize, Deserializer, Serialize};
use std::{collections::BTreeMap, path::Path};
use tool_abi::{HOOK_VALUES, HookValue, HookValueRow};

/// The contents of `LUTHIER_TOOL(...)` in a HIP file.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Description {
    /// One line for `luthier tool list`.
    #[serde(default)]
    pub about: String,
    /// Kinds of hook parameters, by hook; parameters are scalar where nothing is said.
    #[serde(default)]
    pub hooks: BTreeMap<String, Vec<Kind>>,
    /// Parameters that users may set with `-t TOOL:NAME=VALUE`.
    #[serde(default)]
    pub parameter: Vec<Parameter>,
    /// A place that cannot take a hook costs the kernel, not itself.
    #[serde(default, rename = "all-or-nothing")]
    pub all_or_nothing: bool,
    /// The hooks that the tool inserts.
    #[serde(default)]
    pub insert: Vec<Insert>,
    /// The report, line by line.
    #[serde(default)]
    pub print: Vec<Print>,
    /// Records that it writes.
    #[serde(default)]
    pub stream: Vec<Stream>,
}

/// Something that users may say about a run of the tool.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Parameter {
    /// Its name behind `-t TOOL:`.
    pub name: String,
    /// The kind that its value must have.
    #[serde(default, rename = "type")]
    pub kind: ParameterKind,
    /// The default, as users would write it.
    #[serde(default, deserialize_with = "as_written")]
    pub default: String,
    /// One line for `luthier tool info`.
    #[serde(default)]
    pub help: String,
}

/// The kind that a parameter's value must have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ParameterKind {
    /// Anything.
    #[default]
    Text,
    /// `true` or `false`.
    Bool,
    /// 32 bits without sign.
    U32,
    /// 64 bits without sign.
    U64,
    /// 32 bits with sign.
    I32,
    /// 64 bits with sign.
    I64,
    /// IEEE single.
    F32,
    /// IEEE double.
    F64,
}

/// Whether a parameter's value is the same in all lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// The same in all lanes.
    Scalar,
    /// One per lane.
    Vector,
    /// A register that the hook may change.
    ScalarReference,
    /// Two scalar registers that the hook may change.
    ScalarPairReference,
    /// One register per lane that the hook may change.
    VectorReference,
    /// 64 bits that are the same whenever the place is executed: a number, or the address of a variable or counter. The hook's code has
    /// them as literals, so that they cost nothing where it does not read them. A pointer leads to global memory.
    Literal,
}

/// Places of an insertion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum At {
    /// Every instruction.
    #[default]
    Instruction,
    /// First instruction of every block.
    Block,
    /// First instruction of the kernel.
    KernelEntry,
    /// Every end of the program.
    KernelExit,
    /// First instruction of every function.
    FunctionEntry,
}

impl At {
    /// The name that descriptions use.
    pub fn name(self) -> &'static str {
        match self {
            At::Instruction => "instruction",
            At::Block => "block",
            At::KernelEntry => "kernel-entry",
            At::KernelExit => "kernel-exit",
            At::FunctionEntry => "function-entry",
        }
    }
}

/// A hook at places.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Insert {
    /// Name of the function.
    pub hook: String,
    /// The instructions, before `site` selects among them.
    #[serde(default)]
    pub at: At,
    /// Conditions as of `--site`, with `;` between them.
    #[serde(default, rename = "where")]
    pub site: String,
    /// Behind the instruction instead of before it.
    #[serde(default)]
    pub after: bool,
    /// Once a wave, whatever EXEC is.
    #[serde(default)]
    pub once: bool,
    /// One for each parameter of the hook, in the words of the documentation; numbers also without quotes.
    #[serde(default, deserialize_with = "words")]
    pub arguments: Vec<String>,
}

/// Texts, and numbers as texts.
fn words<'de, D: Deserializer<'de>>(source: D) -> std::result::Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "an argument is a number or a text")]
    enum Word {
        Number(i64),
        Text(String),
    }
    let words = Vec::<Word>::deserialize(source)?;
    let text = |word| match word {
        Word::Number(number) => number.to_string(),
        Word::Text(text) => text,
    };
    Ok(words.into_iter().map(text).collect())
}

/// A line of the report.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Print {
    /// `{NAME}` stands for a variable, summed over devices, and `{{` for a brace.
    pub text: String,
    /// A line for each of these, instead of one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub each: Option<Each>,
}

/// The things for which a line of the report is repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Each {
    /// Places whose numbers (`&site.NAME` in arguments) are not zero.
    Site,
}

/// A ring of records and the file they go to.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Stream {
    /// Variable of type `luthier::ring`.
    pub ring: String,
    /// `NAME:KIND` in the order of the structure. A stream that host code reads may have `bytes` instead: the size of a record.
    #[serde(default)]
    pub fields: Vec<String>,
    /// Bytes of a record without `fields`, whose fields are the words of 32 bits in it.
    #[serde(default, skip_serializing)]
    bytes: Option<u32>,
    /// Name in the output directory, `.parquet` or `.jsonl`; of a stream without `fields`, `RING.parquet` is one.
    #[serde(default)]
    pub file: String,
    /// Records that fit; rounded up to a power of two.
    #[serde(default = "default_capacity")]
    pub capacity: u32,
}

/// Texts, numbers and truth values alike.
fn as_written<'de, D: serde::Deserializer<'de>>(from: D) -> std::result::Result<String, D::Error> {
    Ok(match toml::Value::deserialize(from)? {
        toml::Value::String(text) => text,
        other => other.to_string(),
    })
}

fn default_capacity() -> u32 {
    1 << 16
}

impl Stream {
    /// A stream of records with these fields.
    pub(crate) fn new(ring: &str, fields: Vec<String>, file: String, capacity: u32) -> Stream {
        Stream {
            ring: ring.to_owned(),
            fields,
            bytes: None,
            file,
            capacity,
        }
    }

    /// Works out what a stream of so many bytes consists of, and whether everything has been said.
    fn complete(&mut self) -> std::result::Result<(), String> {
        let ring = &self.ring;
        match self.bytes.take() {
            Some(_) if !self.fields.is_empty() => {
                return Err(format!(
                    "stream {ring} has `fields` and `bytes`; one is enough"
                ));
            }
            Some(bytes) => {
                if bytes == 0 || !bytes.is_multiple_of(4) {
                    return Err(format!(
                        "{bytes} bytes of stream {ring} are no 32-bit words"
                    ));
                }
                let words = 0..bytes / 4;
                self.fields = words.map(|word| format!("word{word}:u32")).collect();
                if self.file.is_empty() {
                    self.file = format!("{ring}.parquet");
                }
            }
            None if self.fields.is_empty() || self.file.is_empty() => {
                return Err(format!(
                    "stream {ring} needs `fields` and `file`, or `bytes` where host code takes its records"
                ));
            }
            None => {}
        }
        let file = Path::new(&self.file);
        if file.file_name() != Some(file.as_os_str()) {
            return Err(format!(
                "stream {ring} goes to {}, which is no file name: the directory is that of --output",
                self.file
            ));
        }
        Layout::parse(&self.fields).map_err(|error| error.to_string())?;
        records::check_name(Path::new(&self.file)).map_err(|error| error.to_string())
    }

    /// Bytes of one record.
    pub fn record_size(&self) -> Option<u64> {
        let layout = Layout::parse(&self.fields).ok()?;
        Some(layout.size as u64)
    }
}

impl Description {
    /// Reads a description; `tool` names the tool in errors.
    ///
    /// ```
    /// use luthier::{At, Description};
    ///
    /// let text = r#"
    /// [[insert]]
    /// hook = "on_block"
    /// at = "block"
    /// arguments = ["exec", "&total"]
    ///
    /// [[print]]
    /// text = "lanes: {total}"
    /// "#;
    /// let description = Description::parse("lanes", text)?;
    /// assert_eq!(description.insert[0].at, At::Block);
    /// # Ok::<(), luthier::Error>(())
    /// ```
    pub fn parse(tool: &str, text: &str) -> Result<Description> {
        let bad = |reason: String| Error::Description {
            tool: tool.to_owned(),
            reason,
        };
        let mut description: Description =
            toml::from_str(text).map_err(|error| bad(at_line(text, &error)))?;
        let defaults = crate::options::defaults(&description.parameter).map_err(bad)?;
        for insert in &description.insert {
            for argument in insert
                .arguments
                .iter()
                .filter_map(|text| text.trim().strip_prefix('$'))
            {
                if !defaults.contains_key(argument) {
                    return Err(bad(format!(
                        "there is no parameter {argument} for ${argument}"
                    )));
                }
                if crate::options::bits(&description.parameter, &defaults, argument).is_none() {
                    return Err(bad(format!(
                        "the parameter {argument} is a text, and hooks get numbers: give it a `type`, such as u32"
                    )));
                }
            }
            crate::options::filled(&insert.site, &defaults)
                .parse::<SiteFilter>()
                .map_err(|error| bad(error.to_string()))?;
            for argument in &insert.arguments {
                expression(argument).map_err(|error| bad(error.to_string()))?;
            }
        }
        if let Some(reason) = per_place::check(&description)? {
            return Err(bad(reason));
        }
        for stream in &mut description.stream {
            stream.complete().map_err(bad)?;
        }
        for (number, stream) in description.stream.iter().enumerate() {
            for other in &description.stream[..number] {
                let (what, name) = match () {
                    () if other.ring == stream.ring => ("ring", &stream.ring),
                    () if other.file == stream.file => ("file", &stream.file),
                    () => continue,
                };
                return Err(bad(format!("two streams have the {what} {name}")));
            }
        }
        Ok(description)
    }

    /// Variables that are to be printed or streamed.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        let streamed = self.stream.iter().map(|stream| stream.ring.as_str());
        self.printed().chain(streamed)
    }

    /// Names of variables whose addresses hooks get.
    pub fn given_variables(&self) -> Result<Vec<String>> {
        let mut names = Vec::new();
        for text in self.insert.iter().flat_map(|insert| &insert.arguments) {
            if let Expression::Fixed(Argument::Variable(name, _)) = expression(text)? {
                names.push(name);
            }
        }
        Ok(names)
    }

    /// Names of variables whose numbers are printed.
    pub fn printed(&self) -> impl Iterator<Item = &str> {
        let printed = self.print.iter().flat_map(|print| braced(&print.text));
        printed.filter(|name| !name.starts_with(PREFIX))
    }

    /// Kinds of the parameters of every hook that is named anywhere.
    pub fn parameters(&self) -> Result<BTreeMap<String, Vec<Kind>>> {
        let mut hooks = self.hooks.clone();
        for insert in &self.insert {
            let kinds: Vec<Kind> = insert
                .arguments
                .iter()
                .map(|text| Ok(expression(text)?.kind()))
                .collect::<Result<_>>()?;
            hooks.entry(insert.hook.clone()).or_insert(kinds);
        }
        Ok(hooks)
    }
}

/// A mistake in TOML with its place, in one line.
fn at_line(text: &str, error: &toml::de::Error) -> String {
    let place = error.span().and_then(|span| text.get(..span.start));
    let place = place.map(|before| {
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        let (line, column) = (
            before.matches('\n').count() + 1,
            before[start..].chars().count() + 1,
        );
        format!("line {line}, column {column}: ")
    });
    let message = error.message().replace('\n', "; ");
    format!("{}{message}", place.unwrap_or_default())
}

/// An argument as written in a description.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expression {
    Fixed(Argument),
    /// Instructions in the block.
    BlockLength,
    /// Number of the block in its function.
    BlockIndex,
    /// Operand of the instruction, counted with definitions first.
    Operand(usize),
    /// Address of a number of the place.
    SiteNumber(String),
    /// The value that the user gave to the tool's parameter of this name. The caller that knows the options puts it in.
    Parameter,
}

pub(crate) fn expression(text: &str) -> Result<Expression> {
    let text = text.trim();
    if let Some(row) = HookValueRow::of_word(text) {
        return Ok(Expression::Fixed(row.value.into()));
    }
    match text {
        "block.length" => return Ok(Expression::BlockLength),
        "block.index" => return Ok(Expression::BlockIndex),
        _ => {}
    }
    let unknown = |reason: &str| Error::Expression {
        text: text.to_owned(),
        reason: reason.to_owned(),
    };
    if text.starts_with('$') {
        return Ok(Expression::Parameter);
    }
    if let Some(name) = text
        .strip_prefix('&')
        .and_then(|name| name.strip_prefix(PREFIX))
    {
        return match !name.is_empty() && !name.contains(['{', '}']) {
            true => Ok(Expression::SiteNumber(name.to_owned())),
            false => Err(unknown("numbers of places have names")),
        };
    }
    if let Some(name) = text.strip_prefix('&') {
        return Ok(Expression::Fixed(Argument::Variable(name.to_owned(), 0)));
    }
    if let Some(index) = text.strip_prefix("operand.") {
        let index = index
            .parse()
            .map_err(|_| unknown("operands have numbers"))?;
        return Ok(Expression::Operand(index));
    }
    let number = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    };
    if let Some(number) = number {
        return Ok(Expression::Fixed(Argument::Constant(number)));
    }
    match register(text) {
        Some(reg) => Ok(Expression::Fixed(Argument::Register(reg))),
        None => {
            let words = HOOK_VALUES.iter().map(|row| row.word);
            let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
            let meant = meant(text, &words).map(|meant| format!("did you mean {meant}? "));
            let meant = meant.unwrap_or_default();
            Err(unknown(&format!(
                "{meant}expected a number, a register (v3, s[4:5]; v0 to v255, a0 to a255 and s0 to s105), &VARIABLE, &site.NAME, $PARAMETER, operand.N, block.length, block.index, or one of {}",
                words.join(", ")
            )))
        }
    }
}

/// Registers of one vector file that hooks can name on any target.
const VECTOR_REGISTERS: u16 = 256;

/// `v3`, `s[4:5]`, `a0`.
fn register(text: &str) -> Option<Reg> {
    let kind = match text.chars().next()? {
        'v' => RegKind::Vgpr,
        's' => RegKind::Sgpr,
        'a' => RegKind::Agpr,
        _ => return None,
    };
    let rest = &text[1..];
    let (first, last) = match rest
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
    {
        Some(range) => {
            let (first, last) = range.split_once(':')?;
            (first.parse().ok()?, last.parse().ok()?)
        }
        None => {
            let index: u16 = rest.parse().ok()?;
            (index, index)
        }
    };
    let width = u8::try_from(last.checked_sub(first)? + 1).ok()?;
    let known = if kind == RegKind::Sgpr {
        isa::numbers::SGPR_COUNT
    } else {
        VECTOR_REGISTERS
    };
    if last >= known {
        return None;
    }
    Some(Reg {
        kind,
        index: first,
        width,
        half: None,
    })
}

/// The register or the word that may have been meant.
fn meant(text: &str, words: &[&str]) -> Option<String> {
    let small = text.to_lowercase();
    let short = ["vgpr", "sgpr", "agpr"]
        .iter()
        .find_map(|long| Some(format!("{}{}", &long[..1], small.strip_prefix(long)?)));
    let plain: String = short
        .unwrap_or(small)
        .chars()
        .filter(|letter| !" $%_".contains(*letter))
        .collect();
    // `v4:5` or `v[4-5]`.
    let (kind, rest) = plain.split_at_checked(1)?;
    let range = rest.trim_matches(['[', ']']).replace('-', ":");
    let bracketed = format!("{kind}[{range}]");
    let registers = [plain.clone(), bracketed];
    let named = registers.into_iter().find(|name| register(name).is_some());
    named.or_else(|| {
        let near = words
            .iter()
            .filter_map(|word| Some((likeness(&plain, word)?, *word)));
        near.min().map(|(_, word)| word.to_owned())
    })
}

/// The value of a register that an instruction names. A mask of 32 lanes may be given to a parameter of 64 bits; one of 64 lanes
/// stays a register, which no parameter of 32 bits takes.
fn of_register(reg: Reg, wave_size: u8) -> Argument {
    let mask = reg.index == 0 && wave_size == 32;
    match reg.kind {
        RegKind::Scc => Argument::Value(HookValue::Scc),
        RegKind::M0 => Argument::Value(HookValue::M0),
        RegKind::Mode => Argument::Value(HookValue::Mode),
        RegKind::Vcc if mask => Argument::Value(HookValue::Vcc),
        RegKind::Exec if mask => Argument::Value(HookValue::Exec),
        RegKind::Null => Argument::Constant(0),
        _ => Argument::Register(reg),
    }
}

impl Expression {
    fn kind(&self) -> Kind {
        match self {
            Expression::Fixed(argument) if parameters::is_per_lane(argument) => Kind::Vector,
            // Only the instruction says what an operand is; a scalar operand is the same in all lanes.
            Expression::Operand(_) => Kind::Vector,
            _ => Kind::Scalar,
        }
    }

    /// The argument, if it is the same at every place.
    pub fn fixed(&self) -> Option<&Argument> {
        match self {
            Expression::Fixed(argument) => Some(argument),
            _ => None,
        }
    }

    /// The argument at an instruction; `None` if that has no such operand.
    /// `block`: instructions of the block that are meant.
    pub fn at(&self, instruction: &crate::Instruction<'_>, block: u32) -> Option<Argument> {
        Some(match self {
            Expression::Fixed(argument) => argument.clone(),
            Expression::Parameter | Expression::SiteNumber(_) => return None,
            Expression::BlockLength => block.into(),
            Expression::BlockIndex => (instruction.block().index() as u32).into(),
            Expression::Operand(index) => match *instruction.operands().get(*index)? {
                Operand::Def(reg) | Operand::Use(reg) => {
                    of_register(reg, instruction.function().wave_size())
                }
                Operand::Imm(value) | Operand::PcRel(value) => Argument::Constant(value as u64),
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_read() {
        let fixed = |text: &str| match expression(text).unwrap() {
            Expression::Fixed(argument) => argument,
            other => panic!("{other:?}"),
        };
        assert_eq!(fixed("0x10"), Argument::Constant(16));
        assert_eq!(fixed("&total"), Argument::Variable("total".into(), 0));
        let Argument::Register(reg) = fixed("s[4:5]") else {
            panic!("a register")
        };
        assert_eq!((reg.kind, reg.index, reg.width), (RegKind::Sgpr, 4, 2));
        assert_eq!(expression("operand.1").unwrap(), Expression::Operand(1));
        for text in ["", "v", "v[3:1]", "s[1]", "block", "v300000", "operand.x"] {
            assert!(expression(text).is_err(), "{text}");
        }
    }

    #[test]
    fn words_that_are_nearly_right_are_named() {
        for (written, meant) in [
            ("vgpr3", "v3"),
            ("V3", "v3"),
            ("%s4", "s4"),
            ("s4:5", "s[4:5]"),
            ("v[4-5]", "v[4:5]"),
            ("exek", "exec"),
        ] {
            let said = expression(written).unwrap_err().to_string();
            assert!(
                said.contains(&format!("did you mean {meant}?")),
                "{written}: {said}"
            );
        }
        let said = expression("frobnicate").unwrap_err().to_string();
        assert!(!said.contains("did you mean"), "{said}");
    }

    #[test]
    fn mistakes_in_a_description_are_errors() {
        for text in [
            "[[insert]]\nhook = \"h\"\narguments = [\"what\"]",
            "[[insert]]\nhook = \"h\"\nwhere = \"what\"",
            "[[insert]]\nhok = \"h\"",
            "[[stream]]\nring = \"r\"\nfile = \"f.parquet\"\nfields = [\"a:u8\", \"b:u64\"]",
            "[[stream]]\nring = \"r\"",
            "[[print]]\ntext = \"{site.line}\"",
            "[[print]]\neach = \"site\"\ntext = \"{site.line}\"",
            "[[print]]\neach = \"site\"\ntext = \"{site.hits}\"",
            "[[insert]]\nhook = \"h\"\narguments = [\"&site.text\"]",
            "[[insert]]\nhook = \"h\"\narguments = [\"&site.\"]",
            "[[stream]]\nring = \"r\"\nbytes = 6",
            "[[stream]]\nring = \"r\"\nbytes = 4\nfields = [\"a:u32\"]",
            "[[stream]]\nring = \"r\"\nfile = \"f.csv\"\nfields = [\"a:u32\"]",
            "[[stream]]\nring = \"r\"\nfile = \"f.jsonl\"\nfields = [\"a:u32\", \"a:u32\"]",
            "[[stream]]\nring = \"r\"\nbytes = 4\n[[stream]]\nring = \"r\"\nbytes = 4\nfile = \"f.jsonl\"",
            "[[stream]]\nring = \"r\"\nbytes = 4\n[[stream]]\nring = \"s\"\nbytes = 4\nfile = \"r.parquet\"",
            "[[parameter]]\nname = \"p\"\n[[insert]]\nhook = \"h\"\narguments = [\"$p\"]",
        ] {
            assert!(Description::parse("t", text).is_err(), "{text}");
        }
    }

    #[test]
    fn mistakes_in_toml_are_one_line_with_their_place() {
        for (text, place) in [
            (
                "about = \"é\"\ninsert = [{ hook = \"h\", at = ",
                "line 2, column 29: ",
            ),
            (
                "[[insert]]\nhok = \"h\"",
                "line 2, column 1: unknown field `hok`",
            ),
            ("about = 5", "line 1, column 9: invalid type"),
        ] {
            let said = Description::parse("t", text).unwrap_err().to_string();
            assert!(said.starts_with("description of tool t: "), "{said}");
            assert!(said.contains(place) && !said.contains('\n'), "{said}");
        }
    }

    #[test]
    fn a_stream_may_have_bytes_instead_of_fields() {
        let text = "[[stream]]\nring = \"r\"\nbytes = 8";
        let description = Description::parse("t", text).unwrap();
        let [stream] = &*description.stream else {
            panic!("one stream")
        };
        assert_eq!(stream.fields, ["word0:u32", "word1:u32"]);
        assert_eq!(stream.file, "r.parquet");
    }

    #[test]
    fn kinds_follow_from_arguments() {
        let text = "[[insert]]\nhook = \"h\"\narguments = [\"address\", \"v3\", \"s3\", 5]";
        let kinds = Description::parse("t", text).unwrap().parameters().unwrap();
        assert_eq!(
            kinds["h"],
            [Kind::Vector, Kind::Vector, Kind::Scalar, Kind::Scalar]
        );
    }
}
