//! Buffer objects of the render nodes, which libdrm's functions handle: virtual memory management is made of them.

use std::{fs::File, os::fd::IntoRawFd};

use gpu::memory::{PAGE, Placement, Request, new_file};
use kmt_sys::door::{DOMAIN_VRAM, GEM_CREATE, GEM_METADATA, GemCreate, place};

use super::{
    Errno, Result,
    arguments::Arguments,
    commands::once,
    exchange::{duplicate, identity, size},
    handles::{Buffer, Handles, Placed},
    metadata, refuse, submissions,
};
use crate::{closings, instance::Instance};

/// The `type` byte of a render node's commands.
pub const TYPE: u8 = b'd';
/// The first number of a driver's own commands; those before are common to all.
const DRIVER_COMMANDS: u8 = 0x40;
/// amdgpu's command that tells where a buffer object is mapped from.
const GEM_MMAP: u32 = 1;

/// Offsets at which buffer objects are mapped: behind those of the driver's allocations.
const MMAP_BASE: u64 = 1 << 48;
const MMAP_STRIDE_SHIFT: u32 = 12;

/// The buffer object at an offset of the render node.
pub fn at_offset(offset: u64) -> Option<u32> {
    u32::try_from(offset.checked_sub(MMAP_BASE)? >> MMAP_STRIDE_SHIFT).ok()
}

/// A raw command, from who calls the device without libdrm or with another copy of it.
pub fn command(instance: &Instance, node: u32, number: u8, mut arguments: Arguments) -> Result {
    let Some(own) = number.checked_sub(DRIVER_COMMANDS) else {
        once(
            u64::from(number) << 8 | 1,
            &format!("the common DRM command {number:#x} is not emulated"),
        );
        return refuse(libc::EINVAL);
    };
    render_command(instance, node, u32::from(own), arguments.bytes()?)
}

/// The same through libdrm: `data` is the command's arguments.
pub fn render_command(instance: &Instance, node: u32, command: u32, data: &mut [u8]) -> Result {
    match command {
        GEM_CREATE if data.len() >= size_of::<GemCreate>() => {
            // SAFETY: there are as many bytes, and the arguments are integers, for which any bytes are valid.
            let wanted = unsafe { data.as_ptr().cast::<GemCreate>().read_unaligned() };
            let number = create(instance, node, &wanted)?;
            data[..4].copy_from_slice(&number.to_le_bytes());
            Ok(())
        }
        GEM_MMAP if data.len() >= 8 => {
            let number = u32::from_le_bytes([data[0], data[1], data[2], data[3]]);
            instance.door.lock().buffer(number)?;
            let offset = MMAP_BASE + (u64::from(number) << MMAP_STRIDE_SHIFT);
            data[..8].copy_from_slice(&offset.to_le_bytes());
            Ok(())
        }
        GEM_METADATA => {
            let (head, record) = metadata::parts(data)?;
            let handles = instance.door.lock();
            metadata::exchange(&handles.buffer(head[0])?.file, head[1], record)
        }
        other => submissions::run(instance, node, other, data).unwrap_or_else(|| {
            once(
                u64::from(other) << 8 | 2,
                &format!("amdgpu's DRM command {other:#x} is not emulated"),
            );
            refuse(libc::EINVAL)
        }),
    }
}

/// A buffer object with memory of its own.
fn create(instance: &Instance, node: u32, wanted: &GemCreate) -> Result<u32> {
    match wanted.size {
        0 => return refuse(libc::EINVAL),
        // More than a process has addresses for.
        size if size > 1 << 47 => return refuse(libc::ENOMEM),
        _ => {}
    }
    let size = wanted.size.next_multiple_of(PAGE);
    let is_local = wanted.domains & DOMAIN_VRAM != 0;
    let claimed = if is_local { size } else { 0 };
    let memory = instance.machine.memory();
    memory.claim(node, claimed)?;
    let Some(file) = new_file(size) else {
        memory.give_up(node, claimed);
        return refuse(libc::ENOMEM);
    };
    Ok(instance.door.lock().add_buffer(Buffer {
        node,
        file,
        size,
        claimed,
        mapped: None,
    }))
}

/// A buffer object for the memory behind a descriptor.
pub fn import(instance: &Instance, node: u32, descriptor: i32) -> Result<(u32, u64)> {
    let file = duplicate(descriptor)?;
    let size = size(&file)?;
    let number = instance.door.lock().add_buffer(Buffer {
        node,
        file,
        size,
        // It is counted where it was made.
        claimed: 0,
        mapped: None,
    });
    Ok((number, size))
}

pub fn export(instance: &Instance, number: u32) -> Result<File> {
    let handles = instance.door.lock();
    let file = &handles.buffer(number)?.file;
    file.try_clone().map_err(|_| Errno(libc::EMFILE))
}

/// The same for who holds the lock: a descriptor of its own.
pub fn export_locked(handles: &Handles, number: u32) -> Result<i32> {
    let file = &handles.buffer(number)?.file;
    let copy = file.try_clone().map_err(|_| Errno(libc::EMFILE))?;
    Ok(copy.into_raw_fd())
}

pub fn free(instance: &Instance, number: u32) -> Result {
    let removed = instance.door.lock().buffers.remove(&number);
    let buffer = removed.ok_or(Errno(libc::ENOENT))?;
    instance
        .machine
        .memory()
        .give_up(buffer.node, buffer.claimed);
    if let Some((address, _)) = buffer.mapped {
        unmap(address, buffer.size);
    }
    Ok(())
}

/// Takes a buffer object from the host's view where it was put by `buffer_map`.
pub fn unmap(address: u64, size: u64) {
    // SAFETY: a mapping that this module made, which its last user gives up.
    unsafe { libc::munmap(address as *mut libc::c_void, size as usize) };
}

/// Maps part of a buffer object at an address of its device. The host reaches it there, too.
pub fn put(
    instance: &Instance,
    number: u32,
    offset: u64,
    bytes: u64,
    address: u64,
    operation: u32,
) -> Result {
    let memory = instance.machine.memory();
    let mut handles = instance.door.lock();
    let node = handles.buffer(number)?.node;
    let bytes = bytes.next_multiple_of(PAGE);
    match operation {
        place::MAP | place::REPLACE => {
            let buffer = handles.buffer(number)?;
            let end = offset.checked_add(bytes);
            if end.is_none_or(|end| end > buffer.size) || !offset.is_multiple_of(PAGE) {
                return refuse(libc::EINVAL);
            }
            let file = buffer.file.try_clone().map_err(|_| Errno(libc::EMFILE))?;
            let identity = identity(&file)?;
            if let Some(placed) = handles.placed.get_mut(&address) {
                // Several devices have it at the same address.
                if (placed.identity, placed.offset, placed.size) == (identity, offset, bytes) {
                    placed.count += 1;
                    return Ok(memory.grant(address, &[node])?);
                }
                if operation == place::MAP {
                    return refuse(libc::EINVAL);
                }
                memory.take_away(address)?;
                handles.placed.remove(&address);
            }
            let request = Request {
                node,
                size: bytes,
                flags: 0,
                writable: true,
                device_local: false,
                remote: false,
            };
            let place = Placement::File {
                address,
                file,
                offset,
            };
            memory.put(place, request)?;
            memory.map_to_nodes(address, &[node])?;
            closings::mapped(memory, address, address.saturating_add(bytes));
            let placed = Placed {
                identity,
                offset,
                size: bytes,
                count: 1,
            };
            handles.placed.insert(address, placed);
            Ok(())
        }
        place::UNMAP | place::CLEAR => {
            let Some(placed) = handles.placed.get_mut(&address) else {
                return refuse(libc::ENOENT);
            };
            placed.count -= 1;
            if placed.count == 0 {
                handles.placed.remove(&address);
                memory.take_away(address)?;
            } else {
                memory.revoke(address, &[node])?;
            }
            Ok(())
        }
        _ => refuse(libc::EINVAL),
    }
}
