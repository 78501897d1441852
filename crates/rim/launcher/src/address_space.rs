//! Addresses of programs: whether they are the same each time, and whether there are enough.
//!
//! ROCr reserves addresses for every GPU when it starts, and gives up with an assertion of its own where it does not get them.

use std::io;

const ADDR_NO_RANDOMIZE: libc::c_ulong = libc::ADDR_NO_RANDOMIZE as libc::c_ulong;
/// Asks for the personality and changes nothing.
const ASKS: libc::c_ulong = 0xffff_ffff;

/// Programs that this thread and its children start get the same addresses each time from now on. Sandboxes may forbid this.
pub fn fix_addresses() -> io::Result<()> {
    // SAFETY: the call has no pointers; what it sets takes effect when a program is started.
    let personality = |number| match unsafe { libc::personality(number) } {
        -1 => Err(io::Error::last_os_error()),
        before => Ok(before as libc::c_ulong),
    };
    let current = personality(ASKS)?;
    match current & ADDR_NO_RANDOMIZE {
        0 => personality(current | ADDR_NO_RANDOMIZE).map(drop),
        _ => Ok(()),
    }
}

/// Bytes of addresses that ROCr reserves for the scratch memory of one GPU.
const SCRATCH: u64 = 4 << 30;

/// The message about a limit that leaves too few addresses for so many GPUs.
pub fn complaint(gpus: u64) -> Option<String> {
    let mut limit = libc::rlimit {
        rlim_cur: libc::RLIM_INFINITY,
        rlim_max: libc::RLIM_INFINITY,
    };
    // SAFETY: the call fills the structure, which is a local variable.
    let got = unsafe { libc::getrlimit(libc::RLIMIT_AS, &raw mut limit) };
    (got == 0).then(|| about(limit.rlim_cur, gpus)).flatten()
}

fn about(limit: u64, gpus: u64) -> Option<String> {
    let needed = gpus.saturating_mul(SCRATCH);
    (limit < needed).then(|| {
        format!(
            "programs may have {} MiB of addresses here (ulimit -v), and ROCr reserves {} MiB for the scratch memory of emulated GPUs: \
             raise the limit if the program fails",
            limit >> 20,
            needed >> 20
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_below_the_scratch_of_all_gpus_are_told_of() {
        assert_eq!(about(libc::RLIM_INFINITY, 64), None);
        assert_eq!(about(5 << 30, 1), None);
        for (limit, gpus) in [(3 << 30, 1), (5 << 30, 2)] {
            let said = about(limit, gpus).unwrap();
            assert!(said.contains("ulimit -v"), "{said}");
        }
    }
}
