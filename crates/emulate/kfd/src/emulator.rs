//! The emulator, loaded when it is first needed.

use std::{
    ffi::{CStr, CString},
    mem,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
    ptr,
    sync::{
        Mutex,
        atomic::{AtomicPtr, Ordering},
    },
};

use kmt_sys::door::{Core, DIRECTORY_VARIABLE, SYMBOL, VERSION};

static CORE: AtomicPtr<Core> = AtomicPtr::new(ptr::null_mut());

/// The path of the emulator, relative to this library.
const PLACES: [&str; 3] = [
    "luthier-emulator/libhsakmt.so.1",
    "libhsakmt.so.1",
    "libhsakmt.so",
];

/// The emulator if this process has one already: something of the driver's was opened, or HIP is watched from its first call on.
pub fn loaded() -> Option<&'static Core> {
    // SAFETY: null, or a static of a library that is never unloaded.
    unsafe { CORE.load(Ordering::Acquire).as_ref() }
}

/// The emulator; loads it. Without one there is no driver, and the user was told why.
pub fn get() -> Option<&'static Core> {
    static LOADING: Mutex<bool> = Mutex::new(false);
    if let Some(core) = loaded() {
        return Some(core);
    }
    let mut tried = LOADING.lock().unwrap_or_else(|poison| poison.into_inner());
    if loaded().is_none() && !*tried {
        *tried = true;
        match load() {
            Ok(core) => CORE.store(core, Ordering::Release),
            Err(problem) => say(&format!("luthier: no GPU can be emulated: {problem}")),
        }
    }
    loaded()
}

fn load() -> Result<*mut Core, String> {
    let path = emulator()?;
    let name = CString::new(path.as_os_str().as_bytes()).map_err(|_| "its path has a zero")?;
    // SAFETY: loading runs the library's constructors, which do nothing here.
    let library = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
    if library.is_null() {
        return Err(last_error());
    }
    let symbol = CString::new(SYMBOL).map_err(|_| "its symbol has a zero")?;
    // SAFETY: the library is loaded, the name ends with a zero.
    let core: *mut Core = unsafe { libc::dlsym(library, symbol.as_ptr()) }.cast();
    // SAFETY: a table of that name begins with its version and size in every build.
    let (version, size) = match unsafe { core.as_ref() } {
        Some(core) => (core.version, core.size),
        None => return Err(format!("{} is from an older build", path.display())),
    };
    if (version, size) != (VERSION, mem::size_of::<Core>() as u32) {
        let path = path.display();
        return Err(format!(
            "{path} is from another build: version {version}, not {VERSION}; install both from one build"
        ));
    }
    Ok(core)
}

/// The emulator's library: beside this library, or where the user says.
fn emulator() -> Result<PathBuf, String> {
    let chosen = std::env::var_os(DIRECTORY_VARIABLE).filter(|directory| !directory.is_empty());
    let home = match &chosen {
        Some(directory) => PathBuf::from(directory),
        None => own_directory().ok_or("this library cannot find its own path")?,
    };
    let mut places = PLACES.iter().map(|place| home.join(place));
    places
        .find(|path| path.exists())
        .ok_or_else(|| format!("there is no libhsakmt.so.1 in {}", home.display()))
}

fn own_directory() -> Option<PathBuf> {
    let path = guest::library::own_path()?;
    let path = std::fs::canonicalize(&path).unwrap_or(path);
    path.parent().map(Path::to_owned)
}

fn last_error() -> String {
    // SAFETY: null or a string of the loader's, valid until the next error of this thread.
    let text = unsafe { libc::dlerror() };
    if text.is_null() {
        return "the loader does not say why".to_owned();
    }
    // SAFETY: as before.
    unsafe { CStr::from_ptr(text) }
        .to_string_lossy()
        .into_owned()
}

/// Tells the user, in one write.
pub fn say(text: &str) {
    let line = format!("{text}\n");
    // SAFETY: the buffer is readable for its length. A closed stream is not an error.
    unsafe { libc::write(2, line.as_ptr().cast(), line.len()) };
}
