//! Memory of one process in another, and between the driver's two devices: files in memory.

use std::{
    fs::File,
    os::fd::{FromRawFd, IntoRawFd},
    os::unix::fs::MetadataExt,
};

use gpu::memory::Placement;
use kmt_sys::kfd::{self, memory_flag as flag};

use super::{
    Errno, Result,
    arguments::{Arguments, List},
    gpu, gpu_id,
    handles::{Allocation, What, mmap_offset},
    memory::request,
    metadata::{self, memory_size},
    refuse,
};
use crate::instance::Instance;

/// The file that holds an allocation; it is moved into one if it lies elsewhere.
fn file_of(instance: &Instance, allocation: &Allocation) -> Result<File> {
    let bad = |_| Errno(libc::EBADF);
    match &allocation.what {
        What::Memory { address } => Ok(instance.machine.memory().export(*address)?.1),
        What::Floating { file, .. } => file.try_clone().map_err(bad),
        What::Doorbells { .. } => refuse(libc::EINVAL),
    }
}

/// A copy of a caller's descriptor.
pub fn duplicate(descriptor: i32) -> Result<File> {
    // SAFETY: a number that is no descriptor is an error, which is looked at.
    let copy = unsafe { libc::fcntl(descriptor, libc::F_DUPFD_CLOEXEC, 3) };
    if copy < 0 {
        return refuse(libc::EBADF);
    }
    // SAFETY: the descriptor was just made, and no other value owns it.
    Ok(unsafe { File::from_raw_fd(copy) })
}

/// Numbers that identify a file.
pub fn identity(file: &File) -> Result<(u64, u64)> {
    let metadata = file.metadata().map_err(|_| Errno(libc::EBADF))?;
    Ok((metadata.dev(), metadata.ino()))
}

/// Numbers that identify the file behind a descriptor.
pub fn identity_of(descriptor: i32) -> Result<(u64, u64)> {
    let mut status = std::mem::MaybeUninit::<libc::stat>::zeroed();
    // SAFETY: room for what the call fills in, and all zeros are a valid `stat` already.
    let status = unsafe {
        if libc::fstat(descriptor, status.as_mut_ptr()) != 0 {
            return refuse(libc::EBADF);
        }
        status.assume_init()
    };
    Ok((status.st_dev, status.st_ino))
}

/// Bytes of memory in an exported file.
pub fn size(file: &File) -> Result<u64> {
    let metadata = file.metadata().map_err(|_| Errno(libc::EBADF))?;
    match memory_size(metadata.len()) {
        Some(size) if metadata.is_file() && size > 0 => Ok(size),
        _ => refuse(libc::EINVAL),
    }
}

pub fn export_descriptor(instance: &Instance, arguments: Arguments) -> Result {
    let mut value: kfd::ExportDmabuf = arguments.get()?;
    let file = file_of(instance, instance.door.lock().get(value.handle)?)?;
    let descriptor = file.into_raw_fd();
    if value.flags & libc::O_CLOEXEC as u32 == 0 {
        // SAFETY: this function owns the descriptor until the caller is told of it.
        unsafe { libc::fcntl(descriptor, libc::F_SETFD, 0) };
    }
    value.descriptor = descriptor as u32;
    arguments.put(value)
}

/// The device and the size of the memory behind a descriptor.
pub fn describe(instance: &Instance, arguments: Arguments) -> Result {
    let mut value: kfd::DmabufInfo = arguments.get()?;
    let file = duplicate(value.descriptor as i32)?;
    value.size = size(&file)?;
    let wanted = identity(&file)?;
    let handles = instance.door.lock();
    let owner = handles
        .iter()
        .find(|(_, allocation)| match &allocation.what {
            What::Floating { file, .. } => identity(file) == Ok(wanted),
            What::Memory { address } => {
                instance.machine.memory().file_identity(*address) == Some(wanted)
            }
            What::Doorbells { .. } => false,
        });
    (value.gpu_id, value.flags) = owner
        .map_or((gpu_id(1), flag::VRAM | flag::WRITABLE), |(_, found)| {
            (gpu_id(found.node), found.flags)
        });
    let said = metadata::said(&file)?;
    if value.metadata != 0 {
        if (value.metadata_size as usize) < said.len() {
            return refuse(libc::EINVAL);
        }
        List::<u8>::new(value.metadata, said.len())?.put(&said);
    }
    value.metadata_size = said.len() as u32;
    arguments.put(value)
}

/// Makes a file the device's memory at the address that the thunk has reserved; returns the handle.
fn attach(instance: &Instance, id: u32, address: u64, file: File) -> Result<u64> {
    let (node, _) = gpu(instance, id)?;
    let bytes = size(&file)?;
    let flags = flag::VRAM | flag::WRITABLE;
    let like = kfd::AllocMemory {
        size: bytes,
        flags,
        ..Default::default()
    };
    // The exporter's memory is counted where it was allocated.
    let request = gpu::memory::Request {
        device_local: false,
        ..request(node, &like)
    };
    let what = if address == 0 {
        What::Floating { file, claimed: 0 }
    } else {
        let place = Placement::File {
            address,
            file,
            offset: 0,
        };
        let memory = instance.machine.memory();
        memory.put(place, request)?;
        memory.map_to_nodes(address, &[])?;
        What::Memory { address }
    };
    let allocation = Allocation { node, flags, what };
    Ok(instance.door.lock().add(allocation))
}

pub fn import_descriptor(instance: &Instance, arguments: Arguments) -> Result {
    let mut value: kfd::ImportDmabuf = arguments.get()?;
    let file = duplicate(value.descriptor as i32)?;
    value.handle = attach(instance, value.gpu_id, value.address, file)?;
    arguments.put(value)
}

/// The handle holds a process, its descriptor, the file's own number (the other two may be reused), and the exporter's flags for the
/// memory, which the importer gets unchanged. (Numbers of files in memory have 32 bits.)
pub fn export_handle(instance: &Instance, arguments: Arguments) -> Result {
    let mut value: kfd::IpcExport = arguments.get()?;
    let handles = instance.door.lock();
    let What::Memory { address } = handles.get(value.handle)?.what else {
        return refuse(libc::EINVAL);
    };
    let (descriptor, file) = instance.machine.memory().export(address)?;
    let number = identity(&file)?.1;
    value.share = [
        std::process::id(),
        descriptor as u32,
        number as u32,
        value.flags,
    ];
    arguments.put(value)
}

pub fn import_handle(instance: &Instance, arguments: Arguments) -> Result {
    let mut value: kfd::IpcImport = arguments.get()?;
    let [process, descriptor, number, flags] = value.share;
    let file = File::options()
        .read(true)
        .write(true)
        .open(format!("/proc/{process}/fd/{descriptor}"))
        .map_err(|_| Errno(libc::EINVAL))?;
    if identity(&file)?.1 as u32 != number {
        return refuse(libc::EINVAL);
    }
    value.handle = attach(instance, value.gpu_id, value.address, file)?;
    value.mmap_offset = mmap_offset(value.handle);
    value.flags = flags;
    arguments.put(value)
}
