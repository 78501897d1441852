//! How Python comes to the functions.

use std::{cell::UnsafeCell, ffi::CStr, os::raw::c_int, ptr};

use pyo3::{
    Borrowed, ffi,
    prelude::*,
    types::{PyAny, PyCFunction, PyModule, PyTuple},
};

use crate::{calls::FUNCTIONS, error::contained};

/// A function for Python: positional arguments, any object back.
pub type Function = fn(&Bound<'_, PyTuple>) -> PyResult<Py<PyAny>>;

struct Definition(UnsafeCell<ffi::PyModuleDef>);

// SAFETY: Python alone touches it, attached to the interpreter.
unsafe impl Sync for Definition {}

struct Slots(UnsafeCell<[ffi::PyModuleDef_Slot; 2]>);

// SAFETY: Python alone touches it, attached to the interpreter.
unsafe impl Sync for Slots {}

static SLOTS: Slots = Slots(UnsafeCell::new([
    ffi::PyModuleDef_Slot {
        slot: ffi::Py_mod_exec,
        value: fill as *mut _,
    },
    ffi::PyModuleDef_Slot {
        slot: 0,
        value: ptr::null_mut(),
    },
]));

static DEFINITION: Definition = Definition(UnsafeCell::new(ffi::PyModuleDef {
    m_base: ffi::PyModuleDef_HEAD_INIT,
    m_name: c"luthier._luthier".as_ptr(),
    m_doc: ptr::null(),
    m_size: 0,
    m_methods: ptr::null_mut(),
    m_slots: SLOTS.0.get().cast(),
    m_traverse: None,
    m_clear: None,
    m_free: None,
}));

/// The function that Python calls first when it imports the module.
#[unsafe(no_mangle)]
pub extern "C" fn PyInit__luthier() -> *mut ffi::PyObject {
    // SAFETY: the definition lives as long as the process, and Python calls this attached to the interpreter.
    unsafe { ffi::PyModuleDef_Init(DEFINITION.0.get()) }
}

/// Puts the functions into the fresh module; -1 with an exception set if that fails.
extern "C" fn fill(module: *mut ffi::PyObject) -> c_int {
    Python::attach(|py| {
        let filled = contained(|| {
            // SAFETY: Python lends us the module that it made of `DEFINITION`.
            let module = unsafe { Borrowed::from_ptr(py, module) };
            let module = module.cast::<PyModule>()?;
            FUNCTIONS
                .iter()
                .try_for_each(|(name, function)| add(&module, name, *function))
        });
        match filled {
            Ok(()) => 0,
            Err(error) => {
                error.restore(py);
                -1
            }
        }
    })
}

fn add(module: &Bound<'_, PyModule>, name: &'static CStr, function: Function) -> PyResult<()> {
    let call = PyCFunction::new_closure(module.py(), Some(name), None, move |arguments, _| {
        contained(|| function(arguments))
    })?;
    module.add(name.to_str().unwrap_or_default(), call)
}
