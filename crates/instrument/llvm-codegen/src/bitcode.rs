//! One LLVM module of a tool.

use crate::{
    Diagnostic, Error, ffi,
    library::{collect, collect_bytes, collect_text, entry_points, text},
};
use std::{mem::MaybeUninit, ptr::NonNull};

/// A parsed module. `Send`, not `Sync`.
pub struct Bitcode {
    handle: NonNull<ffi::Module>,
}

// SAFETY: the handle owns its LLVM context, which has no thread affinity.
unsafe impl Send for Bitcode {}

/// A variable of the tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Global {
    pub name: String,
    /// Bytes.
    pub size: u64,
    /// Bytes.
    pub alignment: u64,
    /// `size` bytes; `None` when all are zero.
    pub initial: Option<Vec<u8>>,
    /// False for a declaration: another module defines it.
    pub defined: bool,
}

/// A call that appends a record to a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Appended {
    /// Name of the variable of type `luthier::ring`.
    pub ring: String,
    /// Bytes of one record.
    pub bytes: u64,
}

impl Bitcode {
    /// Parses one bitcode file (LLVM 22 and older) or LLVM assembly text.
    pub fn parse(bytes: &[u8]) -> Result<Bitcode, Error> {
        let shim = entry_points()?;
        let mut diagnostics: Vec<Diagnostic> = Vec::new();
        // SAFETY: the bytes live through the call; `collect` matches the vector behind `user`.
        let handle = unsafe {
            (shim.load)(
                bytes.as_ptr(),
                bytes.len(),
                collect,
                (&raw mut diagnostics).cast(),
            )
        };
        let handle = NonNull::new(handle).ok_or(Error::Refused(diagnostics))?;
        Ok(Bitcode { handle })
    }

    /// Symbols of the functions defined here, kernels left out.
    pub fn functions(&self) -> Result<Vec<String>, Error> {
        let shim = entry_points()?;
        let mut names: Vec<String> = Vec::new();
        // SAFETY: the handle is live; `collect_text` matches the vector behind `user`.
        unsafe { (shim.functions)(self.handle.as_ptr(), collect_text, (&raw mut names).cast()) };
        Ok(names)
    }

    /// The lengths of the records that functions here append to rings, as far as they name the ring.
    pub fn records(&self) -> Result<Vec<Appended>, Error> {
        let shim = entry_points()?;
        let mut lines: Vec<String> = Vec::new();
        // SAFETY: the handle is live; `collect_text` matches the vector behind `user`.
        unsafe { (shim.records)(self.handle.as_ptr(), collect_text, (&raw mut lines).cast()) };
        let appended = lines.iter().filter_map(|line| {
            let (ring, bytes) = line.rsplit_once(' ')?;
            Some(Appended {
                ring: ring.to_owned(),
                bytes: bytes.parse().ok()?,
            })
        });
        Ok(appended.collect())
    }

    /// The tool's variables in device memory.
    pub fn globals(&self) -> Result<Vec<Global>, Error> {
        let shim = entry_points()?;
        // SAFETY: the handle is live.
        let count = unsafe { (shim.global_count)(self.handle.as_ptr()) };
        let mut globals = Vec::new();
        for index in 0..count {
            let mut global = MaybeUninit::<ffi::Global>::uninit();
            // SAFETY: the handle is live; on success the structure is filled and its pointers live as long as the module.
            let global = unsafe {
                if (shim.global_at)(self.handle.as_ptr(), index, global.as_mut_ptr()) == 0 {
                    break;
                }
                global.assume_init()
            };
            // SAFETY: `initial` is null or has `size` bytes, see cxx/codegen.h.
            let initial = (!global.initial.is_null()).then(|| unsafe {
                std::slice::from_raw_parts(global.initial, global.size as usize).to_vec()
            });
            globals.push(Global {
                // SAFETY: the name lives as long as the module.
                name: unsafe { text(global.name, global.name_length) },
                size: global.size,
                alignment: global.alignment,
                initial,
                defined: global.defined != 0,
            });
        }
        Ok(globals)
    }

    pub(crate) fn handle(&self) -> *mut ffi::Module {
        self.handle.as_ptr()
    }
}

/// One bitcode file of several, which may use each other's functions and variables.
pub fn link(units: &[&[u8]]) -> Result<Vec<u8>, Error> {
    let shim = entry_points()?;
    let pointers: Vec<*const u8> = units.iter().map(|unit| unit.as_ptr()).collect();
    let lengths: Vec<usize> = units.iter().map(|unit| unit.len()).collect();
    let (mut linked, mut diagnostics) = (Vec::<u8>::new(), Vec::<Diagnostic>::new());
    // SAFETY: as many units as both lists have, which live through the call; the callbacks match the vectors behind them.
    let good = unsafe {
        (shim.link)(
            pointers.as_ptr(),
            lengths.as_ptr(),
            units.len(),
            collect_bytes,
            (&raw mut linked).cast(),
            collect,
            (&raw mut diagnostics).cast(),
        )
    };
    match good {
        0 => Err(Error::Refused(diagnostics)),
        _ => Ok(linked),
    }
}

impl Drop for Bitcode {
    fn drop(&mut self) {
        if let Ok(shim) = entry_points() {
            // SAFETY: the handle came from `load` and is dropped once.
            unsafe { (shim.module_destroy)(self.handle.as_ptr()) }
        }
    }
}
