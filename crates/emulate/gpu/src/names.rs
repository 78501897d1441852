//! Kernel names from code objects as they lie in device memory.
//!
//! The runtime's loader copies a code object's segments, headers and dynamic symbols included, to one allocation. The image is therefore
//! found by walking back from a kernel descriptor to an ELF header, and the name by the symbol at its address.

use crate::memory::{AddressSpace, Memory, PAGE};

/// The ELF machine number of AMD GPUs.
const EM_AMDGPU: u16 = 224;
/// Farthest a descriptor may be from its image's start.
const IMAGE_LIMIT: u64 = 256 << 20;
const SYMBOL_LIMIT: u64 = 1 << 20;
const NAME_LIMIT: usize = 16 << 10;

/// The kernel whose descriptor is at `kernel_object`, without the `.kd` suffix of its symbol.
pub fn kernel_name(memory: &Memory, kernel_object: u64) -> Option<String> {
    let range = memory.find(kernel_object)?;
    let lowest = range.start.max(kernel_object.saturating_sub(IMAGE_LIMIT));
    let mut page = kernel_object & !(PAGE - 1);
    while page >= lowest {
        if is_image(memory, page)
            && let Some(name) = (Image { memory, base: page }).symbol_at(kernel_object - page)
        {
            return Some(name.strip_suffix(".kd").map(str::to_owned).unwrap_or(name));
        }
        page -= PAGE;
    }
    None
}

fn is_image(memory: &Memory, address: u64) -> bool {
    let mut header = [0; 20];
    memory.read_bytes(address, &mut header).is_ok()
        && header.starts_with(b"\x7fELF\x02\x01")
        && u16::from_le_bytes([header[18], header[19]]) == EM_AMDGPU
}

struct Image<'a> {
    memory: &'a Memory,
    base: u64,
}

impl Image<'_> {
    fn read<const N: usize>(&self, offset: u64) -> Option<[u8; N]> {
        let mut bytes = [0; N];
        self.memory
            .read_bytes(self.base.checked_add(offset)?, &mut bytes)
            .ok()?;
        Some(bytes)
    }

    fn word(&self, offset: u64) -> Option<u64> {
        self.read(offset).map(u32::from_le_bytes).map(u64::from)
    }

    fn long(&self, offset: u64) -> Option<u64> {
        self.read(offset).map(u64::from_le_bytes)
    }

    /// Value of a dynamic entry.
    fn dynamic(&self, table: u64, tag: u64) -> Option<u64> {
        for index in 0..256 {
            match self.long(table + index * 16)? {
                0 => return None,
                found if found == tag => return self.long(table + index * 16 + 8),
                _ => {}
            }
        }
        None
    }

    fn symbol_at(&self, value: u64) -> Option<String> {
        const PT_DYNAMIC: u64 = 2;
        const DT_HASH: u64 = 4;
        const DT_STRTAB: u64 = 5;
        const DT_SYMTAB: u64 = 6;
        let (segments, count) = (self.long(32)?, u16::from_le_bytes(self.read(56)?));
        let segment = (0..u64::from(count))
            .map(|i| segments + i * 56)
            .find(|at| self.word(*at) == Some(PT_DYNAMIC))?;
        let table = self.long(segment + 16)?;
        // The loader relocates nothing here, but be ready for one that does.
        let offset = |tag| {
            let found = self.dynamic(table, tag)?;
            Some(if found >= self.base {
                found - self.base
            } else {
                found
            })
        };
        let (symbols, strings) = (offset(DT_SYMTAB)?, offset(DT_STRTAB)?);
        let count = match offset(DT_HASH) {
            Some(hash) => self.word(hash + 4)?,
            None => strings.saturating_sub(symbols) / 24,
        };
        for symbol in (0..count.min(SYMBOL_LIMIT)).map(|index| symbols + index * 24) {
            if self.long(symbol + 8)? == value {
                let name = self.string(strings + self.word(symbol)?)?;
                if name.ends_with(".kd") {
                    return Some(name);
                }
            }
        }
        None
    }

    fn string(&self, offset: u64) -> Option<String> {
        let mut bytes = Vec::new();
        while bytes.len() < NAME_LIMIT {
            match self.read::<1>(offset + bytes.len() as u64)? {
                [0] => return String::from_utf8(bytes).ok(),
                [byte] => bytes.push(byte),
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::memory::Request;

    /// A minimal loaded image: header, one dynamic segment, two symbols.
    fn image() -> Vec<u8> {
        let mut bytes = vec![0_u8; 2 * PAGE as usize];
        let mut put = |at: usize, data: &[u8]| bytes[at..at + data.len()].copy_from_slice(data);
        let long = |value: u64| value.to_le_bytes();
        put(0, b"\x7fELF\x02\x01");
        put(18, &EM_AMDGPU.to_le_bytes());
        put(32, &long(64));
        put(56, &1_u16.to_le_bytes());
        put(64, &2_u32.to_le_bytes());
        put(64 + 16, &long(0x100));
        for (index, (tag, value)) in [(4, 0x200_u64), (5, 0x400), (6, 0x300), (0, 0)]
            .into_iter()
            .enumerate()
        {
            put(0x100 + index * 16, &long(tag));
            put(0x108 + index * 16, &long(value));
        }
        put(0x204, &2_u32.to_le_bytes());
        put(0x318, &1_u32.to_le_bytes());
        put(0x318 + 8, &long(0x1040));
        put(0x401, b"vadd.kd\0");
        bytes
    }

    #[test]
    fn a_name_is_found_behind_its_descriptor() {
        let memory = Memory::new(BTreeMap::new());
        let request = Request {
            node: 1,
            size: 4 * PAGE,
            flags: 0,
            writable: true,
            device_local: true,
            remote: false,
        };
        let block = memory.allocate(request).unwrap();
        let base = block + PAGE;
        let image = image();
        // SAFETY: the block just allocated is large enough.
        unsafe { std::ptr::copy_nonoverlapping(image.as_ptr(), base as *mut u8, image.len()) };
        assert_eq!(kernel_name(&memory, base + 0x1040).as_deref(), Some("vadd"));
        assert_eq!(kernel_name(&memory, base + 0x1080), None);
        assert_eq!(kernel_name(&memory, 0x1000), None);
    }
}
