//! ROCr's own copy and fill shaders, done natively.
//!
//! ROCr 5.2.3 uploads every code object with a shader, 6.4 only those above 1 MiB; both copy with shaders where SDMA is off. They are recognised by all
//! of their code bytes (length and hash); anything else runs on the executor. Argument layouts were read off the shaders.

use crate::{
    executor::{Counts, Outcome},
    fault::{Fault, FaultKind},
    memory::{Memory, View, host_address},
};

/// A shader that we know what it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blit {
    CopyAligned,
    CopyMisaligned,
    Fill,
}

impl Blit {
    /// The shader's name for statistics and messages; the blank keeps it apart from any symbol.
    pub fn name(self) -> &'static str {
        match self {
            Blit::CopyAligned => "ROCr CopyAligned",
            Blit::CopyMisaligned => "ROCr CopyMisaligned",
            Blit::Fill => "ROCr Fill",
        }
    }
}

/// A shader's length in bytes, the FNV-1a hash of its code, and what it is. Measured in Debian's ROCr 5.2.3 and 6.4.3; those of
/// gfx942 in what LLVM makes of upstream's source.
#[rustfmt::skip]
const SHADERS: &[(usize, u64, Blit)] = &[
    // gfx9 (built for gfx8)
    (0x1f0, 0xc9ed_7ddd_e0f2_82c7, Blit::CopyAligned),
    (0x19c, 0x7625_bfdd_9a90_794d, Blit::CopyMisaligned),
    (0x0bc, 0xc3fd_25e8_e46c_95f0, Blit::Fill),
    // gfx10
    (0x1f4, 0x100e_f5cb_91f1_2135, Blit::CopyAligned),
    (0x1a0, 0x8fe4_ca08_f257_9c2b, Blit::CopyMisaligned),
    (0x0c0, 0x4ed0_8360_03ce_8f92, Blit::Fill),
    // ROCr 6.4 has shaders for each generation. gfx9; gfx942 where ROCr was built for it; gfx10; gfx11; gfx12
    (0x1f0, 0x0f0b_93f3_02c2_6e87, Blit::CopyAligned),
    (0x19c, 0xd4f9_8951_55a5_f28d, Blit::CopyMisaligned),
    (0x0bc, 0xd21b_e629_4683_8eb0, Blit::Fill),
    (0x1f0, 0x9f6f_5fea_0915_776f, Blit::CopyAligned),
    (0x19c, 0x8299_4596_28fb_66e9, Blit::CopyMisaligned),
    (0x0bc, 0xc22a_4333_8333_2118, Blit::Fill),
    (0x1f4, 0x7d45_918d_cab9_12bf, Blit::CopyAligned),
    (0x1a0, 0xbc8f_1854_39f7_d211, Blit::CopyMisaligned),
    (0x0c0, 0x3f62_be83_6fb4_1dc8, Blit::Fill),
    (0x1f4, 0x9d0b_e616_d874_9233, Blit::CopyAligned),
    (0x1a0, 0x8a95_bcce_8f41_af2f, Blit::CopyMisaligned),
    (0x0c0, 0x7935_a017_8121_d83a, Blit::Fill),
    (0x214, 0x02df_8803_0fd0_0616, Blit::CopyAligned),
    (0x1c8, 0x03f1_8cdd_cd28_d84f, Blit::CopyMisaligned),
    (0x0c8, 0x9dd1_5812_c9c3_4e58, Blit::Fill),
];

/// Recognises the shader at `entry`, if it is one of ROCr's copy and fill shaders.
pub fn recognise(memory: &Memory, entry: u64) -> Option<Blit> {
    let longest = SHADERS
        .iter()
        .map(|(length, _, _)| *length)
        .max()
        .unwrap_or(0);
    let mut code = vec![0; longest];
    memory.read_bytes(entry, &mut code).ok()?;
    SHADERS
        .iter()
        .find(|(length, hash, _)| fnv1a(&code[..*length]) == *hash)
        .map(|(_, _, blit)| *blit)
}

fn fnv1a(bytes: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

/// Does what the shader would do with the arguments at `kernarg`; `entry` is for the fault report. `None`: the arguments are
/// not of the kind ROCr makes, let the shader itself decide.
pub fn run(memory: View<'_>, blit: Blit, entry: u64, kernarg: u64) -> Option<Outcome> {
    let mut words = [0; 80];
    memory
        .read_bytes(
            kernarg,
            &mut words[..if blit == Blit::CopyAligned { 80 } else { 48 }],
        )
        .ok()?;
    let long = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| words[at + i]));
    let access = |address, size, write| {
        memory
            .reaches(address, size, write)
            .map_err(|address| fault(entry, address, write))
    };
    let result = match blit {
        Blit::CopyAligned | Blit::CopyMisaligned => {
            let end = if blit == Blit::CopyAligned { 64 } else { 32 };
            let (source, destination) = (long(0), long(8));
            let size = long(end).checked_sub(source)?;
            if long(end + 8).checked_sub(destination)? != size {
                return None;
            }
            access(source, size, false)
                .and_then(|()| access(destination, size, true))
                .map(|()| {
                    // SAFETY: both ranges were just checked; overlapping is allowed for.
                    unsafe {
                        std::ptr::copy(
                            host_address(source) as *const u8,
                            host_address(destination) as *mut u8,
                            size as usize,
                        )
                    }
                    memory.copied(destination, source, size);
                })
        }
        Blit::Fill => {
            let (start, end, value) = (long(0), long(16), long(24) as u32);
            let size = end
                .checked_sub(start)
                .filter(|size| size.is_multiple_of(4))?;
            access(start, size, true).map(|()| {
                for address in (start..end).step_by(4) {
                    // SAFETY: inside the range just checked.
                    unsafe { (host_address(address) as *mut u32).write_unaligned(value) };
                }
                memory.written(start, size);
            })
        }
    };
    Some(result.map(|()| Counts::default()))
}

fn fault(entry: u64, address: u64, write: bool) -> Fault {
    Fault {
        kind: FaultKind::Memory { address, write },
        pc: entry,
        instruction: String::new(),
        workgroup: [0; 3],
        wave: 0,
        lane: None,
        detail: None,
        executed: None,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::memory::{PAGE, Request};

    fn memory_with(words: &[u64]) -> (Memory, u64) {
        let memory = Memory::new(BTreeMap::new());
        let request = Request {
            node: 1,
            size: PAGE,
            flags: 0,
            writable: true,
            device_local: false,
            remote: false,
        };
        let page = memory.allocate(request).unwrap();
        for (index, word) in words.iter().enumerate() {
            // SAFETY: inside the page just allocated.
            unsafe { ((page as *mut u64).add(index)).write(*word) };
        }
        (memory, page)
    }

    #[test]
    fn a_bad_destination_is_a_write_fault_and_odd_arguments_are_left_alone() {
        let (memory, page) = memory_with(&[0; 10]);
        let put = |index: usize, word: u64| {
            // SAFETY: inside the page just allocated.
            unsafe { ((page as *mut u64).add(index)).write(word) }
        };
        for (index, word) in [(0, page), (1, 0x5000), (4, page + 8), (5, 0x5008)] {
            put(index, word);
        }
        let outcome = run(memory.seen_by(1), Blit::CopyMisaligned, 0x100, page).unwrap();
        assert_eq!(
            outcome.unwrap_err().kind,
            FaultKind::Memory {
                address: 0x5000,
                write: true
            }
        );
        put(5, 0x5009);
        assert_eq!(
            run(memory.seen_by(1), Blit::CopyMisaligned, 0x100, page),
            None
        );
        assert_eq!(recognise(&memory, page), None);
    }
}
