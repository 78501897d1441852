//! Arguments of kernels: what metadata and mangled names say about them, and their values as text.

use codeobj::metadata::ArgumentKind;
use luthier::Kernel;
use serde::{Deserialize, Serialize};

/// Longest value of unknown type that is shown whole, in bytes.
const SHOWN: usize = 32;

/// A parameter that the application passes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parameter {
    /// The name in the source, or the argument's number.
    pub name: String,
    /// In memory, in bytes.
    pub offset: usize,
    pub pointer: bool,
    pub size: usize,
    /// The type in the source; empty if it is not known.
    pub type_name: String,
}

/// The parameters of a kernel, without those that the runtime adds. HIP's compilers leave names and types out of metadata. Debug
/// information has both, and the mangled name has the types.
pub fn parameters(kernel: &Kernel<'_>) -> Vec<Parameter> {
    let Some(metadata) = kernel.metadata() else {
        return Vec::new();
    };
    let explicit: Vec<_> = metadata.explicit_arguments().collect();
    let demangled = kernel.demangled();
    let types = demangle::parameter_types(&demangled);
    let types = (types.len() == explicit.len()).then_some(types);
    let known = kernel.source_parameters();
    let known = known.filter(|known| known.len() == explicit.len());
    let parameters = explicit.iter().enumerate().map(|(index, argument)| {
        let known = known.map(|known| &known[index]);
        let name = argument.name.as_deref();
        let name = name.map(|name| name.trim_end_matches(".coerce"));
        let name = name.or(known.map(|known| known.name.as_str()));
        let name = name.filter(|name| !name.is_empty());
        let type_name = argument.type_name.as_deref();
        let type_name = type_name
            .or(types.as_ref().map(|types| types[index]))
            .or(known.map(|known| known.type_name.as_str()));
        Parameter {
            name: name.map_or_else(|| index.to_string(), str::to_owned),
            type_name: type_name.unwrap_or_default().to_owned(),
            offset: argument.offset as usize,
            size: argument.size as usize,
            pointer: argument.kind != ArgumentKind::ByValue,
        }
    });
    parameters.collect()
}

/// How the bytes of a type read.
type ReadNumber = fn(&[u8]) -> Option<String>;

macro_rules! numbers {
    ($($name:literal => $type:ty,)*) => {
        &[$(($name, |bytes| Some(<$type>::from_le_bytes(bytes.try_into().ok()?).to_string()))),*]
    };
}

const NUMBERS: &[(&str, ReadNumber)] = numbers! {
    "char" => i8, "signed char" => i8, "unsigned char" => u8,
    "short" => i16, "unsigned short" => u16,
    "int" => i32, "unsigned int" => u32, "unsigned" => u32,
    "long" => i64, "unsigned long" => u64,
    "long long" => i64, "unsigned long long" => u64,
    "float" => f32, "double" => f64,
};

impl Parameter {
    /// Its value among these bytes.
    pub fn value(&self, arguments: &[u8]) -> String {
        let Some(bytes) = arguments.get(self.offset..self.offset.saturating_add(self.size)) else {
            return "?".to_owned();
        };
        let base = self
            .type_name
            .trim_end_matches(" const")
            .trim_start_matches("const ");
        if self.pointer || base.ends_with('*') {
            return match bytes.try_into() {
                Ok(bytes) => format!("{:#x}", u64::from_le_bytes(bytes)),
                Err(_) => hexadecimal(bytes),
            };
        }
        if base == "bool" && bytes.len() == 1 {
            return (bytes[0] != 0).to_string();
        }
        let known = NUMBERS.iter().find(|(name, _)| *name == base);
        let value = known.and_then(|(_, read)| read(bytes));
        value.unwrap_or_else(|| match bytes.len() {
            0 => "{}".to_owned(),
            _ => hexadecimal(bytes),
        })
    }
}

/// Bytes in memory order.
fn hexadecimal(bytes: &[u8]) -> String {
    let shown = &bytes[..bytes.len().min(SHOWN)];
    let digits: String = shown.iter().map(|byte| format!("{byte:02x}")).collect();
    let more = if bytes.len() > SHOWN { "..." } else { "" };
    format!("bytes {digits}{more}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_read_as_in_the_source() {
        let memory = [1.5f32.to_le_bytes(), (-7i32).to_le_bytes()].concat();
        let parameter = |type_name: &str, offset, size, pointer| Parameter {
            name: "p".to_owned(),
            type_name: type_name.to_owned(),
            offset,
            size,
            pointer,
        };
        for (parameter, expected) in [
            (parameter("float", 0, 4, false), "1.5"),
            (parameter("int const", 4, 4, false), "-7"),
            (parameter("unsigned int", 4, 4, false), "4294967289"),
            (parameter("bool", 4, 1, false), "true"),
            (parameter("", 0, 8, true), "0xfffffff93fc00000"),
            (parameter("float*", 0, 8, false), "0xfffffff93fc00000"),
            (parameter("Pair", 2, 3, false), "bytes c03ff9"),
            // Metadata and name disagree, or the arguments could not be read.
            (parameter("int", 4, 2, false), "bytes f9ff"),
            (parameter("int", 8, 4, false), "?"),
        ] {
            assert_eq!(parameter.value(&memory), expected, "{parameter:?}");
        }
    }
}
