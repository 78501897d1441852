//! The Rust interface.

use std::ffi::{c_int, c_void};
use std::marker::PhantomData;

#[repr(C)]
#[derive(Clone, Copy)]
struct RawStop {
    budget: u64,
    used: u64,
}

#[repr(C)]
struct RawAction {
    struct_size: usize,
    kind: c_int,
    callback: Option<extern "C" fn(*const RawStop, *mut c_void) -> u64>,
    raise: Option<extern "C" fn(*const RawStop, *mut c_void)>,
    jump: *mut c_void,
    context: *mut c_void,
}

const CALLBACK: c_int = 1;

unsafe extern "C" {
    fn luthier_count_now() -> u64;
    fn luthier_count_process() -> u64;
    fn luthier_count_push_budget(units: u64, action: *const RawAction) -> c_int;
    fn luthier_count_pop_budget() -> u64;
    fn luthier_count_refill(units: u64) -> c_int;
    fn luthier_count_left() -> u64;
}

/// Units executed by this thread.
pub fn now() -> u64 {
    // SAFETY: takes nothing, reads this thread's counter.
    unsafe { luthier_count_now() }
}

/// Units executed by all threads of the process.
pub fn process() -> u64 {
    // SAFETY: takes nothing; the runtime locks its list of threads.
    unsafe { luthier_count_process() }
}

/// Counts from its creation.
#[derive(Debug)]
pub struct Scope {
    begin: u64,
    _this_thread: PhantomData<*const ()>,
}

impl Scope {
    /// Begins to count.
    #[allow(clippy::new_without_default)] // A scope begins where it is written, not by default.
    pub fn new() -> Scope {
        Scope {
            begin: now(),
            _this_thread: PhantomData,
        }
    }

    /// Units since creation.
    pub fn units(&self) -> u64 {
        now() - self.begin
    }
}

/// The state when a budget was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stop {
    /// The budget, refills included.
    pub budget: u64,
    /// The units that were used; at least `budget`.
    pub used: u64,
}

type AtLimit = Box<dyn FnMut(Stop) -> u64>;

/// A budget for this thread until it is dropped.
///
/// At the limit the closure decides: it returns how many more units to grant, or 0 to end the process with a message and
/// status 124. It must not panic: unwinding out of the limit is not supported in Rust programs.
pub struct Budget {
    // Boxed: the runtime holds its address.
    at_limit: Box<AtLimit>,
    _this_thread: PhantomData<*const ()>,
}

impl Budget {
    /// Pushes a budget; `None` if too many are nested.
    pub fn new(units: u64, at_limit: impl FnMut(Stop) -> u64 + 'static) -> Option<Budget> {
        let mut at_limit: Box<AtLimit> = Box::new(Box::new(at_limit));
        let action = RawAction {
            struct_size: size_of::<RawAction>(),
            kind: CALLBACK,
            callback: Some(call_back),
            raise: None,
            jump: std::ptr::null_mut(),
            context: (&raw mut *at_limit).cast(),
        };
        // SAFETY: the action is copied; its context lives in a box that `Budget` keeps until the budget is popped.
        let pushed = unsafe { luthier_count_push_budget(units, &action) } == 0;
        pushed.then_some(Budget {
            at_limit,
            _this_thread: PhantomData,
        })
    }

    /// Grants more.
    pub fn refill(&mut self, units: u64) {
        // SAFETY: takes a number; -1 (no budget) cannot happen while `self` lives.
        unsafe { luthier_count_refill(units) };
    }

    /// The rest of the innermost budget.
    pub fn left(&self) -> u64 {
        // SAFETY: takes nothing.
        unsafe { luthier_count_left() }
    }
}

impl Drop for Budget {
    fn drop(&mut self) {
        // SAFETY: budgets are dropped in reverse order of creation on the thread that made them (not `Send`).
        unsafe { luthier_count_pop_budget() };
        let _ = &self.at_limit;
    }
}

extern "C" fn call_back(stop: *const RawStop, context: *mut c_void) -> u64 {
    // SAFETY: the runtime passes a live stop and the context given at push, a `Box<AtLimit>`'s address; the budget, and
    // with it the box, lives until it is popped.
    let (stop, at_limit) = unsafe { (&*stop, &mut *context.cast::<AtLimit>()) };
    at_limit(Stop {
        budget: stop.budget,
        used: stop.used,
    })
}
