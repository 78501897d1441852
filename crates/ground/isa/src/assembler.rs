//! Text to bytes.

use crate::{AssembleError, Error, decoder::feature_string, error::Message};
use gfx::{Family, Target};
use llvm_shim::Severity;
use object::{Object, ObjectSection, ObjectSymbol, RelocationTarget, SectionKind};

/// Assembles for one target and wave size.
///
/// Meant for text we write ourselves: LLVM's parser may loop for ever on an unterminated single quote, and expands macros
/// and repetitions without bound.
#[derive(Clone, Debug)]
pub struct Assembler {
    target: &'static Target,
    features: String,
}

impl Assembler {
    /// For the target's default wave size.
    pub fn new(target: &'static Target) -> Result<Assembler, Error> {
        Assembler::with_features(target, target.wave_size, "")
    }

    /// `features` are further LLVM features, as `+xnack,-sramecc`.
    pub fn with_features(
        target: &'static Target,
        wave_size: u8,
        features: &str,
    ) -> Result<Assembler, Error> {
        let features = feature_string(target, wave_size, features)?;
        Ok(Assembler { target, features })
    }

    /// The machine code of `text`: instructions, labels and data of its `.text` section. Names that the text does not define, bytes in
    /// other sections, and a text without instructions are errors.
    pub fn assemble(&self, text: &str) -> Result<Vec<u8>, AssembleError> {
        let bytes = self.assemble_object(text)?;
        let file = object::File::parse(&*bytes)?;
        for section in file.sections() {
            let (name, bytes) = (section.name()?, section.size());
            // (Tables of symbols, names and relocations are the object's own.)
            if name != ".text" && bytes != 0 && section.kind() != SectionKind::Metadata {
                return Err(AssembleError::Elsewhere {
                    section: name.to_owned(),
                    bytes,
                });
            }
        }
        let section = file.section_by_name(".text").ok_or(AssembleError::Empty)?;
        if let Some((_, relocation)) = section.relocations().next() {
            let symbol = match relocation.target() {
                RelocationTarget::Symbol(index) => file.symbol_by_index(index)?.name()?.to_owned(),
                _ => String::new(),
            };
            return Err(AssembleError::UndefinedSymbol { symbol });
        }
        match section.data()? {
            [] => Err(AssembleError::Empty),
            code => Ok(code.to_vec()),
        }
    }

    /// `text` as an ELF relocatable object, with whatever sections, symbols and kernel descriptors it declares. On gfx11 and
    /// later, 16-bit operands are halves of registers (`v1.l`), or all of them whole ones, of which the lower half is meant.
    pub fn assemble_object(&self, text: &str) -> Result<Vec<u8>, AssembleError> {
        let with_halves = self.assemble_with(&self.features, text);
        if with_halves.is_ok() || self.target.family < Family::Gfx11 {
            return with_halves;
        }
        let whole = format!("{},-real-true16", self.features);
        self.assemble_with(&whole, text).or(with_halves)
    }

    fn assemble_with(&self, features: &str, text: &str) -> Result<Vec<u8>, AssembleError> {
        llvm_shim::assemble(self.target.name, features, text).map_err(|error| {
            let messages = error
                .diagnostics
                .into_iter()
                .filter(|diagnostic| diagnostic.severity == Severity::Error)
                .map(|diagnostic| Message {
                    line: diagnostic.line,
                    column: diagnostic.column,
                    text: diagnostic.message,
                })
                .collect();
            AssembleError::Text(messages)
        })
    }
}
