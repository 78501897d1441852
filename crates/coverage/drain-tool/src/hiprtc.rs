//! hipRTC: programs that compile kernels while they run get counters, and sources that outlive the compilation.
//!
//! Only where [`drain::config::HIPRTC`] asks for it. A program that does not compile with counters is compiled without.

use std::{
    env,
    ffi::{CStr, CString, c_char, c_int, c_void},
    fs,
    os::unix::ffi::{OsStrExt, OsStringExt},
    path::{Path, PathBuf},
};

use drain::{
    config,
    hiprtc::{HEADER_NAME, OPTIONS},
    image::ImageId,
    output,
};

use crate::{
    preload::{HIP, real_in},
    state::{contained, say},
};

/// The result of a missing hipRTC.
const INTERNAL_ERROR: c_int = 11;
const SUCCESS: c_int = 0;

type Create = unsafe extern "C" fn(
    *mut *mut c_void,
    *const c_char,
    *const c_char,
    c_int,
    *const *const c_char,
    *const *const c_char,
) -> c_int;
type Compile = unsafe extern "C" fn(*mut c_void, c_int, *const *const c_char) -> c_int;

fn directory() -> Option<PathBuf> {
    env::var_os(config::HIPRTC)
        .filter(|path| !path.is_empty())
        .map(PathBuf::from)
}

/// Stores a program's source where reports find it, and returns a program that includes it: the coverage mapping names
/// the files that the compiler read, and hipRTC's own are gone when it has compiled.
fn keep(directory: &Path, source: &CStr, name: &CStr) -> Result<CString, output::OutputError> {
    // Characters that may not stand between quotes.
    let quotable = |bytes: &[u8]| !bytes.iter().any(|byte| b"\"\\\n".contains(byte));
    if !quotable(directory.as_os_str().as_bytes()) || !quotable(name.to_bytes()) {
        return Ok(source.to_owned());
    }
    let name = Path::new(std::ffi::OsStr::from_bytes(name.to_bytes()))
        .file_name()
        .unwrap_or("program.hip".as_ref());
    let path = directory
        .join(ImageId::of(source.to_bytes()).to_string())
        .join(name);
    if fs::read(&path).ok().as_deref() != Some(source.to_bytes()) {
        output::write_atomically(&path, source.to_bytes())?;
    }
    let mut program = b"#include \"".to_vec();
    program.extend(path.into_os_string().into_vec());
    program.extend(b"\"\n");
    // A path has no zeros, so the fallback is never taken.
    Ok(CString::new(program).unwrap_or_else(|_| source.to_owned()))
}

/// # Safety
/// The caller must keep the rules of the hipRTC function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hiprtcCreateProgram(
    program: *mut *mut c_void,
    source: *const c_char,
    name: *const c_char,
    header_count: c_int,
    headers: *const *const c_char,
    header_names: *const *const c_char,
) -> c_int {
    let address = real_in(HIP, c"hiprtcCreateProgram");
    if address.is_null() {
        return INTERNAL_ERROR;
    }
    // SAFETY: the symbol of this name has this type.
    let original = unsafe { std::mem::transmute::<*mut c_void, Create>(address) };
    // SAFETY: the caller passes strings, the name may be null.
    let kept = contained(|| unsafe { kept(source, name) }).flatten();
    let source = kept.as_ref().map_or(source, |program| program.as_ptr());
    // SAFETY: the caller's arguments; hipRTC copies the source.
    unsafe { original(program, source, name, header_count, headers, header_names) }
}

/// The program that includes a kept one, if one is kept.
///
/// # Safety
/// Both are strings or null.
unsafe fn kept(source: *const c_char, name: *const c_char) -> Option<CString> {
    let directory = directory().filter(|_| !source.is_null())?;
    // SAFETY: they are strings where they are not null.
    let (text, name) = unsafe {
        let name = if name.is_null() {
            c""
        } else {
            CStr::from_ptr(name)
        };
        (CStr::from_ptr(source), name)
    };
    match keep(&directory, text, name) {
        Ok(program) => Some(program),
        Err(error) => {
            say(&error.to_string());
            None
        }
    }
}

/// Options that make a program count; none if programs are left alone.
fn counting() -> Option<Vec<CString>> {
    let header = directory()?.join(HEADER_NAME);
    let options = OPTIONS
        .iter()
        .map(|option| option.as_bytes())
        .chain([header.as_os_str().as_bytes()])
        .filter_map(|option| CString::new(option).ok());
    Some(options.collect())
}

/// # Safety
/// The caller must keep the rules of the hipRTC function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hiprtcCompileProgram(
    program: *mut c_void,
    count: c_int,
    options: *const *const c_char,
) -> c_int {
    let address = real_in(HIP, c"hiprtcCompileProgram");
    if address.is_null() {
        return INTERNAL_ERROR;
    }
    // SAFETY: the symbol of this name has this type.
    let original = unsafe { std::mem::transmute::<*mut c_void, Compile>(address) };
    let given = match usize::try_from(count) {
        // SAFETY: the caller passes this many options.
        Ok(count) if !options.is_null() => unsafe { std::slice::from_raw_parts(options, count) },
        _ => &[],
    };
    let ours = contained(counting).flatten();
    if let Some(ours) = &ours {
        let all: Vec<_> = given
            .iter()
            .copied()
            .chain(ours.iter().map(|option| option.as_ptr()))
            .collect();
        // SAFETY: a list of that many strings, which hipRTC copies.
        let status = unsafe { original(program, all.len() as c_int, all.as_ptr()) };
        if status == SUCCESS {
            return status;
        }
    }
    // SAFETY: the caller's arguments as they came.
    let status = unsafe { original(program, count, options) };
    if status == SUCCESS && ours.is_some() {
        say(
            "a hipRTC program does not compile with counters and runs without; its compiler may be too old",
        );
    }
    status
}
