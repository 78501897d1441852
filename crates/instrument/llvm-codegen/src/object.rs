//! The compiled function inside LLVM's relocatable object.

use crate::Error;
use object::{Object, ObjectSection, ObjectSymbol, RelocationFlags, RelocationTarget};

const WRAPPER: &str = "luthier_template";
/// The beginning of the names of symbols that `luthier::count_wave` defines.
pub(crate) const COUNTS_WAVES: &str = "__luthier_counts_waves";

/// A place in the code that holds (half of) an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relocation {
    /// Bytes from the start of the code.
    pub offset: u64,
    /// ELF relocation type (`R_AMDGPU_*`).
    pub kind: u32,
    pub symbol: String,
    pub addend: i64,
}

/// The wrapper.
pub(crate) struct Function {
    pub code: Vec<u8>,
    pub relocations: Vec<Relocation>,
    pub counts_waves: bool,
}

pub(crate) fn read(bytes: &[u8]) -> Result<Function, Error> {
    let broken = Error::Object;
    let file = object::File::parse(bytes).map_err(|_| broken("it is no ELF file"))?;
    let function = file
        .symbols()
        .find(|symbol| symbol.name() == Ok(WRAPPER))
        .ok_or(broken("the function is missing"))?;
    let section = function
        .section_index()
        .and_then(|index| file.section_by_index(index).ok())
        .ok_or(broken("the function has no section"))?;
    let data = section
        .data()
        .map_err(|_| broken("its section has no data"))?;
    // The padding behind the function is not part of it.
    let (start, end) = (
        function.address(),
        function.address().saturating_add(function.size()),
    );
    let code = data
        .get(start as usize..end as usize)
        .ok_or(broken("the function leaves its section"))?
        .to_vec();
    let mut relocations = Vec::new();
    for (offset, relocation) in section.relocations() {
        if !(start..end).contains(&offset) {
            continue;
        }
        let RelocationFlags::Elf { r_type } = relocation.flags() else {
            return Err(broken("a relocation has no type"));
        };
        let RelocationTarget::Symbol(index) = relocation.target() else {
            return Err(broken("a relocation has no symbol"));
        };
        let symbol = file
            .symbol_by_index(index)
            .and_then(|symbol| symbol.name())
            .map_err(|_| broken("a relocation's symbol has no name"))?;
        let offset = offset - start;
        // SHT_REL keeps the addend in the code.
        let addend = if relocation.has_implicit_addend() {
            let field = code
                .get(offset as usize..offset as usize + 4)
                .ok_or(broken("a relocation lies outside the function"))?;
            i64::from(i32::from_le_bytes([field[0], field[1], field[2], field[3]]))
        } else {
            relocation.addend()
        };
        relocations.push(Relocation {
            offset,
            kind: r_type.0,
            symbol: symbol.to_owned(),
            addend,
        });
    }
    relocations.sort_by_key(|relocation| relocation.offset);
    let counts_waves = file.symbols().any(|symbol| {
        symbol
            .name()
            .is_ok_and(|name| name.starts_with(COUNTS_WAVES))
    });
    Ok(Function {
        code,
        relocations,
        counts_waves,
    })
}
