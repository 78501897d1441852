//! The declarations of `cxx/codegen.h`, in the same order; the functions are looked up by name in `library.rs`.

use std::ffi::{c_char, c_int, c_void};

#[repr(C)]
pub struct Module {
    _opaque: [u8; 0],
}

#[repr(C)]
pub struct Job {
    _opaque: [u8; 0],
}

pub type DiagnosticSink = unsafe extern "C" fn(
    user: *mut c_void,
    severity: u32,
    file: *const c_char,
    file_length: usize,
    line: u32,
    text: *const c_char,
    text_length: usize,
);
pub type TextSink = unsafe extern "C" fn(user: *mut c_void, text: *const c_char, length: usize);

pub const SEVERITY_ERROR: u32 = 0;
pub const SEVERITY_WARNING: u32 = 1;

pub const CONSTANT: u32 = 0;
pub const INPUT: u32 = 1;
pub const REFERENCE: u32 = 2;
pub const LITERAL: u32 = 3;

#[repr(C)]
pub struct Binding {
    pub name: *const c_char,
    pub name_length: usize,
    pub file: u32,
    pub dwords: u32,
    pub first: u32,
    pub read: u32,
    pub written: u32,
}

#[repr(C)]
pub struct Global {
    pub name: *const c_char,
    pub name_length: usize,
    pub size: u64,
    pub alignment: u64,
    pub initial: *const u8,
    pub defined: u32,
    pub reserved: u32,
}

#[repr(C)]
pub struct Shared {
    pub name: *const c_char,
    pub name_length: usize,
    pub size: u64,
    pub alignment: u64,
}

const _: () = assert!(size_of::<Binding>() == 40 && size_of::<Global>() == 48);
const _: () = assert!(size_of::<Shared>() == 32);

/// Declares the table of entry points and how to fill it.
macro_rules! entry_points {
    ($($field:ident: fn($($argument:ty),* $(,)?) $(-> $result:ty)?;)*) => {
        /// Addresses of the shim's functions.
        pub struct EntryPoints {
            $(pub $field: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
        }

        impl EntryPoints {
            /// # Safety
            /// `find` gives the address of the shim's function of that name, or null.
            pub unsafe fn new(find: impl Fn(&str) -> *mut c_void) -> Option<EntryPoints> {
                Some(EntryPoints {
                    $($field: {
                        let address = find(concat!("luthier_codegen_", stringify!($field)));
                        if address.is_null() {
                            return None;
                        }
                        // SAFETY: the caller vouches that this is the function, whose C signature is the field's type.
                        unsafe {
                            std::mem::transmute::<
                                *mut c_void,
                                unsafe extern "C" fn($($argument),*) $(-> $result)?,
                            >(address)
                        }
                    },)*
                })
            }
        }
    };
}

entry_points! {
    load: fn(*const u8, usize, DiagnosticSink, *mut c_void) -> *mut Module;
    link: fn(*const *const u8, *const usize, usize, TextSink, *mut c_void, DiagnosticSink, *mut c_void) -> c_int;
    module_destroy: fn(*mut Module);
    functions: fn(*const Module, TextSink, *mut c_void);
    records: fn(*const Module, TextSink, *mut c_void);
    global_count: fn(*const Module) -> u32;
    global_at: fn(*const Module, u32, *mut Global) -> c_int;
    job_create: fn(*const c_char, usize, *const c_char, usize) -> *mut Job;
    job_destroy: fn(*mut Job);
    job_parameter: fn(*mut Job, u32, u32, u32, u64);
    job_attribute: fn(*mut Job, *const c_char, usize, *const c_char, usize);
    job_pin: fn(*mut Job, u32, u32);
    job_place: fn(*mut Job, *const c_char, usize, u32);
    job_options: fn(*mut Job, c_int, c_int, c_int, u32, c_int, c_int, c_int);
    compile: fn(*mut Module, *mut Job, *const c_char, usize, DiagnosticSink, *mut c_void) -> c_int;
    object: fn(*const Job, *mut usize) -> *const u8;
    binding_count: fn(*const Job) -> u32;
    binding_at: fn(*const Job, u32, *mut Binding) -> c_int;
    stack: fn(*const Job) -> u64;
    source: fn(*const Job, *mut usize, *mut u32) -> *const c_char;
    shared_count: fn(*const Job) -> u32;
    shared_at: fn(*const Job, u32, *mut Shared) -> c_int;
    constant_count: fn(*const Job) -> u32;
    constant_at: fn(*const Job, u32, *mut Global) -> c_int;
}
