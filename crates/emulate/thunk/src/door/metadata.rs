//! Metadata that one user of a buffer object stores for the other users of the same memory, in any process: ROCr 7 marks memory that it
//! shares. It is in the file of the memory, behind the last page, so that every process with the file has it.

use std::{fs::File, os::unix::fs::FileExt};

use gpu::memory::PAGE;
use kmt_sys::door::metadata::{GET, SET};

use super::{Errno, Result, refuse};

/// Bytes of flags, tiling, size and words.
const RECORD: usize = 8 + 8 + 4 + WORDS;
const WORDS: usize = 256;
/// The offset of the size in it.
const SIZE: usize = 16;

/// Bytes of memory in a file of this length; None if it is no memory of the emulator.
pub fn memory_size(file: u64) -> Option<u64> {
    let behind = file % PAGE;
    (behind == 0 || behind == RECORD as u64).then_some(file - behind)
}

/// The handle and the operation of a command's arguments, and what is said.
pub fn parts(arguments: &mut [u8]) -> Result<([u32; 2], &mut [u8])> {
    let Some((head, record)) = arguments.split_at_mut_checked(8) else {
        return refuse(libc::EINVAL);
    };
    let Some(record) = record.get_mut(..RECORD) else {
        return refuse(libc::EINVAL);
    };
    let word = |at: usize| u32::from_le_bytes([0, 1, 2, 3].map(|byte| head[at + byte]));
    Ok(([word(0), word(4)], record))
}

/// The words that are said of a file, as bytes.
pub fn said(file: &File) -> Result<Vec<u8>> {
    let mut record = [0; RECORD];
    exchange(file, GET, &mut record)?;
    let size = u32::from_le_bytes([0, 1, 2, 3].map(|byte| record[SIZE + byte]));
    Ok(record[SIZE + 4..][..(size as usize).min(WORDS)].to_vec())
}

/// Reads or writes what is said of a file. Nothing was said of one that ends with its memory.
pub fn exchange(file: &File, operation: u32, record: &mut [u8]) -> Result {
    let failed = |_| Errno(libc::EIO);
    let length = file.metadata().map_err(failed)?.len();
    let Some(memory) = memory_size(length) else {
        return refuse(libc::EINVAL);
    };
    match operation {
        SET => {
            let size = u32::from_le_bytes([0, 1, 2, 3].map(|byte| record[SIZE + byte]));
            if size as usize > WORDS {
                return refuse(libc::EINVAL);
            }
            file.write_all_at(record, memory).map_err(failed)
        }
        GET if memory == length => {
            record.fill(0);
            Ok(())
        }
        GET => file.read_exact_at(record, memory).map_err(failed),
        _ => refuse(libc::EINVAL),
    }
}
