//! Long files are written to their disk while they are made, and do not stay in memory.

use std::{
    fs::File,
    io,
    os::fd::AsRawFd,
    sync::mpsc::{Receiver, SyncSender, sync_channel},
    thread,
};

/// Shorter files stay in memory, where their next reader finds them.
const LONG: u64 = 256 << 20;
/// The disk is told of so many bytes at once.
const STEP: u64 = 32 << 20;

/// Has the system write the finished part of a long file, and release the memory that holds it, so that the next bytes reuse that memory.
/// Fresh memory for gigabytes costs the system more than everything else it does for them, above all on virtual machines, whose host has to
/// find the memory first. The writer of the file never waits for this.
#[derive(Debug)]
pub struct Behind {
    file: File,
    /// To the thread that waits for the disk.
    to: Option<SyncSender<u64>>,
    /// The last that it was told.
    told: u64,
    long: u64,
    step: u64,
}

impl Behind {
    /// `file` must be a regular file.
    pub fn new(file: &File) -> io::Result<Behind> {
        Ok(Behind {
            file: file.try_clone()?,
            to: None,
            told: 0,
            long: LONG,
            step: STEP,
        })
    }

    /// Little in front of `end` is going to change.
    pub fn reached(&mut self, end: u64) {
        if end < self.long || end < self.told + self.step {
            return;
        }
        if self.to.is_none() {
            self.to = self.start();
        }
        // While the disk is busy, the writer does not wait: the next call passes more.
        if self.to.as_ref().is_some_and(|to| to.try_send(end).is_ok()) {
            self.told = end;
        }
    }

    /// None where there can be no thread: then all stays in memory.
    fn start(&self) -> Option<SyncSender<u64>> {
        let file = self.file.try_clone().ok()?;
        let (to, ends) = sync_channel(1);
        let thread = thread::Builder::new().name("disk".to_owned());
        thread.spawn(move || work(&file, &ends)).ok()?;
        Some(to)
    }
}

fn work(file: &File, ends: &Receiver<u64>) {
    let mut begun = 0;
    for end in ends {
        let (from, length) = (begun as libc::off64_t, (end - begun) as libc::off64_t);
        let descriptor = file.as_raw_fd();
        // Both calls are advice: if they fail, that only costs time. SAFETY: the descriptor is open, and the calls access no memory of this
        // process.
        unsafe {
            libc::sync_file_range(descriptor, from, length, libc::SYNC_FILE_RANGE_WRITE);
            // The part that was begun the last time is mostly written by now; the rest stays in memory.
            libc::posix_fadvise64(descriptor, 0, from, libc::POSIX_FADV_DONTNEED);
        }
        begun = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        io::{Read, Seek, Write},
        time::{Duration, Instant},
    };

    /// Pages of the file that are in memory.
    fn resident(file: &File, length: usize) -> usize {
        let mut pages = vec![0u8; length.div_ceil(4096)];
        // SAFETY: a mapping of its own, of which only the system looks at pages; there is a byte for each of them.
        unsafe {
            let start = libc::mmap(
                std::ptr::null_mut(),
                length,
                libc::PROT_READ,
                libc::MAP_SHARED,
                file.as_raw_fd(),
                0,
            );
            assert_ne!(start, libc::MAP_FAILED);
            assert_eq!(libc::mincore(start, length, pages.as_mut_ptr()), 0);
            libc::munmap(start, length);
        }
        pages.iter().filter(|page| **page & 1 != 0).count()
    }

    /// A long file leaves memory while it is written, if it is on a disk; its bytes stay.
    #[test]
    fn long_files_leave_memory_and_keep_their_bytes() {
        const PIECE: usize = 1 << 20;
        let program = std::env::current_exe().expect("a program");
        let folder = program.parent().expect("a folder");
        let mut file = tempfile::tempfile_in(folder).expect("a file");
        let mut behind = Behind::new(&file).expect("one more descriptor");
        (behind.long, behind.step) = (4 * PIECE as u64, PIECE as u64);
        let give_up = Instant::now() + Duration::from_secs(60);
        let mut pieces = 0;
        loop {
            let piece: Vec<u8> = (0..PIECE).map(|at| (at / 4096 + pieces) as u8).collect();
            file.write_all(&piece).expect("room");
            pieces += 1;
            behind.reached((pieces * PIECE) as u64);
            let resident = resident(&file, pieces * PIECE);
            if pieces < 4 {
                assert_eq!(resident, pieces * PIECE / 4096, "short files stay");
            } else if pieces >= 16 && resident * 2 < pieces * PIECE / 4096 {
                break;
            }
            if is_in_memory(&file) {
                return;
            }
            assert!(Instant::now() < give_up, "{resident} pages of {pieces} MB");
            thread::sleep(Duration::from_millis(50));
        }
        file.rewind().expect("from the start");
        let mut piece = vec![0; PIECE];
        for number in 0..pieces {
            file.read_exact(&mut piece).expect("all of it");
            let sound = |(at, byte): (usize, &u8)| *byte == (at / 4096 + number) as u8;
            assert!(piece.iter().enumerate().all(sound), "piece {number}");
        }
    }

    /// Returns `true` if its file system has no disk.
    fn is_in_memory(file: &File) -> bool {
        // SAFETY: the structure is plain data, and the descriptor is open.
        unsafe {
            let mut about: libc::statfs = std::mem::zeroed();
            libc::fstatfs(file.as_raw_fd(), &raw mut about) == 0
                && about.f_type as i64 == libc::TMPFS_MAGIC
        }
    }
}
