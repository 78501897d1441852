//! Errors of the crates, and panics, as exceptions.

use std::{
    any::Any,
    fmt::Display,
    panic::{AssertUnwindSafe, catch_unwind},
};

use pyo3::{exceptions::PyRuntimeError, prelude::*};

/// The class of `luthier._errors` that an error becomes.
#[derive(Clone, Copy, Debug)]
pub enum Class {
    Error,
    /// A kernel that the device stopped.
    Fault,
    /// A kernel that did not end in time.
    Endless,
}

impl Class {
    fn name(self) -> &'static str {
        match self {
            Class::Error => "Error",
            Class::Fault => "Fault",
            Class::Endless => "Endless",
        }
    }
}

/// The exception that says `error`.
pub fn exception(py: Python<'_>, class: Class, error: impl Display) -> PyErr {
    let text = error.to_string();
    let made = py
        .import("luthier._errors")
        .and_then(|module| module.getattr(class.name()))
        .and_then(|class| class.call1((text.as_str(),)));
    match made {
        Ok(value) => PyErr::from_value(value),
        Err(_) => PyRuntimeError::new_err(text),
    }
}

/// Shorthand for errors of the crates.
pub trait OrRaise<T> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T>;
}

impl<T, E: Display> OrRaise<T> for Result<T, E> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|error| exception(py, Class::Error, error))
    }
}

/// Runs `work`; a panic becomes an exception, too.
pub fn contained<T>(work: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = format!("a mistake in Luthier, please report it: {}", said(&*panic));
        Err(PyRuntimeError::new_err(text))
    })
}

fn said(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("it panicked")
}
