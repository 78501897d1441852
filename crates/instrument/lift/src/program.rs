//! The input of lifting: code by address, the starts of functions, and pointers in data.

use crate::Error;
use codeobj::CodeObject;
use gfx::Target;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// `R_AMDGPU_ABS64`, `R_AMDGPU_RELATIVE64`, and `R_AMDGPU_GLOB_DAT` by its number in old objects.
const ABS64: u32 = 3;
const RELATIVE64: u32 = 13;

/// How a function is entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FunctionKind {
    /// By a dispatch.
    Kernel,
    /// By a call.
    Device,
}

/// A function before its code is looked at.
#[derive(Clone, Debug)]
pub struct FunctionSeed {
    /// The name of its symbol, or a name made from its address.
    pub name: String,
    /// The kind of its callers.
    pub kind: FunctionKind,
    /// Address of its first instruction.
    pub entry: u64,
    /// In bytes; 0: up to the next function or the end of the code.
    pub size: u64,
    /// 32 or 64; `None`: as the kernels around it.
    pub wave_size: Option<u8>,
}

/// Code and everything known about it beforehand. Made of a code object, or by hand for code that is in none.
#[derive(Clone, Debug)]
pub struct Program<'a> {
    /// The target of the code.
    pub target: &'static Target,
    /// Address and bytes of each run of code.
    pub code: Vec<(u64, &'a [u8])>,
    /// In the order of their entries.
    pub functions: Vec<FunctionSeed>,
    /// 64-bit words in memory that hold an address of this program: where, and which.
    pub pointers: BTreeMap<u64, u64>,
}

impl<'a> Program<'a> {
    /// Kernels, function symbols and relocated pointers of a linked code object.
    pub fn from_object(object: &CodeObject<'a>) -> Result<Program<'a>, Error> {
        if !object.is_linked() {
            return Err(Error::NotLinked);
        }
        let sections = object.elf().sections.iter();
        let code: Vec<_> = sections
            .filter(|section| section.is_code())
            .map(|section| (section.address, section.data))
            .collect();
        let mut functions = Vec::new();
        let mut seen = BTreeSet::new();
        let (kernels, symbols) = (object.kernels()?, object.functions());
        // Kernels that the compiler left without an instruction are where the next function starts, which is the one meant.
        let sized = kernels
            .iter()
            .map(|kernel| (kernel.entry, kernel.code_size));
        let of_symbols = symbols.iter().map(|symbol| (symbol.value, symbol.size));
        let sized: HashSet<u64> = (sized.chain(of_symbols))
            .filter_map(|(entry, size)| (size > 0).then_some(entry))
            .collect();
        let has_code = |entry, size| size > 0 || !sized.contains(&entry);
        for kernel in kernels {
            if has_code(kernel.entry, kernel.code_size) && seen.insert(kernel.entry) {
                functions.push(FunctionSeed {
                    name: kernel.name.to_owned(),
                    kind: FunctionKind::Kernel,
                    entry: kernel.entry,
                    size: kernel.code_size,
                    wave_size: Some(kernel.descriptor.wave_size()),
                });
            }
        }
        for symbol in symbols {
            if has_code(symbol.value, symbol.size) && seen.insert(symbol.value) {
                functions.push(FunctionSeed {
                    name: symbol.name.to_owned(),
                    kind: FunctionKind::Device,
                    entry: symbol.value,
                    size: symbol.size,
                    wave_size: None,
                });
            }
        }
        let mut pointers = BTreeMap::new();
        for relocation in object.dynamic_relocations()? {
            let addend = relocation.addend.unwrap_or(0);
            let target = match relocation.kind {
                RELATIVE64 => Some(addend as u64),
                ABS64 => object
                    .dynamic_symbols()
                    .get(relocation.symbol as usize)
                    .filter(|symbol| symbol.is_defined())
                    .map(|symbol| symbol.value.wrapping_add_signed(addend)),
                _ => None,
            };
            if let Some(target) = target {
                pointers.insert(relocation.offset, target);
            }
        }
        Ok(Program {
            target: object.target().target,
            code,
            functions,
            pointers,
        })
    }

    /// Drops all kernels but one; device functions stay. `false` if there is no such kernel.
    pub fn keep_kernel(&mut self, name: &str) -> bool {
        self.keep_kernels(|seed| seed.name == name)
    }

    /// Drops the kernels that hold none of these addresses; device functions stay.
    pub fn keep_around(&mut self, addresses: &BTreeSet<u64>) {
        self.keep_kernels(|seed| {
            let end = match seed.size {
                0 => u64::MAX,
                size => seed.entry.saturating_add(size),
            };
            addresses.range(seed.entry..end).next().is_some()
        });
    }

    /// `false` if no kernel is left.
    fn keep_kernels(&mut self, mut wanted: impl FnMut(&FunctionSeed) -> bool) -> bool {
        // Where the dropped ones start, what is left ends, if it does not say where itself.
        let entries: BTreeSet<u64> = self.functions.iter().map(|seed| seed.entry).collect();
        for seed in self.functions.iter_mut().filter(|seed| seed.size == 0) {
            let next = entries.range(seed.entry + 1..).next();
            seed.size = next.map_or(0, |next| next - seed.entry);
        }
        self.functions
            .retain(|seed| seed.kind == FunctionKind::Device || wanted(seed));
        self.functions
            .iter()
            .any(|seed| seed.kind == FunctionKind::Kernel)
    }

    /// Bytes of all functions, where they say how long they are, else of all code.
    pub(crate) fn bytes(&self) -> usize {
        let all: usize = self.code.iter().map(|(_, code)| code.len()).sum();
        let sizes = self.functions.iter().map(|seed| match seed.size {
            0 => all,
            size => size as usize,
        });
        sizes.fold(0, usize::saturating_add).min(all)
    }

    /// Bytes from `address` to the end of the run of code it is in.
    pub fn code_at(&self, address: u64) -> Option<&'a [u8]> {
        self.code.iter().find_map(|(start, bytes)| {
            let offset = usize::try_from(address.checked_sub(*start)?).ok()?;
            bytes.get(offset..).filter(|rest| !rest.is_empty())
        })
    }
}
