//! The functions that the emulated device's library exports for tools in the same process, besides the functions of the driver's library.

use std::ffi::{CStr, c_void};

/// The library has the name of the one that it stands in for. The driver's own library has none of the functions below.
pub const LIBRARY: &CStr = c"libhsakmt.so.1";

/// Name of a [`TellRunning`].
pub const TELL_RUNNING: &CStr = c"luthier_tell_running";
/// Tells the user on standard error which kernels run.
pub type TellRunning = unsafe extern "C" fn();

/// Name of a [`RunningPlaces`].
pub const RUNNING_PLACES: &CStr = c"luthier_running_places";
/// Calls the function with the second argument for every wave that can be seen, on the same thread.
pub type RunningPlaces = unsafe extern "C" fn(Seen, *mut c_void);
/// Is told of waves: the pointer that was given, the kernel object, how many bytes behind the kernel's first instruction they are, and how
/// many they are.
pub type Seen = unsafe extern "C" fn(*mut c_void, u64, i64, u64);
