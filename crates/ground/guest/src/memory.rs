//! This process's memory, read through the kernel: an address that is not mapped is an answer, not a crash; and memory that is given
//! back to the system.

use std::{ffi::c_void, fs::File, ops::Range, os::unix::fs::FileExt};

/// Bytes that are mapped together or not at all.
const PAGE: u64 = 4096;

/// Gives back what was freed. The C library keeps it otherwise, for each thread that has allocated: call this when gigabytes were freed,
/// since it looks at all that is free.
pub fn give_back() {
    // SAFETY: the function takes the allocator's own locks, and may be called at any time from any thread.
    #[cfg(target_env = "gnu")]
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Copies what lies at an address; false if some of it cannot be read, and what is in `into` then means nothing.
pub fn read(address: u64, into: &mut [u8]) -> bool {
    // Some containers forbid the call, and it does not reach memory that a driver maps. The file knows both.
    by_call(address, into) || by_file(address, into)
}

/// A word of 64 bits.
pub fn word(address: u64) -> Option<u64> {
    let mut bytes = [0; 8];
    read(address, &mut bytes).then(|| u64::from_le_bytes(bytes))
}

/// `size` bytes.
pub fn bytes(address: u64, size: usize) -> Option<Vec<u8>> {
    let mut bytes = vec![0; size];
    read(address, &mut bytes).then_some(bytes)
}

/// A text that ends with a zero, of `limit` bytes at most.
pub fn string(address: u64, limit: usize) -> Option<String> {
    let mut text = Vec::new();
    while text.len() < limit {
        // It may end just before memory that is not mapped.
        let at = address.checked_add(text.len() as u64)?;
        let part = bytes(at, (PAGE - at % PAGE) as usize)?;
        if let Some(end) = part.iter().position(|byte| *byte == 0) {
            text.extend(&part[..end]);
            return (text.len() <= limit).then(|| String::from_utf8(text).ok())?;
        }
        text.extend(part);
    }
    None
}

/// Pieces of memory as they were read, in order to see later whether they are still the same.
#[derive(Default)]
pub struct Pieces {
    bytes: Vec<u8>,
    /// Where each lies, and its place in `bytes`.
    parts: Vec<(u64, Range<usize>)>,
}

/// Pieces that the kernel copies at once.
const AT_ONCE: usize = libc::UIO_MAXIOV as usize;

impl Pieces {
    /// These bytes were read from an address.
    pub fn add(&mut self, address: u64, bytes: &[u8]) {
        let start = self.bytes.len();
        self.bytes.extend(bytes);
        self.parts.push((address, start..self.bytes.len()));
    }

    /// Returns `true` if each piece can be read and has the bytes that it had. The pieces are read in the order in which they were added.
    pub fn are_there(&self) -> bool {
        let mut parts = self.parts.chunks(AT_ONCE);
        parts.all(|parts| {
            let (first, last) = (&parts[0].1, &parts[parts.len() - 1].1);
            let known = &self.bytes[first.start..last.end];
            let mut now = vec![0; known.len()];
            read_all(parts, &mut now) && now == known
        })
    }
}

/// Copies pieces behind each other.
fn read_all(parts: &[(u64, Range<usize>)], into: &mut [u8]) -> bool {
    let local = libc::iovec {
        iov_base: into.as_mut_ptr().cast(),
        iov_len: into.len(),
    };
    let remote = |(address, range): &(u64, Range<usize>)| libc::iovec {
        iov_base: *address as *mut c_void,
        iov_len: range.len(),
    };
    let remote: Vec<libc::iovec> = parts.iter().map(remote).collect();
    let (count, parts_count) = (into.len(), remote.len() as u64);
    // SAFETY: the local range is the caller's buffer; the kernel checks the remote ones.
    let copied = unsafe {
        libc::process_vm_readv(libc::getpid(), &local, 1, remote.as_ptr(), parts_count, 0)
    };
    if usize::try_from(copied) == Ok(count) {
        return true;
    }
    let begin = parts.first().map_or(0, |(_, range)| range.start);
    let mut parts = parts.iter();
    parts.all(|(address, range)| read(*address, &mut into[range.start - begin..range.end - begin]))
}

fn by_call(mut address: u64, mut into: &mut [u8]) -> bool {
    while !into.is_empty() {
        let local = libc::iovec {
            iov_base: into.as_mut_ptr().cast(),
            iov_len: into.len(),
        };
        let remote = libc::iovec {
            iov_base: address as *mut c_void,
            iov_len: into.len(),
        };
        // SAFETY: the local range is the caller's buffer; the kernel checks the remote one.
        let count = unsafe { libc::process_vm_readv(libc::getpid(), &local, 1, &remote, 1, 0) };
        // The kernel copies no more than 2 GiB at once.
        let Some(rest) = usize::try_from(count).ok().filter(|count| *count != 0) else {
            return false;
        };
        into = &mut into[rest..];
        address = address.saturating_add(rest as u64);
    }
    true
}

fn by_file(address: u64, into: &mut [u8]) -> bool {
    let memory = File::open("/proc/self/mem");
    memory.is_ok_and(|memory| memory.read_exact_at(into, address).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_read_what_is_there() {
        let value = 0x0123_4567_89ab_cdef_u64;
        let address = &raw const value as u64;
        for way in [read, by_call, by_file] {
            let mut bytes = [0; 8];
            assert!(way(address, &mut bytes));
            assert_eq!(u64::from_le_bytes(bytes), value);
            assert!(!way(8, &mut bytes));
        }
        assert_eq!(word(address), Some(value));
        assert_eq!(word(8), None);
        assert_eq!(word(u64::MAX - 3), None);
    }

    #[test]
    fn pieces_are_there_until_one_has_changed() {
        // More than the kernel copies at once, out of order.
        let mut words: Vec<u64> = (0..3000).collect();
        let mut pieces = Pieces::default();
        for word in words.iter().rev() {
            pieces.add(&raw const *word as u64, &word.to_le_bytes()[..3]);
        }
        assert!(Pieces::default().are_there() && pieces.are_there());
        for at in [0, 1023, 1024, 1977, 2999] {
            words[at] ^= 1 << 23;
            assert!(!pieces.are_there(), "{at}");
            words[at] ^= 1 << 23 | 1 << 24;
            assert!(pieces.are_there(), "{at}: a byte beside the piece");
        }
        pieces.add(8, &[0]);
        assert!(!pieces.are_there());
    }

    #[test]
    fn a_text_may_end_where_memory_does() {
        let page = PAGE as usize;
        // SAFETY: a mapping of our own, of which the second page is taken away again.
        let start = unsafe {
            let (rights, kind) = (
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
            );
            let start = libc::mmap(std::ptr::null_mut(), 2 * page, rights, kind, -1, 0);
            assert_ne!(start, libc::MAP_FAILED);
            assert_eq!(libc::munmap(start.byte_add(page), page), 0);
            let text = b"luthier\0";
            let at = start.byte_add(page - text.len());
            std::ptr::copy_nonoverlapping(text.as_ptr(), at.cast(), text.len());
            start as u64
        };
        let at = start + PAGE - 8;
        assert_eq!(string(at, 7).as_deref(), Some("luthier"));
        assert_eq!(string(at, 6), None, "longer than allowed");
        assert_eq!(string(start + PAGE, 6), None);
        assert_eq!(string(at + 7, 6).as_deref(), Some(""));
    }
}
