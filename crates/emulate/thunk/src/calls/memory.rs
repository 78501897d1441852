//! Allocation, mapping, registration and pointer queries.

use gpu::memory::{Kind, MemoryError, Request, host_address};
use kmt_sys::thunk::{PointerInfo, Status, SvmAttribute, pointer_type};

use crate::{
    ffi::{In, Out, Result},
    instance::{Instance, instance},
    mappings,
};

/// Bits of the allocation flags that matter here.
#[rustfmt::skip]
mod flag {
    pub const READ_ONLY:     u32 = 1 << 3;
    pub const SCRATCH:       u32 = 1 << 9;
    pub const COARSE_GRAIN:  u32 = 1 << 13;
    pub const FIXED_ADDRESS: u32 = 1 << 15;
}

pub(super) fn status(error: MemoryError) -> Status {
    match error {
        MemoryError::BadSize { .. } => Status::InvalidParameter,
        MemoryError::NoDeviceMemory { .. }
        | MemoryError::NoHostMemory { .. }
        | MemoryError::Occupied { .. } => Status::NoMemory,
        MemoryError::UnknownAddress { .. } => Status::MemoryNotRegistered,
    }
}

pub fn allocate(node: u32, size: u64, flags: u32, address: Out<u64>) -> Result {
    let machine = &instance()?.machine;
    let is_gpu = machine.gpu(node).is_some();
    if !is_gpu && node != 0 {
        return Err(Status::InvalidNodeUnit);
    }
    if flags & flag::FIXED_ADDRESS != 0 {
        return Err(Status::NotSupported);
    }
    let is_scratch = flags & flag::SCRATCH != 0;
    let writable = flags & flag::READ_ONLY == 0;
    // ROCr reserves 4 GiB of scratch per device that it hardly ever touches: that is address space, not device memory.
    let request = Request {
        node,
        size,
        flags,
        writable,
        device_local: is_gpu && !is_scratch,
        remote: !is_gpu && flags & flag::COARSE_GRAIN == 0,
    };
    if address.is_null() {
        return Err(Status::InvalidParameter);
    }
    let made = machine.memory().allocate(request).map_err(status)?;
    // No device reaches it before it is mapped.
    machine.memory().map_to_nodes(made, &[]).map_err(status)?;
    address.put(made)
}

pub fn free(address: u64) -> Result {
    if address == 0 {
        return Ok(());
    }
    instance()?.machine.memory().free(address).map_err(status)
}

pub fn available(node: u32, bytes: Out<u64>) -> Result {
    let machine = &instance()?.machine;
    machine.gpu(node).ok_or(Status::InvalidNodeUnit)?;
    bytes.put(machine.memory().available(node))
}

/// Maps to all GPUs. The alternate address is where the device sees memory that is not at its host address.
pub fn map(address: u64, alternate: Out<u64>) -> Result {
    let instance = instance()?;
    let all: Vec<u32> = (1..=instance.machine.gpus().len() as u32).collect();
    map_list(instance, address, alternate, &all)
}

pub fn map_to_nodes(address: u64, alternate: Out<u64>, count: u64, nodes: In<u32>) -> Result {
    let list = nodes.list(usize::try_from(count).map_err(|_| Status::InvalidParameter)?)?;
    map_list(instance()?, address, alternate, &list)
}

fn map_list(instance: &Instance, address: u64, alternate: Out<u64>, nodes: &[u32]) -> Result {
    let memory = instance.machine.memory();
    let elsewhere = memory
        .query(address)
        .filter(|info| info.device_base != info.base);
    alternate.put_if_wanted(elsewhere.map_or(0, |info| info.device_base + (address - info.base)));
    match memory.map_to_nodes(address, nodes) {
        // Managed memory is reachable without having been registered.
        Err(_) if memory.is_shared(address) => Ok(()),
        result => result.map_err(status),
    }
}

pub fn unmap(address: u64) -> Result {
    // Unmapping what is mapped nowhere is no error, and ROCr asserts success.
    let _ = instance()?
        .machine
        .memory()
        .unmap_from_all(host_address(address));
    Ok(())
}

/// Registers memory as coarse-grained.
pub fn register(address: u64, size: u64) -> Result {
    register_with_flags(address, size, flag::COARSE_GRAIN)
}

pub fn register_with_flags(address: u64, size: u64, flags: u32) -> Result {
    let remote = flags & flag::COARSE_GRAIN == 0;
    instance()?
        .machine
        .memory()
        .register_user(address, size, flags, remote)
        .map_err(status)
}

pub fn deregister(address: u64) -> Result {
    let memory = instance()?.machine.memory();
    let found = memory.query(address);
    if found.is_some_and(|found| found.kind == Kind::Imported && found.base == address) {
        return memory.free(address).map_err(status);
    }
    memory
        .deregister_user(host_address(address))
        .map_err(status)
}

pub fn pointer_info(address: u64, out: Out<PointerInfo>) -> Result {
    let mut info = PointerInfo {
        pointer_type: pointer_type::UNKNOWN,
        node: 0,
        mem_flags: 0,
        cpu_address: 0,
        gpu_address: 0,
        size_in_bytes: 0,
        n_registered_nodes: 0,
        n_mapped_nodes: 0,
        registered_nodes: 0,
        mapped_nodes: 0,
        user_data: 0,
    };
    let found = instance()
        .ok()
        .and_then(|instance| instance.machine.memory().query(address));
    let Some(found) = found else {
        // ROCr reads the type even after an error.
        out.put(info)?;
        return Err(Status::Error);
    };
    info.pointer_type = match found.kind {
        Kind::Allocated => pointer_type::ALLOCATED,
        Kind::User => pointer_type::REGISTERED_USER,
        Kind::Imported => pointer_type::REGISTERED_SHARED,
    };
    (info.node, info.mem_flags) = (found.node, found.flags);
    (info.cpu_address, info.gpu_address, info.size_in_bytes) =
        (found.base, found.device_base, found.size);
    info.n_mapped_nodes = found.mapped_nodes.len() as u32;
    info.mapped_nodes = found.mapped_nodes.as_ptr() as u64;
    info.user_data = found.user_data;
    out.put(info)
}

pub fn set_user_data(address: u64, user_data: u64) -> Result {
    instance()?
        .machine
        .memory()
        .set_user_data(address, user_data)
        .map_err(status)
}

/// Checks that the addresses are a range of managed memory.
fn check_managed(address: u64, size: u64) -> Result {
    let end = address.checked_add(size).filter(|&end| end > address);
    end.map(|_| ()).ok_or(Status::InvalidParameter)
}

/// The driver refuses addresses where the program has nothing.
fn check_mapped(address: u64, size: u64) -> Result {
    const PAGE: u64 = 4096;
    let start = address & !(PAGE - 1);
    match mappings::covers(start, address + size - start) {
        true => Ok(()),
        false => Err(Status::Error),
    }
}

fn pairs(list: Vec<SvmAttribute>) -> Vec<(u32, u32)> {
    let pair = |SvmAttribute { kind, value }| (kind, value);
    list.into_iter().map(pair).collect()
}

/// Any attribute makes the range reachable: host and device share one memory, so there is nothing to migrate.
pub fn svm_set(address: u64, size: u64, count: u32, attributes: In<SvmAttribute>) -> Result {
    check_managed(address, size)?;
    let list = pairs(attributes.list(count as usize)?);
    check_mapped(address, size)?;
    instance()?
        .machine
        .memory()
        .share(address, size, &list)
        .map_err(|_| Status::InvalidParameter)
}

pub fn svm_get(address: u64, size: u64, count: u32, attributes: Out<SvmAttribute>) -> Result {
    check_managed(address, size)?;
    let mut list = pairs(In::from(attributes).list(count as usize)?);
    check_mapped(address, size)?;
    instance()?
        .machine
        .memory()
        .attributes(address, size, &mut list)
        .map_err(|_| Status::InvalidParameter)?;
    for (index, (kind, value)) in list.into_iter().enumerate() {
        attributes.put_at(index, SvmAttribute { kind, value })?;
    }
    Ok(())
}
