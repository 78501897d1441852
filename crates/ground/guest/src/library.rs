//! Libraries of the process: which one we are, and what others have. Nothing is loaded here.

use std::{
    ffi::{CStr, CString, OsStr, c_int, c_void},
    os::unix::ffi::{OsStrExt, OsStringExt},
    path::PathBuf,
    ptr::NonNull,
};

/// The path of this library. Each library that links this crate has its own copy of the function, which answers for that library.
pub fn own_path() -> Option<PathBuf> {
    path_of(own_path as *const c_void)
}

/// The file of the library that an address lies in.
pub fn path_of(address: *const c_void) -> Option<PathBuf> {
    let info = look_up(address)?;
    if info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: the linker's string, which lives as long as the library.
    let name = unsafe { CStr::from_ptr(info.dli_fname) };
    Some(PathBuf::from(OsStr::from_bytes(name.to_bytes())))
}

/// The start in memory of the library that an address lies in.
pub fn base_of(address: *const c_void) -> Option<usize> {
    look_up(address).map(|info| info.dli_fbase as usize)
}

/// Returns `true` if two addresses lie in the same library.
pub fn is_same(one: *const c_void, other: *const c_void) -> bool {
    base_of(one).is_some_and(|one| base_of(other) == Some(one))
}

fn look_up(address: *const c_void) -> Option<libc::Dl_info> {
    // SAFETY: all zeros are a valid value, and any address may be looked up.
    unsafe {
        let mut info: libc::Dl_info = std::mem::zeroed();
        (libc::dladdr(address, &raw mut info) != 0).then_some(info)
    }
}

/// Keeps this library in memory until the process ends, even if the application closes it, because its handlers may still be called.
pub fn pin() {
    let path = own_path().and_then(|path| CString::new(path.into_os_string().into_vec()).ok());
    if let Some(path) = path {
        let flags = libc::RTLD_LAZY | libc::RTLD_NOLOAD | libc::RTLD_NODELETE;
        // SAFETY: the path is a string; the library is loaded already, so nothing runs.
        unsafe { libc::dlopen(path.as_ptr(), flags) };
    }
}

/// The address of a symbol in the library of this name or path, or in what that depends on; `None` if the library is not
/// loaded. It stays loaded.
pub fn symbol(library: &CStr, name: &CStr) -> Option<NonNull<c_void>> {
    // SAFETY: both are strings, and nothing is loaded.
    unsafe {
        let handle = libc::dlopen(library.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD);
        match handle.is_null() {
            true => None,
            false => NonNull::new(libc::dlsym(handle, name.as_ptr())),
        }
    }
}

/// A part of the path of HIP's library.
pub const HIP: &[u8] = b"/libamdhip64.so";

/// Shows a function the loaded objects, until it returns `true`. Returns `true` if it did. Needs no memory.
fn visit<F: FnMut(&libc::dl_phdr_info) -> bool>(mut look: F) -> bool {
    unsafe extern "C" fn show<F: FnMut(&libc::dl_phdr_info) -> bool>(
        object: *mut libc::dl_phdr_info,
        _: usize,
        look: *mut c_void,
    ) -> c_int {
        // SAFETY: the loader's description, valid during the call, and the function that `visit` passes.
        unsafe { (*look.cast::<F>())(&*object).into() }
    }
    // SAFETY: the callback has the right type, and the function outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(show::<F>), (&raw mut look).cast()) != 0 }
}

/// The path of an object, as the loader names it; empty for the program itself.
fn name(object: &libc::dl_phdr_info) -> &CStr {
    match object.dlpi_name.is_null() {
        true => c"",
        // SAFETY: the loader's string, which lives as long as its description.
        false => unsafe { CStr::from_ptr(object.dlpi_name) },
    }
}

/// How many objects the process has ever loaded.
pub fn loads() -> u64 {
    let mut loads = 0;
    visit(|object| {
        loads = object.dlpi_adds;
        true
    });
    loads
}

/// Returns `true` if a library with this in its path is loaded. Needs no memory.
pub fn is_loaded(part: &[u8]) -> bool {
    visit(|object| contains(name(object).to_bytes(), part))
}

/// Returns `true` if an address lies in a library with this in its path. Needs no memory, and no lock that is held while the
/// constructors of a library run.
pub fn lies_in(address: usize, part: &[u8]) -> bool {
    let mut lies = false;
    visit(|object| {
        let count = usize::from(object.dlpi_phnum);
        let headers = match object.dlpi_phdr.is_null() {
            true => &[],
            // SAFETY: the loader's table of so many headers, which lives as long as its description.
            false => unsafe { std::slice::from_raw_parts(object.dlpi_phdr, count) },
        };
        let here = headers.iter().any(|header| {
            let start = (object.dlpi_addr as usize).wrapping_add(header.p_vaddr as usize);
            header.p_type == libc::PT_LOAD && address.wrapping_sub(start) < header.p_memsz as usize
        });
        lies = here && contains(name(object).to_bytes(), part);
        here
    });
    lies
}

/// The path under which a library with this in it is loaded.
pub fn loaded_as(part: &[u8]) -> Option<CString> {
    let mut all = loaded().into_iter();
    all.find(|name| contains(name.to_bytes(), part))
}

/// Returns `true` if the name has this part.
pub fn contains(name: &[u8], part: &[u8]) -> bool {
    name.windows(part.len()).any(|window| window == part)
}

/// The files of all libraries in the process, as the loader names them.
pub fn loaded() -> Vec<CString> {
    let mut names = Vec::new();
    visit(|object| {
        let name = name(object);
        if !name.is_empty() {
            names.push(name.to_owned());
        }
        false
    });
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_tells_its_library() {
        let own = own_path().and_then(|path| path.canonicalize().ok());
        assert_eq!(own, std::env::current_exe().ok());
        let theirs = symbol(c"libc.so.6", c"getpid").expect("the C library has it");
        let path = path_of(theirs.as_ptr()).expect("a library has it");
        assert_eq!(path.file_name(), Some(OsStr::new("libc.so.6")));
        let other = symbol(c"libc.so.6", c"getppid").expect("the C library has it");
        assert!(is_same(theirs.as_ptr(), other.as_ptr()));
        assert!(!is_same(theirs.as_ptr(), own_path as *const c_void));
        assert_eq!(symbol(c"libluthier-nowhere.so", c"getpid"), None);
        let path = path.into_os_string().into_vec();
        assert!(loaded().iter().any(|name| name.to_bytes() == path));
        assert!(is_loaded(b"/libc.so") && !is_loaded(b"/libluthier-nowhere.so"));
        let address = theirs.as_ptr() as usize;
        assert!(lies_in(address, b"/libc.so") && !lies_in(address, b"/libluthier"));
        assert!(!lies_in(own_path as *const () as usize, b"/libc.so"));
        let as_loaded = loaded_as(b"/libc.so").expect("it is loaded");
        assert_eq!(as_loaded.to_bytes(), path);
    }
}
