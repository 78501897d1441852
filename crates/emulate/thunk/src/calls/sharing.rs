//! Device memory of one process in another: `hipIpcGetMemHandle` and what belongs to it.

use std::{fs::File, os::unix::fs::MetadataExt, process};

use gpu::memory::PAGE;
use kmt_sys::thunk::Status;

use crate::{
    calls::memory::status,
    ffi::{In, Out, Result},
    instance::instance,
};

/// `HsaSharedMemoryHandle`: eight words that the runtime passes on as they are, but for the seventh, in which it notes which
/// part of the allocation is meant.
///
/// A file in memory is named by a process that has it open, its descriptor there, and, since both numbers are given again,
/// the file's own number.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handle {
    process: u32,
    descriptor: u32,
    number: [u32; 2],
    pages: u32,
    reserved: [u32; 3],
}

/// The identity of a file, and its number of pages.
fn identity(file: &File) -> Result<([u32; 2], u32)> {
    let metadata = file.metadata().map_err(|_| Status::InvalidHandle)?;
    let number = [metadata.ino() as u32, (metadata.ino() >> 32) as u32];
    let pages = u32::try_from(metadata.len() / PAGE).map_err(|_| Status::InvalidParameter)?;
    Ok((number, pages))
}

/// `size` is the whole allocation's, or less.
pub fn share(address: u64, size: u64, handle: Out<Handle>) -> Result {
    let memory = instance()?.machine.memory();
    let (descriptor, file) = memory.export(address).map_err(status)?;
    let (number, pages) = identity(&file)?;
    if size > u64::from(pages) * PAGE {
        return Err(Status::InvalidParameter);
    }
    handle.put(Handle {
        process: process::id(),
        descriptor: descriptor as u32,
        number,
        pages,
        reserved: [0; 3],
    })
}

pub fn open(handle: In<Handle>, address: Out<u64>, size: Out<u64>) -> Result {
    let handle = handle.get()?;
    if address.is_null() || size.is_null() {
        return Err(Status::InvalidParameter);
    }
    let path = format!("/proc/{}/fd/{}", handle.process, handle.descriptor);
    let file = File::options()
        .read(true)
        .write(true)
        .open(path)
        .map_err(|_| Status::InvalidHandle)?;
    if identity(&file)? != (handle.number, handle.pages) {
        return Err(Status::InvalidHandle);
    }
    let bytes = u64::from(handle.pages) * PAGE;
    // The emulator treats memory of all devices alike, so any node will do.
    const NODE: u32 = 1;
    let memory = instance()?.machine.memory();
    address.put(memory.import(file, NODE, bytes).map_err(status)?)?;
    size.put(bytes)
}
