//! The calls in a program's machine code: through which table entry one reached another library.

use guest::memory;

/// Bytes of a call, and of a jump, through an entry of a table: two of the instruction, four of the distance to the entry.
#[cfg(target_arch = "x86_64")]
const THROUGH_ENTRY: usize = 6;

/// The address to which the call in front of this return address went, if it went through its object's table of functions.
pub(crate) fn callee(returns_to: usize) -> Option<usize> {
    let entry = entry(returns_to as u64, memory::read)?;
    Some(memory::word(entry)? as usize)
}

/// The entry of the table: that of the call itself (`-fno-plt`), or that of the stub that it calls.
#[cfg(target_arch = "x86_64")]
fn entry(returns_to: u64, read: impl Fn(u64, &mut [u8]) -> bool) -> Option<u64> {
    let mut call = [0; THROUGH_ENTRY];
    if !read(returns_to.checked_sub(THROUGH_ENTRY as u64)?, &mut call) {
        return None;
    }
    match call {
        [0xff, 0x15, distance @ ..] => Some(add(returns_to, distance)),
        [_, 0xe8, distance @ ..] => entry_of_stub(add(returns_to, distance), read),
        _ => None,
    }
}

/// The entry through which a stub jumps: `endbr64`, `bnd` or nothing in front of `jmp *entry(%rip)`.
#[cfg(target_arch = "x86_64")]
fn entry_of_stub(mut at: u64, read: impl Fn(u64, &mut [u8]) -> bool) -> Option<u64> {
    for prefix in [&[0xf3, 0x0f, 0x1e, 0xfa][..], &[0xf2]] {
        let mut bytes = [0; 4];
        let bytes = &mut bytes[..prefix.len()];
        if read(at, bytes) && bytes == prefix {
            at = at.checked_add(prefix.len() as u64)?;
        }
    }
    let mut jump = [0; THROUGH_ENTRY];
    match (read(at, &mut jump), jump) {
        (true, [0xff, 0x25, distance @ ..]) => {
            Some(add(at.checked_add(THROUGH_ENTRY as u64)?, distance))
        }
        _ => None,
    }
}

#[cfg(target_arch = "x86_64")]
fn add(address: u64, distance: [u8; 4]) -> u64 {
    address.wrapping_add_signed(i32::from_le_bytes(distance).into())
}

/// HIP is for x86-64.
#[cfg(not(target_arch = "x86_64"))]
fn entry(_: u64, _: impl Fn(u64, &mut [u8]) -> bool) -> Option<u64> {
    None
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    const BASE: u64 = 0x40_0000;
    /// Each call in the code below has a table entry at this address.
    const ENTRY: u64 = 0x40_4018;

    /// Code as GNU as and ld make it, at `BASE`; where the call in it returns to, and what that call's entry is.
    fn found(returns_to: u64, code: &[u8]) -> Option<u64> {
        entry(BASE + returns_to, |address, into| {
            let bytes = (address.checked_sub(BASE)).and_then(|at| code.get(at as usize..));
            let bytes = bytes.and_then(|bytes| bytes.get(..into.len()));
            bytes.is_some_and(|bytes| {
                into.copy_from_slice(bytes);
                true
            })
        })
    }

    #[test]
    fn calls_lead_to_entries_of_tables() {
        // nop; call *0x4011(%rip)
        let direct = [0x90, 0xff, 0x15, 0x11, 0x40, 0, 0];
        assert_eq!(found(7, &direct), Some(ENTRY));
        // nop; call stub; hlt; stub: jmp *0x400b(%rip)
        let stub = [0x90, 0xe8, 1, 0, 0, 0, 0xf4, 0xff, 0x25, 0x0b, 0x40, 0, 0];
        assert_eq!(found(6, &stub), Some(ENTRY));
        // The stub in front of the call: stub: endbr64; bnd jmp *0x400d(%rip); call stub
        let before = [
            0xf3, 0x0f, 0x1e, 0xfa, 0xf2, 0xff, 0x25, 0x0d, 0x40, 0, 0, 0xe8, 0xf0, 0xff, 0xff,
            0xff,
        ];
        assert_eq!(found(16, &before), Some(ENTRY));
    }

    #[test]
    fn the_entry_in_memory_has_the_callee() {
        #[repr(C)]
        struct Code {
            /// call *2(%rip); nop; nop
            call: [u8; 8],
            entry: u64,
        }
        let code = Code {
            call: [0xff, 0x15, 2, 0, 0, 0, 0x90, 0x90],
            entry: 0x1234,
        };
        let returns_to = (&raw const code.call) as usize + THROUGH_ENTRY;
        assert_eq!(callee(returns_to), Some(code.entry as usize));
    }

    #[test]
    fn other_calls_lead_to_none() {
        // nop; call function; hlt; function: push %rbp; mov %rsp, %rbp; pop %rbp; ret
        let function = [
            0x90, 0xe8, 1, 0, 0, 0, 0xf4, 0x55, 0x48, 0x89, 0xe5, 0x5d, 0xc3,
        ];
        assert_eq!(found(6, &function), None);
        // A call by a register, and a stub that cannot be read.
        let register = [0x90, 0x90, 0x90, 0x90, 0xff, 0xd0];
        assert_eq!(found(6, &register), None);
        assert_eq!(found(6, &[0x90, 0xe8, 0, 0, 1, 0]), None);
        assert_eq!(found(3, &[0xff, 0xd0, 0x90]), None);
    }
}
