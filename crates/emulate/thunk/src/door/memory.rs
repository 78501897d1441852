//! Allocation and mapping. The thunk inside ROCr chooses the addresses.

use std::env;

use gpu::memory::{PAGE, Placement, Request, new_file};
use kmt_sys::kfd::{self, memory_flag as flag};

use super::{
    Result,
    arguments::{Arguments, List},
    commands::{once, told_once},
    gpu,
    handles::{Allocation, What, mmap_offset},
    refuse,
};
use crate::instance::Instance;

pub fn allocate(instance: &Instance, arguments: Arguments) -> Result {
    let mut value: kfd::AllocMemory = arguments.get()?;
    let (node, _) = gpu(instance, value.gpu_id)?;
    match value.size {
        0 => return refuse(libc::EINVAL),
        // More than a process has addresses for.
        size if size > 1 << 47 => return refuse(libc::ENOMEM),
        _ => {}
    }
    let what = match value.flags {
        // The runtime goes on without a register page for flushing.
        flags if flags & flag::MMIO_REMAP != 0 => return refuse(libc::ENOMEM),
        flags if flags & flag::DOORBELL != 0 => {
            let address = value.address;
            let memory = instance.machine.memory();
            memory.put(Placement::Mapped(address), request(node, &value))?;
            What::Doorbells { address }
        }
        flags if flags & flag::USERPTR != 0 => adopt(instance, node, &value)?,
        flags if flags & (flag::VRAM | flag::GTT) == 0 => return refuse(libc::EINVAL),
        _ if value.address == 0 => float(instance, node, &value)?,
        _ => {
            let address = value.address;
            let memory = instance.machine.memory();
            memory.put(Placement::Fresh(address), request(node, &value))?;
            What::Memory { address }
        }
    };
    if let Some(address) = what.address() {
        // No device reaches it before it is mapped.
        instance.machine.memory().map_to_nodes(address, &[])?;
    }
    let handle = instance.door.lock().add(Allocation {
        node,
        flags: value.flags,
        what,
    });
    value.handle = handle;
    if value.flags & (flag::DOORBELL | flag::USERPTR) == 0 {
        value.mmap_offset = mmap_offset(handle);
    }
    arguments.put(value)
}

/// How the device treats what is allocated with these flags.
pub fn request(node: u32, value: &kfd::AllocMemory) -> Request {
    let is_local = value.flags & flag::VRAM != 0;
    Request {
        node,
        size: value.size,
        flags: value.flags,
        // Read-only memory of the runtime's is for code, which it writes through another mapping on hardware.
        writable: value.flags & flag::WRITABLE != 0,
        device_local: is_local,
        remote: !is_local && value.flags & flag::COHERENT != 0,
    }
}

/// The thunk of ROCr 5 does this by itself. It is in Luthier's place where a program is started with a library path of its own.
const OLD_THUNK: &str = "ROCr registers memory under another address than its own, as an old libhsakmt.so.1 does. \
     `luthier run` puts Luthier's own first in LD_LIBRARY_PATH. If a script or the program sets that variable, keep what it has \
     (LD_LIBRARY_PATH=NEW:$LD_LIBRARY_PATH)";

/// Memory that the program or the thunk has mapped already. The thunk of these versions registers programs' memory by SVM,
/// under its own address; only its own memory comes this way.
fn adopt(instance: &Instance, node: u32, value: &kfd::AllocMemory) -> Result<What> {
    let (address, host) = (value.address, value.mmap_offset);
    if address & !0xfff != host & !0xfff {
        if env::var_os("HSA_USE_SVM").is_some_and(|value| value == "0") {
            once(
                1,
                "user memory is registered under another address than its own, which HSA_USE_SVM=0 leads to",
            );
        } else {
            told_once(1, OLD_THUNK);
        }
        return refuse(libc::EINVAL);
    }
    let memory = instance.machine.memory();
    memory.put(Placement::Mapped(address), request(node, value))?;
    keep_in_children(address, value.size);
    Ok(What::Memory { address })
}

/// The thunk has said of its memory that forked children do not have it, before it told the driver of it. They keep it, as the
/// rest of the device's (`madvise` in the preloaded library says why).
fn keep_in_children(address: u64, size: u64) {
    let start = address & !0xfff;
    let length = (address + size).next_multiple_of(0x1000) - start;
    // SAFETY: advice about memory that is mapped, as was just seen; what anyone can read there stays as it is.
    unsafe {
        libc::madvise(
            start as *mut libc::c_void,
            length as usize,
            libc::MADV_DOFORK,
        )
    };
}

/// Memory without an address: `hipMemCreate`.
fn float(instance: &Instance, node: u32, value: &kfd::AllocMemory) -> Result<What> {
    if value.size == 0 {
        return refuse(libc::EINVAL);
    }
    let size = value.size.next_multiple_of(PAGE);
    let claimed = if value.flags & flag::VRAM != 0 {
        size
    } else {
        0
    };
    instance.machine.memory().claim(node, claimed)?;
    match new_file(size) {
        Some(file) => Ok(What::Floating { file, claimed }),
        None => {
            instance.machine.memory().give_up(node, claimed);
            refuse(libc::ENOMEM)
        }
    }
}

pub fn free(instance: &Instance, arguments: Arguments) -> Result {
    let value: kfd::FreeMemory = arguments.get()?;
    let allocation = instance.door.lock().remove(value.handle)?;
    match allocation.what {
        What::Memory { address } | What::Doorbells { address } => {
            Ok(instance.machine.memory().take_away(address)?)
        }
        What::Floating { claimed, .. } => {
            instance.machine.memory().give_up(allocation.node, claimed);
            Ok(())
        }
    }
}

/// The nodes that a list of the caller's names.
fn nodes(instance: &Instance, value: &kfd::MapMemory) -> Result<Vec<u32>> {
    if value.count == 0 {
        return refuse(libc::EINVAL);
    }
    let ids = List::<u32>::new(value.gpu_ids, value.count as usize)?.get();
    ids.into_iter().map(|id| Ok(gpu(instance, id)?.0)).collect()
}

pub fn map(instance: &Instance, arguments: Arguments) -> Result {
    let mut value: kfd::MapMemory = arguments.get()?;
    let nodes = nodes(instance, &value)?;
    let handles = instance.door.lock();
    if let Some(address) = handles.get(value.handle)?.what.address() {
        instance.machine.memory().grant(address, &nodes)?;
    }
    value.succeeded = value.count;
    arguments.put(value)
}

pub fn unmap(instance: &Instance, arguments: Arguments) -> Result {
    let mut value: kfd::MapMemory = arguments.get()?;
    let nodes = nodes(instance, &value)?;
    let handles = instance.door.lock();
    if let Some(address) = handles.get(value.handle)?.what.address() {
        instance.machine.memory().revoke(address, &nodes)?;
    }
    value.succeeded = value.count;
    arguments.put(value)
}

pub fn available(instance: &Instance, arguments: Arguments) -> Result {
    let mut value: kfd::AvailableMemory = arguments.get()?;
    let (node, _) = gpu(instance, value.gpu_id)?;
    value.bytes = instance.machine.memory().available(node);
    arguments.put(value)
}
