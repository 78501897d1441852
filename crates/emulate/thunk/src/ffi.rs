//! Pointers of the C interface, wrapped so that the bodies of calls need no unsafe code.

use std::{env, sync::OnceLock};

use kmt_sys::thunk::Status;

use crate::report::report;

pub type Result<T = ()> = std::result::Result<T, Status>;

/// A pointer through which the caller receives one or several values. May be null and misaligned.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Out<T>(*mut T);

impl<T: Copy> Out<T> {
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// Stores `value`.
    pub fn put(self, value: T) -> Result {
        self.put_at(0, value)
    }

    /// Stores the element `index` of an array that the caller says is long enough.
    pub fn put_at(self, index: usize, value: T) -> Result {
        if self.0.is_null() {
            return Err(Status::InvalidParameter);
        }
        // SAFETY: the interface obliges the caller to pass memory for the value; misalignment is allowed for.
        unsafe { self.0.add(index).write_unaligned(value) };
        Ok(())
    }

    /// Stores `value` unless the pointer is null.
    pub fn put_if_wanted(self, value: T) {
        if !self.0.is_null() {
            let _ = self.put(value);
        }
    }

    /// The value the caller left there.
    pub fn get(self) -> Result<T> {
        In(self.0.cast_const()).get()
    }

    /// The address itself.
    pub fn address(self) -> u64 {
        self.0 as u64
    }
}

/// A pointer through which the caller passes one or several values. May be null and misaligned.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct In<T>(*const T);

impl<T: Copy> In<T> {
    pub fn get(self) -> Result<T> {
        if self.0.is_null() {
            return Err(Status::InvalidParameter);
        }
        // SAFETY: the interface obliges the caller to pass a value; misalignment is allowed for.
        Ok(unsafe { self.0.read_unaligned() })
    }

    /// The `count` values of an array.
    pub fn list(self, count: usize) -> Result<Vec<T>> {
        if count == 0 {
            return Ok(Vec::new());
        }
        if self.0.is_null() || count > 1 << 20 {
            return Err(Status::InvalidParameter);
        }
        // SAFETY: the interface obliges the caller to pass `count` values; misalignment is allowed for.
        Ok((0..count)
            .map(|index| unsafe { self.0.add(index).read_unaligned() })
            .collect())
    }
}

/// Runs the body of the call `name`; a panic becomes an error instead of unwinding into C++.
pub fn guard(name: &str, body: impl FnOnce() -> Result) -> u32 {
    let status = match guest::contain(body, || ()) {
        Some(Ok(())) => Status::Success,
        Some(Err(status)) => status,
        None => Status::Error,
    };
    if traced() {
        report(&format!("luthier: {name}: {status:?}"));
    }
    status as u32
}

/// `LUTHIER_TRACE_CALLS`: whether the user wants to see what the runtime asks for and how it is answered.
pub fn traced() -> bool {
    static TRACED: OnceLock<bool> = OnceLock::new();
    *TRACED.get_or_init(|| env::var_os("LUTHIER_TRACE_CALLS").is_some_and(|value| value != "0"))
}

impl<T> From<Out<T>> for In<T> {
    fn from(out: Out<T>) -> In<T> {
        In(out.0.cast_const())
    }
}
