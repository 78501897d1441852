//! The tool that changes nothing: kernels run from a second, unmodified copy of their object.
//!
//! It shows that interception itself is transparent: loading, substitution in packets and unloading happen as for any other
//! tool.

use codeobj::{CodeObject, elf::SymbolSection};

use crate::{Fit, Instrumenter, Refusal, Report, Request, Usage, Variant};

const SHT_PROGBITS: u32 = 1;
const SHT_NOBITS: u32 = 8;
const SHF_WRITE: u64 = 1;
/// Writable sections that are not written any more once the loader is done.
const LOADER_ONLY: [&str; 3] = [".got", ".relro_padding", ".data.rel.ro"];
/// A byte per compilation unit, which only linkers look at.
const UNIT_MARK: &str = "__hip_cuid_";

/// See the module.
#[derive(Debug, Default)]
pub struct Identity;

impl Instrumenter for Identity {
    fn name(&self) -> String {
        "identity".into()
    }

    fn fingerprint(&self) -> Vec<u8> {
        b"identity 1".to_vec()
    }

    fn instrument(&self, request: &Request<'_>) -> Result<Variant, Refusal> {
        let unreadable = |error: codeobj::Error| Refusal::Object(format!("unreadable: {error}"));
        let object = CodeObject::parse(request.object).map_err(unreadable)?;
        if let Some(data) = own_data(&object) {
            return Err(Refusal::Object(format!(
                "{data} belongs to this code object; a copy would have a second one"
            )));
        }
        let kernel = object.kernel(request.kernel).map_err(unreadable)?;
        let usage = Usage::from_descriptor(&kernel.descriptor);
        Ok(Variant {
            object: request.object.to_vec(),
            kernel_symbol: format!("{}.kd", request.kernel),
            patches: Vec::new(),
            private_segment_size: kernel.descriptor.private_segment_size(),
            group_segment_size: kernel.descriptor.group_segment_size(),
            fit: Fit::new(&kernel.descriptor, &kernel.descriptor),
            report: Report {
                before: usage,
                after: usage,
                ..Report::default()
            },
            tool_data: Vec::new(),
            globals: Vec::new(),
        })
    }
}

/// A variable that kernels or the host may write, or that others define.
fn own_data(object: &CodeObject<'_>) -> Option<String> {
    let undefined = object
        .dynamic_symbols()
        .iter()
        .find(|symbol| !symbol.name.is_empty() && !symbol.is_defined());
    if let Some(variable) = undefined {
        return Some(format!("variable {}", variable.name));
    }
    let writable = object.elf().sections.iter().filter(|section| {
        section.is_allocated()
            && section.flags & SHF_WRITE != 0
            && matches!(section.kind, SHT_PROGBITS | SHT_NOBITS)
            && !LOADER_ONLY.contains(&section.name)
    });
    for section in writable {
        let symbols = object.all_symbols().iter().filter(|symbol| {
            symbol.section == SymbolSection::Section(section.index) && !symbol.name.is_empty()
        });
        let (marks, variables): (Vec<_>, Vec<_>) =
            symbols.partition(|symbol| symbol.name.starts_with(UNIT_MARK));
        if let Some(variable) = variables.first() {
            return Some(format!("variable {}", variable.name));
        }
        let named: u64 = marks.iter().map(|symbol| symbol.size).sum();
        if section.size > named {
            return Some(format!("section {}", section.name));
        }
    }
    None
}
