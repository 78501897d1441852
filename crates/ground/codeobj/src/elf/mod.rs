//! The code object: an AMDGPU ELF file read as kernels, functions and a loadable image.

mod file;
mod image;

pub use file::{
    Binding, Elf, Note, Relocation, Section, Segment, Symbol, SymbolKind, SymbolSection,
};
pub use image::{Image, ImageSegment};

use crate::{Error, KernelDescriptor, Metadata, Result, Setting, TargetId};
use gfx::Target;
use object::elf as format;
use std::collections::HashMap;

const EM_AMDGPU: u16 = 224;
const ELFOSABI_AMDGPU_HSA: u8 = 64;
/// Note type of the MessagePack metadata, owner `AMDGPU`.
pub(crate) const NT_AMDGPU_METADATA: u32 = 32;

/// Code object version, which decides how features are encoded and what metadata may say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Version {
    /// Code object version 3.
    V3,
    /// Code object version 4.
    V4,
    /// Code object version 5.
    V5,
    /// Code object version 6.
    V6,
}

impl Version {
    /// The number in `-mcode-object-version=`.
    pub fn number(self) -> u8 {
        3 + self as u8
    }
}

/// One AMDGPU ELF file.
#[derive(Clone, Debug)]
pub struct CodeObject<'a> {
    elf: Elf<'a>,
    target: TargetId,
    version: Version,
    symbols: Vec<Symbol<'a>>,
    dynamic_symbols: Vec<Symbol<'a>>,
    /// Name to index in [`CodeObject::all_symbols`]; objects with ten thousand kernels exist.
    by_name: HashMap<&'a str, usize>,
}

/// One kernel: its descriptor and its code.
#[derive(Clone, Debug)]
pub struct Kernel<'a> {
    /// Without `.kd`.
    pub name: &'a str,
    /// Settings for the hardware at the start of the kernel.
    pub descriptor: KernelDescriptor,
    /// Address of the 64-byte descriptor.
    pub descriptor_address: u64,
    /// Address of the first instruction.
    pub entry: u64,
    /// Bytes of code from `entry`, by the symbol of the same name; 0 in stripped objects that do not say.
    pub code_size: u64,
}

impl<'a> CodeObject<'a> {
    /// Returns `true` if `data` is an ELF file for AMD GPUs (of any version).
    pub fn is_code_object(data: &[u8]) -> bool {
        Elf::is_elf(data) && data.get(18..20) == Some(&EM_AMDGPU.to_le_bytes())
    }

    /// Reads all tables; code object v2 and other runtimes' ABIs are refused.
    pub fn parse(data: &'a [u8]) -> Result<CodeObject<'a>> {
        let elf = Elf::parse(data)?;
        image::check_code(&elf)?;
        if elf.machine != EM_AMDGPU {
            return Err(Error::NotCodeObject {
                reason: "the ELF machine is not AMDGPU",
            });
        }
        if elf.os_abi != ELFOSABI_AMDGPU_HSA {
            let reason =
                "its OS ABI is not AMDGPU HSA; code for PAL and Mesa has no kernel descriptors";
            return Err(Error::NotCodeObject { reason });
        }
        let version = match elf.abi_version {
            0 => return Err(Error::CodeObjectV2),
            1 => Version::V3,
            2 => Version::V4,
            3 => Version::V5,
            4 => Version::V6,
            abi_version => return Err(Error::UnknownAbi { abi_version }),
        };
        let target = target_of_flags(elf.flags, version)?;
        let symbols = elf.symbols(format::SHT_SYMTAB.0)?;
        let dynamic_symbols = elf.symbols(format::SHT_DYNSYM.0)?;
        let all = if symbols.is_empty() {
            &dynamic_symbols
        } else {
            &symbols
        };
        let mut by_name = HashMap::with_capacity(all.len());
        for (index, symbol) in all
            .iter()
            .enumerate()
            .filter(|(_, symbol)| !symbol.name.is_empty())
        {
            by_name.entry(symbol.name).or_insert(index);
        }
        Ok(CodeObject {
            by_name,
            elf,
            target,
            version,
            symbols,
            dynamic_symbols,
        })
    }

    /// The target that the code was built for.
    pub fn target(&self) -> TargetId {
        self.target
    }

    /// The version of the format, by the ELF header.
    pub fn version(&self) -> Version {
        self.version
    }

    /// The file underneath: sections, segments, notes, relocations.
    pub fn elf(&self) -> &Elf<'a> {
        &self.elf
    }

    /// Linked (`ET_DYN`) as opposed to relocatable (`ET_REL`).
    pub fn is_linked(&self) -> bool {
        self.elf.kind == format::ET_DYN.0
    }

    /// `.symtab`, empty in stripped objects.
    pub fn symbols(&self) -> &[Symbol<'a>] {
        &self.symbols
    }

    /// `.dynsym`, which the loader reads.
    pub fn dynamic_symbols(&self) -> &[Symbol<'a>] {
        &self.dynamic_symbols
    }

    /// The fuller of the two symbol tables.
    pub fn all_symbols(&self) -> &[Symbol<'a>] {
        if self.symbols.is_empty() {
            &self.dynamic_symbols
        } else {
            &self.symbols
        }
    }

    /// The symbol with this name, if there is one.
    pub fn symbol(&self, name: &str) -> Option<&Symbol<'a>> {
        match self.by_name.get(name) {
            Some(index) => self.all_symbols().get(*index),
            None => self
                .dynamic_symbols
                .iter()
                .find(|symbol| symbol.name == name),
        }
    }

    /// Function symbols, kernels and device functions, by address.
    pub fn functions(&self) -> Vec<&Symbol<'a>> {
        let mut functions: Vec<_> = self
            .all_symbols()
            .iter()
            .filter(|symbol| symbol.kind == SymbolKind::Function && symbol.is_defined())
            .collect();
        functions.sort_by_key(|symbol| symbol.value);
        functions
    }

    /// Every kernel, in symbol order.
    pub fn kernels(&self) -> Result<Vec<Kernel<'a>>> {
        let mut kernels = Vec::new();
        for symbol in self.all_symbols() {
            let Some(name) = symbol.name.strip_suffix(".kd") else {
                continue;
            };
            if is_descriptor(symbol) {
                kernels.push(self.kernel_of(name, symbol)?);
            }
        }
        Ok(kernels)
    }

    /// The kernel called `name`, given with or without `.kd`.
    pub fn kernel(&self, name: &str) -> Result<Kernel<'a>> {
        let name = name.strip_suffix(".kd").unwrap_or(name);
        // Objects with ten thousand kernels exist.
        if let Some(symbol) = self.descriptor_symbol(name)
            && let Some(named) = symbol.name.strip_suffix(".kd")
        {
            return self.kernel_of(named, symbol);
        }
        match self
            .kernels()?
            .into_iter()
            .find(|kernel| kernel.name == name)
        {
            Some(kernel) => Ok(kernel),
            None => {
                let known: Vec<_> = self.kernels()?.iter().map(|kernel| kernel.name).collect();
                let known = if known.is_empty() {
                    "none".to_owned()
                } else {
                    known.join(", ")
                };
                Err(Error::NoSuchKernel {
                    name: name.to_owned(),
                    known,
                })
            }
        }
    }

    fn descriptor_symbol(&self, kernel: &str) -> Option<&Symbol<'a>> {
        let symbol = self.symbol(&format!("{kernel}.kd"))?;
        is_descriptor(symbol).then_some(symbol)
    }

    fn kernel_of(&self, name: &'a str, symbol: &Symbol<'a>) -> Result<Kernel<'a>> {
        let what = "kernel descriptor";
        let bytes = self.symbol_bytes(symbol)?;
        let raw = bytes.try_into().map_err(|_| Error::Truncated {
            what,
            offset: symbol.value,
            needed: KernelDescriptor::SIZE as u64,
            available: bytes.len() as u64,
        })?;
        let descriptor = KernelDescriptor::from_bytes(raw, self.target.target);
        let code = self
            .symbol(name)
            .filter(|symbol| symbol.kind == SymbolKind::Function);
        // In a relocatable object the entry offset is still a relocation.
        let entry = match code {
            Some(code) if !self.is_linked() => code.value,
            _ => symbol.value.wrapping_add_signed(descriptor.entry_offset()),
        };
        let code_size = code.map_or(0, |code| code.size);
        Ok(Kernel {
            name,
            descriptor,
            descriptor_address: symbol.value,
            entry,
            code_size,
        })
    }

    /// The bytes a defined symbol stands for, by its size; fails if they are not in the file.
    pub fn symbol_bytes(&self, symbol: &Symbol<'a>) -> Result<&'a [u8]> {
        let SymbolSection::Section(index) = symbol.section else {
            return Ok(&[]);
        };
        let outside = |reason| Error::Malformed {
            what: "symbol",
            offset: symbol.value,
            reason,
        };
        let section = self
            .elf
            .sections
            .get(index)
            .ok_or_else(|| outside("its section does not exist"))?;
        let base = if self.is_linked() { section.address } else { 0 };
        let start = symbol
            .value
            .checked_sub(base)
            .ok_or_else(|| outside("it lies before its section"))?;
        crate::bytes::slice(section.data, start, symbol.size, "symbol")
    }

    /// Bytes of a kernel's code. Without a symbol size, everything up to the end of its section.
    pub fn kernel_code(&self, kernel: &Kernel<'a>) -> Result<&'a [u8]> {
        self.code_at(kernel.entry, kernel.code_size)
    }

    /// `size` bytes of code at `address`; up to the end of the section if `size` is 0.
    pub fn code_at(&self, address: u64, size: u64) -> Result<&'a [u8]> {
        let base = |section: &Section<'a>| if self.is_linked() { section.address } else { 0 };
        let section = self
            .elf
            .sections
            .iter()
            .filter(|section| section.is_code())
            .find(|section| {
                (base(section)..base(section).saturating_add(section.size)).contains(&address)
            });
        let Some(section) = section else {
            let wanted = if size == 0 { u64::MAX } else { size };
            let missing = Error::Malformed {
                what: "code address",
                offset: address,
                reason: "no code is there",
            };
            return self.elf.bytes_at(address, wanted).ok_or(missing);
        };
        let start = address - base(section);
        let size = if size == 0 {
            (section.data.len() as u64).saturating_sub(start)
        } else {
            size
        };
        crate::bytes::slice(section.data, start, size, "code")
    }

    /// The kernel metadata; `None` if the object has no metadata note.
    pub fn metadata(&self) -> Result<Option<Metadata>> {
        for note in self.elf.notes()? {
            if note.owner == b"AMDGPU" && note.kind == NT_AMDGPU_METADATA {
                return Metadata::parse(note.description, note.file_offset).map(Some);
            }
        }
        Ok(None)
    }

    /// The linker's build id, if it was asked for one.
    pub fn build_id(&self) -> Result<Option<&'a [u8]>> {
        let notes = self.elf.notes()?;
        Ok(notes
            .iter()
            .find(|note| note.owner == b"GNU" && note.kind == 3)
            .map(|note| note.description))
    }

    /// Relocations the loader applies.
    pub fn dynamic_relocations(&self) -> Result<Vec<Relocation>> {
        let mut relocations = Vec::new();
        for section in self
            .elf
            .sections
            .iter()
            .filter(|section| section.is_allocated())
        {
            relocations.extend(self.elf.relocations(section)?);
        }
        Ok(relocations)
    }

    /// The memory image that the loader makes.
    pub fn image(&self) -> Image<'a> {
        Image::new(&self.elf)
    }

    /// Embedded bitcode modules (`-fembed-bitcode`), possibly several concatenated.
    pub fn embedded_bitcode(&self) -> Option<&'a [u8]> {
        self.elf.section(".llvmbc").map(|section| section.data)
    }

    /// Compiler command lines beside the embedded bitcode, zero-separated.
    pub fn embedded_command_line(&self) -> Option<&'a [u8]> {
        self.elf.section(".llvmcmd").map(|section| section.data)
    }
}

fn is_descriptor(symbol: &Symbol<'_>) -> bool {
    symbol.is_defined() && symbol.size == KernelDescriptor::SIZE as u64
}

/// Decodes `e_flags`. v3 has one bit per feature, v4 and later two.
fn target_of_flags(flags: u32, version: Version) -> Result<TargetId> {
    let mach = flags as u8;
    let Some(target) = Target::from_mach(mach) else {
        return Err(Error::UnknownMach { mach });
    };
    if version == Version::V3 {
        let one_bit = |feature, bit| match (feature, flags & bit != 0) {
            (gfx::Feature::Absent, _) => Setting::Unsupported,
            (_, true) => Setting::On,
            (_, false) => Setting::Off,
        };
        return Ok(TargetId {
            target,
            xnack: one_bit(target.xnack, 0x100),
            sramecc: one_bit(target.sramecc, 0x200),
        });
    }
    let two_bits = |shift: u32| match flags >> shift & 3 {
        0 => Setting::Unsupported,
        1 => Setting::Any,
        2 => Setting::Off,
        _ => Setting::On,
    };
    Ok(TargetId {
        target,
        xnack: two_bits(8),
        sramecc: two_bits(10),
    })
}
