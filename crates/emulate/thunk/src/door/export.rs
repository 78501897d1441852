//! The table through which the preloaded library calls, and its C functions.

use std::{
    ffi::{CStr, CString, c_char, c_void},
    os::fd::IntoRawFd,
    sync::Mutex,
};

use kmt_sys::door::{Core, DIRECTORY_MARK, KFD, VERSION, entry};

use super::{
    Errno, Result, buffers, commands,
    commands::guarded,
    files::{self, Entry},
    handles::What,
    refuse,
};
use crate::{
    calls::device,
    instance::{self, Instance},
    topology,
};

/// Read by the preloaded library.
#[unsafe(no_mangle)]
pub static luthier_kfd_core: Core = Core {
    version: VERSION,
    size: size_of::<Core>() as u32,
    look_up,
    open,
    ioctl,
    mmap,
    render_node,
    marketing_name,
    gpu_info,
    buffer_import,
    buffer_export,
    buffer_free,
    buffer_size,
    buffer_map,
    buffer_unmap,
    buffer_place,
    render_command,
    holds,
    instead_of,
};

/// The machine, made if this process has none yet.
fn machine() -> Result<&'static Instance> {
    instance::open().map_err(|_| Errno(libc::ENODEV))
}

fn opened() -> Result<&'static Instance> {
    instance::instance().map_err(|_| Errno(libc::EBADF))
}

/// The result as a system call returns it.
fn answer(body: impl FnOnce() -> Result<i64>) -> i64 {
    match guarded(body) {
        Ok(value) => value,
        Err(Errno(code)) => -i64::from(code),
    }
}

fn short(body: impl FnOnce() -> Result<i32>) -> i32 {
    answer(|| body().map(i64::from)) as i32
}

unsafe extern "C" fn holds(address: u64, length: u64) -> i32 {
    short(|| {
        let held = opened()?.machine.memory().covers(address, length, false);
        Ok(i32::from(held.is_ok()))
    })
}

unsafe extern "C" fn instead_of(name: *const c_char, found: *mut c_void) -> *mut c_void {
    // SAFETY: the preloaded library passes the name it was given, which ends with a zero.
    let name = unsafe { CStr::from_ptr(name) };
    let ours = guest::contain(|| allocations::hip::instead_of(name, found), || ());
    ours.unwrap_or(found)
}

unsafe extern "C" fn look_up(
    path: *const c_char,
    buffer: *mut u8,
    capacity: usize,
    length: *mut usize,
    device: *mut u32,
) -> i32 {
    short(|| {
        // SAFETY: the preloaded library passes the path it was given, which ends with a zero.
        let path = unsafe { CStr::from_ptr(path) };
        let Ok(path) = path.to_str() else {
            return Ok(entry::NOTHING);
        };
        let (kind, bytes) = match files::look_up(&machine()?.machine, path) {
            None => return Ok(entry::NOTHING),
            Some(Entry::Device(number)) => {
                // SAFETY: the caller passes memory for the number.
                unsafe { device.write(number) };
                (entry::DEVICE, Vec::new())
            }
            Some(Entry::File(text)) => (entry::FILE, text.into_bytes()),
            Some(Entry::Directory(names)) => {
                debug_assert!(
                    names
                        .iter()
                        .all(|name| !name.ends_with(char::from(DIRECTORY_MARK)))
                );
                let ended = names
                    .into_iter()
                    .flat_map(|name| (name + "\0").into_bytes());
                (entry::DIRECTORY, ended.collect())
            }
        };
        // SAFETY: the caller passes a buffer of that capacity and memory for the length.
        unsafe {
            length.write(bytes.len());
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), buffer, bytes.len().min(capacity));
        }
        Ok(kind)
    })
}

unsafe extern "C" fn open(device: u32) -> i32 {
    short(|| {
        let machine = &machine()?.machine;
        if device != KFD && machine.gpu(device).is_none() {
            return refuse(libc::ENODEV);
        }
        commands::trace("open", Ok(()));
        Ok(0)
    })
}

unsafe extern "C" fn ioctl(device: u32, request: u64, argument: *mut c_void) -> i32 {
    commands::run(device, request, argument)
}

/// The thunk maps memory where it is already: it has chosen the address. Elsewhere the memory becomes a file, which can be
/// mapped twice.
unsafe extern "C" fn mmap(
    device: u32,
    address: u64,
    length: u64,
    protection: i32,
    flags: i32,
    offset: u64,
) -> i64 {
    let result = guarded(|| {
        let instance = opened()?;
        if device == KFD {
            // Doorbells, which are not looked at: the positions in memory tell the same.
            let flags = flags & libc::MAP_FIXED | libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            let writable = libc::PROT_READ | libc::PROT_WRITE;
            return map(address, length, writable, flags, -1, 0);
        }
        let writable = protection | libc::PROT_READ | libc::PROT_WRITE;
        if let Some(number) = buffers::at_offset(offset) {
            let handles = instance.door.lock();
            if flags & libc::MAP_FIXED != 0 && handles.placed.contains_key(&address) {
                return Ok(address as i64);
            }
            let file = buffers::export_locked(&handles, number)?;
            return map(address, length, writable, flags, file, 0);
        }
        let handles = instance.door.lock();
        let allocation = handles.at_offset(device, offset)?;
        match &allocation.what {
            What::Memory { address: here } if *here == address => Ok(address as i64),
            What::Memory { address: here } => {
                let (_, file) = instance.machine.memory().export(*here)?;
                map(address, length, protection, flags, file.into_raw_fd(), 0)
            }
            What::Floating { file, .. } => {
                let file = file.try_clone().map_err(|_| Errno(libc::EMFILE))?;
                map(address, length, protection, flags, file.into_raw_fd(), 0)
            }
            What::Doorbells { .. } => refuse(libc::EINVAL),
        }
    });
    commands::trace("mmap", result.map(|_| ()));
    answer(|| result)
}

/// Maps what the caller has asked for; `descriptor` is closed.
fn map(
    address: u64,
    length: u64,
    protection: i32,
    flags: i32,
    descriptor: i32,
    offset: i64,
) -> Result<i64> {
    // SAFETY: this is the program's own call but for the descriptor: whatever it replaces, the program wants replaced.
    unsafe {
        let mapped = libc::mmap(
            address as *mut c_void,
            length as usize,
            protection,
            flags,
            descriptor,
            offset,
        );
        let code = *libc::__errno_location();
        if descriptor >= 0 {
            libc::close(descriptor);
        }
        if mapped == libc::MAP_FAILED {
            return refuse(code);
        }
        Ok(mapped as i64)
    }
}

unsafe extern "C" fn render_node(minor: u32) -> u32 {
    let node = guarded(|| Ok(topology::render_node(&machine()?.machine, minor)));
    node.ok().flatten().unwrap_or(0)
}

/// Names live as long as the process, as libdrm's do.
unsafe extern "C" fn marketing_name(node: u32) -> *const c_char {
    static NAMES: Mutex<Vec<(u32, &CStr)>> = Mutex::new(Vec::new());
    let name = guarded(|| {
        let machine = &opened()?.machine;
        let gpu = machine.gpu(node).ok_or(Errno(libc::ENODEV))?;
        let mut names = NAMES.lock().map_err(|_| Errno(libc::EIO))?;
        if let Some((_, name)) = names.iter().find(|(known, _)| *known == node) {
            return Ok(name.as_ptr());
        }
        let name = CString::new(gpu.model().marketing_name).map_err(|_| Errno(libc::EIO))?;
        let name: &'static CStr = Box::leak(name.into_boxed_c_str());
        names.push((node, name));
        Ok(name.as_ptr())
    });
    name.unwrap_or(std::ptr::null())
}

unsafe extern "C" fn gpu_info(node: u32, info: *mut c_void) -> i32 {
    short(|| {
        let machine = &opened()?.machine;
        let value = device::describe_gpu(machine, node).ok_or(Errno(libc::ENODEV))?;
        if info.is_null() {
            return refuse(libc::EINVAL);
        }
        // SAFETY: libdrm's structure begins with these members; misalignment is allowed for.
        unsafe { info.cast::<device::GpuInfo>().write_unaligned(value) };
        Ok(0)
    })
}

unsafe extern "C" fn buffer_import(
    node: u32,
    descriptor: i32,
    number: *mut u32,
    size: *mut u64,
) -> i32 {
    short(|| {
        let (new, bytes) = buffers::import(opened()?, node, descriptor)?;
        // SAFETY: the preloaded library passes memory for both.
        unsafe {
            number.write(new);
            size.write(bytes);
        }
        Ok(0)
    })
}

unsafe extern "C" fn buffer_export(number: u32) -> i32 {
    short(|| Ok(buffers::export(opened()?, number)?.into_raw_fd()))
}

unsafe extern "C" fn buffer_free(number: u32) -> i32 {
    short(|| buffers::free(opened()?, number).map(|()| 0))
}

unsafe extern "C" fn buffer_size(number: u32) -> i64 {
    answer(|| Ok(opened()?.door.lock().buffer(number)?.size as i64))
}

unsafe extern "C" fn buffer_map(number: u32) -> i64 {
    answer(|| {
        let instance = opened()?;
        let mut handles = instance.door.lock();
        let file = buffers::export_locked(&handles, number)?;
        let buffer = handles.buffer_mut(number)?;
        if let Some((address, users)) = &mut buffer.mapped {
            *users += 1;
            // SAFETY: just made, and no other code has it.
            unsafe { libc::close(file) };
            return Ok(*address as i64);
        }
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let address = map(0, buffer.size, protection, libc::MAP_SHARED, file, 0)?;
        buffer.mapped = Some((address as u64, 1));
        Ok(address)
    })
}

unsafe extern "C" fn buffer_unmap(number: u32) -> i32 {
    short(|| {
        let instance = opened()?;
        let mut handles = instance.door.lock();
        let buffer = handles.buffer_mut(number)?;
        match &mut buffer.mapped {
            None => return refuse(libc::EINVAL),
            Some((_, users)) if *users > 1 => *users -= 1,
            Some((address, _)) => {
                buffers::unmap(*address, buffer.size);
                buffer.mapped = None;
            }
        }
        Ok(0)
    })
}

unsafe extern "C" fn buffer_place(
    number: u32,
    offset: u64,
    size: u64,
    address: u64,
    operation: u32,
) -> i32 {
    let result = guarded(|| buffers::put(opened()?, number, offset, size, address, operation));
    commands::trace("a buffer object is put or removed", result);
    short(|| result.map(|()| 0))
}

unsafe extern "C" fn render_command(
    node: u32,
    command: u32,
    data: *mut c_void,
    size: usize,
) -> i32 {
    short(|| {
        if data.is_null() {
            return refuse(libc::EFAULT);
        }
        // SAFETY: the caller says that there are `size` bytes.
        let data = unsafe { std::slice::from_raw_parts_mut(data.cast::<u8>(), size) };
        buffers::render_command(opened()?, node, command, data).map(|()| 0)
    })
}
