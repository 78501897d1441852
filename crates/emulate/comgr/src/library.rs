//! The functions of the comgr that the process has loaded, and values instead of its handles.

use std::{
    ffi::{CStr, CString, c_char, c_void},
    os::unix::ffi::OsStringExt,
};

use kmt_sys::door::Action;

pub const SUCCESS: i32 = 0;
/// Kinds of data objects are numbers below this one in every version so far.
const KINDS: u32 = 64;

/// A data object of comgr: a kind, a name and bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Data {
    pub kind: u32,
    pub name: Vec<u8>,
    pub bytes: Vec<u8>,
}

macro_rules! functions {
    ($($name:ident: fn($($type:ty),*);)*) => {
        /// comgr's functions. Each returns a status.
        pub struct Library {
            $($name: unsafe extern "C" fn($($type),*) -> i32,)*
        }

        impl Library {
            /// The library that has the function `action`; `None` if it lacks a function.
            pub fn of(action: Action) -> Option<Library> {
                let path = guest::library::path_of(action as *const c_void)?;
                let name = CString::new(path.into_os_string().into_vec()).ok()?;
                $(
                    let symbol = concat!("amd_comgr_", stringify!($name), "\0");
                    let symbol = CStr::from_bytes_with_nul(symbol.as_bytes()).ok()?;
                    let $name = guest::library::symbol(&name, symbol)?;
                    // SAFETY: this is comgr's function of that name, which has this type in every version.
                    let $name = unsafe {
                        std::mem::transmute::<*mut c_void, unsafe extern "C" fn($($type),*) -> i32>($name.as_ptr())
                    };
                )*
                Some(Library { $($name,)* })
            }
        }
    };
}

functions! {
    action_info_get_language: fn(u64, *mut u32);
    action_info_get_isa_name: fn(u64, *mut usize, *mut c_char);
    action_info_get_option_list_count: fn(u64, *mut usize);
    action_info_get_option_list_item: fn(u64, usize, *mut usize, *mut c_char);
    action_info_get_logging: fn(u64, *mut bool);
    action_data_count: fn(u64, u32, *mut usize);
    action_data_get_data: fn(u64, u32, usize, *mut u64);
    get_data: fn(u64, *mut usize, *mut c_char);
    get_data_name: fn(u64, *mut usize, *mut c_char);
    create_data: fn(u32, *mut u64);
    set_data: fn(u64, usize, *const c_char);
    set_data_name: fn(u64, *const c_char);
    data_set_add: fn(u64, u64);
    release_data: fn(u64);
}

fn done(status: i32) -> Option<()> {
    (status == SUCCESS).then_some(())
}

/// Bytes that a function of comgr's gives in two calls: the first one tells how many there are. They come to the beginning of `place`.
fn bytes(place: &mut Vec<u8>, get: impl Fn(*mut usize, *mut c_char) -> i32) -> Option<usize> {
    let mut size = 0;
    done(get(&raw mut size, std::ptr::null_mut()))?;
    if size > place.capacity() {
        *place = with_room(size);
    }
    place.resize(place.len().max(size), 0);
    let told = size;
    done(get(&raw mut size, place.as_mut_ptr().cast()))?;
    (size == told).then_some(size)
}

/// Room for so many bytes. A small HIP program would spend a twentieth of its time on the first touch of small pages here, so that the
/// function asks the system for large ones. The system may decline.
fn with_room(size: usize) -> Vec<u8> {
    const LARGE_PAGE: usize = 2 << 20;
    if size < LARGE_PAGE {
        return Vec::with_capacity(size);
    }
    let advised = size.next_multiple_of(LARGE_PAGE);
    let mut place: Vec<u8> = Vec::with_capacity(advised + LARGE_PAGE);
    let start = place.as_mut_ptr();
    let skipped = start.align_offset(LARGE_PAGE);
    // SAFETY: `align_offset` skips less than a large page, so that the range lies in the vector's memory. The advice changes no contents.
    unsafe { libc::madvise(start.add(skipped).cast(), advised, libc::MADV_HUGEPAGE) };
    place
}

/// The same for a string, whose size counts the zero at its end.
fn string(get: impl Fn(*mut usize, *mut c_char) -> i32) -> Option<Vec<u8>> {
    let mut string = Vec::new();
    let size = bytes(&mut string, get)?;
    let end = string.iter().position(|byte| *byte == 0);
    string.truncate(end.unwrap_or(size));
    Some(string)
}

impl Library {
    /// The options of an action; `None` if the caller gave them in one string.
    ///
    /// # Safety
    /// The handle must be this library's.
    pub unsafe fn options(&self, info: u64) -> Option<Vec<Vec<u8>>> {
        let mut count = 0;
        // SAFETY: the caller's handle and a variable of this function.
        done(unsafe { (self.action_info_get_option_list_count)(info, &raw mut count) })?;
        let option = |index| {
            // SAFETY: the caller's handle, and a buffer as long as the size says.
            let get = |size, at| unsafe {
                (self.action_info_get_option_list_item)(info, index, size, at)
            };
            string(get)
        };
        (0..count).map(option).collect()
    }

    /// # Safety
    /// The handle must be this library's.
    pub unsafe fn language(&self, info: u64) -> Option<u32> {
        let mut language = 0;
        // SAFETY: the caller's handle and a variable of this function.
        done(unsafe { (self.action_info_get_language)(info, &raw mut language) })?;
        Some(language)
    }

    /// # Safety
    /// The handle must be this library's.
    pub unsafe fn logging(&self, info: u64) -> Option<bool> {
        let mut logging = false;
        // SAFETY: the caller's handle and a variable of this function.
        done(unsafe { (self.action_info_get_logging)(info, &raw mut logging) })?;
        Some(logging)
    }

    /// # Safety
    /// The handle must be this library's, and the target set.
    pub unsafe fn target(&self, info: u64) -> Option<Vec<u8>> {
        // SAFETY: the caller's handle, and a buffer as long as the size says.
        string(|size, at| unsafe { (self.action_info_get_isa_name)(info, size, at) })
    }

    /// The data objects of a set that have bytes, by kind, in their order. (An empty log has none, and comgr alone can make one.)
    ///
    /// # Safety
    /// The handle must be this library's.
    pub unsafe fn set(&self, set: u64) -> Option<Vec<Data>> {
        let mut all = Vec::new();
        let keep = |kind, name, bytes: &[u8]| {
            let bytes = bytes.to_vec();
            all.push(Data { kind, name, bytes });
        };
        // SAFETY: the caller's handle.
        unsafe { self.each(set, keep) }?;
        Some(all)
    }

    /// Shows kind, name and bytes of these objects, one after another in one place: device libraries have megabytes.
    ///
    /// # Safety
    /// The handle must be this library's.
    pub unsafe fn each(&self, set: u64, mut show: impl FnMut(u32, Vec<u8>, &[u8])) -> Option<()> {
        let mut place = Vec::new();
        for kind in 0..KINDS {
            let mut count = 0;
            // SAFETY: the caller's handle, and a variable of this function. The function refuses kinds that it does not know.
            if unsafe { (self.action_data_count)(set, kind, &raw mut count) } != SUCCESS {
                continue;
            }
            for index in 0..count {
                let mut data = 0;
                // SAFETY: the caller's handle and a variable of this function; the data object belongs to this function until it is released.
                unsafe {
                    done((self.action_data_get_data)(set, kind, index, &raw mut data))?;
                    let name = string(|size, at| (self.get_data_name)(data, size, at));
                    let size = bytes(&mut place, |size, at| (self.get_data)(data, size, at));
                    (self.release_data)(data);
                    let (name, size) = (name?, size?);
                    if size != 0 {
                        show(kind, name, &place[..size]);
                    }
                }
            }
        }
        Some(())
    }

    /// Adds data objects to a set. Returns a status.
    ///
    /// # Safety
    /// The handle must be this library's.
    pub unsafe fn add(&self, set: u64, all: &[Data]) -> i32 {
        for each in all {
            let mut data = 0;
            // SAFETY: a variable of this function.
            let made = unsafe { (self.create_data)(each.kind, &raw mut data) };
            if made != SUCCESS {
                return made;
            }
            let name = [each.name.as_slice(), b"\0"].concat();
            // SAFETY: the caller's handle, and a new data object, which is released here and which the set keeps. comgr copies the bytes
            // and the name, which ends with a zero.
            let status = unsafe {
                let (size, bytes) = (each.bytes.len(), each.bytes.as_ptr());
                let mut status = (self.set_data)(data, size, bytes.cast());
                if status == SUCCESS {
                    status = (self.set_data_name)(data, name.as_ptr().cast());
                }
                if status == SUCCESS {
                    status = (self.data_set_add)(set, data);
                }
                (self.release_data)(data);
                status
            };
            if status != SUCCESS {
                return status;
            }
        }
        SUCCESS
    }
}
