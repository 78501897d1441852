//! Threads of the program that wait for the GPU sleep, and its doorbells wake the device.
//!
//! HIP asks ROCr to spin until a kernel has ended, unless the program wants otherwise. On a GPU that costs a processor which has nothing
//! else to do. Here it takes the processor from the kernel that is waited for. The state of waiting is a hint by definition, so ROCr's own
//! waits are called with the hint to sleep: they spin for 200 us, then wait for the event. Before that this library polls the signal for a
//! moment and yields the processor in between. Small kernels end within that time. Without the yield, a thread of the device that was
//! woken on the same processor would not run before the spinning is over. Since version 6 HIP also makes signals without an event, because
//! none of its threads is meant to sleep; they are given one. `luthier run` names this library as a tool of ROCr, which hands its tables
//! to tools.
//!
//! Doorbells are plain memory, which the packet processor looks at less often the longer nothing has come. HIP rings them by ROCr's
//! table, too: then the processor is told, and a launch after a pause need not wait for its next look.

use std::{
    ffi::c_char,
    mem::offset_of,
    sync::atomic::{AtomicI64, Ordering},
    thread,
    time::Instant,
};

use aql::USER_SIGNAL;
use guest::contain;
use hsa_sys::{
    Handle, Status,
    constants::{SIGNAL_GPU_ONLY, WAIT_BLOCKED, status},
    layouts::amd_offset,
    tables::{
        AmdSignalCreate, AmdTable, ApiTable, CoreTable, SignalStore, SignalValuePointer,
        SignalWait, covers,
    },
};
use hsa_tool::Original;

use crate::{
    exact,
    instance::{instance, is_forked_child},
    report::report,
};

/// ROCr's own waits.
static ACQUIRE: Original<SignalWait> = Original::new();
static RELAXED: Original<SignalWait> = Original::new();
/// ROCr's own store, of those by which HIP rings doorbells.
static STORE: Original<SignalStore> = Original::new();
/// ROCr's own way of making signals.
static CREATE: Original<AmdSignalCreate> = Original::new();
/// ROCr's own way of telling where a signal's value is.
static POINTER: Original<SignalValuePointer> = Original::new();

/// Nanoseconds, in which ROCr counts too, that a signal is looked at before ROCr waits.
const LOOK: u64 = 100_000;
/// The time for which ROCr spins before it sleeps.
const SPIN: u64 = 200_000;
/// ROCr sleeps for whole ones of these.
const MILLISECOND: u64 = 1_000_000;
/// How much more than [`SPIN`] ROCr's clock may show when it goes to sleep. It is less than the time by which a sleep is too long.
const MARGIN: u64 = 20_000;

/// ROCr calls this at the end of `hsa_init`.
///
/// # Safety
/// `table` must be null or the runtime's API table.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn OnLoad(
    table: *mut ApiTable,
    _runtime_version: u64,
    _failed_count: u64,
    _failed_names: *const *const c_char,
) -> bool {
    // SAFETY: the caller's promise.
    contain(|| unsafe { connect(table) }, || ());
    true
}

/// # Safety
/// The caller must keep the rules of [`OnLoad`].
unsafe fn connect(table: *mut ApiTable) {
    // SAFETY: the runtime passes its tables, which live until the process ends. It does not use them while it loads tools.
    let Some(table) = (unsafe { table.as_ref() }) else {
        return;
    };
    // SAFETY: as before.
    let Some(core) = (unsafe { table.core.as_mut() }) else {
        return;
    };
    if covers(&core.version, offset_of!(CoreTable, signal_wait_scacquire)) {
        RELAXED.replace(&mut core.signal_wait_relaxed, relaxed);
        ACQUIRE.replace(&mut core.signal_wait_scacquire, acquire);
    }
    if covers(&core.version, offset_of!(CoreTable, signal_store_screlease)) {
        STORE.replace(&mut core.signal_store_screlease, ring);
    }
    // SAFETY: as before.
    unsafe { give_events(table.amd) };
    // SAFETY: as before.
    unsafe { exact::watch(table.core, table.amd) };
}

/// Replaces the entry by which signals without events are made.
///
/// # Safety
/// `amd` is null or AMD's table, as long as its version says.
unsafe fn give_events(amd: *mut AmdTable) {
    if amd.is_null() {
        return;
    }
    // SAFETY: every table begins with its version.
    let version = unsafe { (*amd).version };
    let Some(offset) = amd_offset(&version, offset_of!(AmdTable, signal_create)) else {
        report(&format!(
            "luthier: AMD's table of this HSA runtime is not known (version {}, {} bytes, step {}): threads that wait for the GPU \
             may spin; please report it with the runtime's version",
            version.major, version.minor, version.step
        ));
        return;
    };
    let Some(pointer) = amd_offset(&version, offset_of!(AmdTable, signal_value_pointer)) else {
        return;
    };
    // SAFETY: the table reaches beyond both entries, which are functions of these types or empty.
    let (create, pointer) = unsafe {
        (
            &mut *amd.byte_add(offset).cast::<Option<AmdSignalCreate>>(),
            &mut *amd.byte_add(pointer).cast::<Option<SignalValuePointer>>(),
        )
    };
    // Signals with events have no value pointer in ROCr's eyes, so one entry does not go without the other.
    if create.is_some() && pointer.is_some() {
        CREATE.replace(create, create_signal);
        POINTER.replace(pointer, value_pointer);
    }
}

/// A store to a signal; doorbells make the device look.
unsafe extern "C" fn ring(signal: Handle, value: i64) {
    // This is read before the store, because after it a waiting thread may destroy the signal. SAFETY: a signal's handle is its address,
    // and the caller may store to it.
    let is_doorbell = signal != 0
        && unsafe { (&raw const (*(signal as *const aql::Signal)).kind).read_volatile() } < 0;
    // SAFETY: the caller of the entry passed these arguments, and they go on unchanged.
    unsafe { STORE.behind()(signal, value) };
    if is_doorbell && let Ok(instance) = instance() {
        contain(|| instance.machine.ring(), || ());
    }
}

/// ROCr refuses this for signals with an event, because a plain store does not wake their waiters. A caller that made a signal without an
/// event does not expect a refusal, and `hipMallocSignalMemory` depends on this.
unsafe extern "C" fn value_pointer(signal: Handle, result: *mut *mut i64) -> Status {
    // SAFETY: the caller of the entry passed these arguments, and they go on unchanged.
    let status = unsafe { POINTER.behind()(signal, result) };
    if status == status::SUCCESS || signal == 0 || result.is_null() {
        return status;
    }
    let object = signal as *const aql::Signal;
    // SAFETY: a signal's handle is the address of one, and the caller owns this one; the result is the caller's memory.
    unsafe {
        if (&raw const (*object).kind).read_volatile() != USER_SIGNAL {
            return status;
        }
        result.write((&raw const (*object).value).cast_mut());
    }
    status::SUCCESS
}

unsafe extern "C" fn create_signal(
    value: i64,
    count: u32,
    consumers: *const Handle,
    attributes: u64,
    signal: *mut Handle,
) -> Status {
    let create = CREATE.behind();
    // SAFETY: the caller of the entry passed these arguments. Only the attributes differ, which are a number.
    unsafe {
        create(
            value,
            count,
            consumers,
            attributes & !SIGNAL_GPU_ONLY,
            signal,
        )
    }
}

unsafe extern "C" fn acquire(
    signal: Handle,
    condition: u32,
    value: i64,
    time: u64,
    _state: u32,
) -> i64 {
    sleep(&ACQUIRE, signal, condition, value, time)
}

unsafe extern "C" fn relaxed(
    signal: Handle,
    condition: u32,
    value: i64,
    time: u64,
    _state: u32,
) -> i64 {
    sleep(&RELAXED, signal, condition, value, time)
}

fn sleep(own: &Original<SignalWait>, signal: Handle, condition: u32, value: i64, time: u64) -> i64 {
    refuse_in_child();
    // SAFETY: the caller waits for this signal, so it exists.
    let passed = unsafe { look(signal, condition, value, time) };
    // There is no end to the longest time.
    let time = if time == u64::MAX {
        time
    } else {
        whole(time.saturating_sub(passed))
    };
    // SAFETY: the caller of the entry passed these arguments. Only the state of waiting differs, which is a hint.
    unsafe { own.behind()(signal, condition, value, time, WAIT_BLOCKED) }
}

/// The time of a wait, which is a hint, changed so that ROCr spins only at the beginning and then sleeps. ROCr would also spin for the rest
/// after whole milliseconds: HIP 7 waits for four of them again and again, which cost a fifth of a processor.
fn whole(time: u64) -> u64 {
    if time < MILLISECOND {
        return time;
    }
    let asleep = time
        .saturating_sub(SPIN)
        .checked_next_multiple_of(MILLISECOND);
    asleep.map_or(time, |asleep| asleep.saturating_add(SPIN + MARGIN))
}

/// Looks at a signal until it is as wanted, for [`LOOK`] or `time` at most. Nanoseconds that it took.
///
/// # Safety
/// `signal` is a signal's handle, or no time is given.
unsafe fn look(signal: Handle, condition: u32, value: i64, time: u64) -> u64 {
    if time == 0 || signal == 0 {
        return 0;
    }
    let object = signal as *const aql::Signal;
    // SAFETY: a signal's handle is the address of one.
    if unsafe { (&raw const (*object).kind).read_volatile() } != USER_SIGNAL {
        return 0;
    }
    let began = Instant::now();
    loop {
        // SAFETY: as before; all parties access the value atomically.
        let found = unsafe { AtomicI64::from_ptr((&raw const (*object).value).cast_mut()) };
        let passed = began.elapsed().as_nanos() as u64;
        if holds(found.load(Ordering::Relaxed), condition, value) || passed >= time.min(LOOK) {
            return passed;
        }
        thread::yield_now();
    }
}

/// Returns `true` if a signal that is `found` is as wanted. ROCr knows what to do about conditions that do not exist.
fn holds(found: i64, condition: u32, value: i64) -> bool {
    match condition {
        0 => found == value,
        1 => found != value,
        2 => found < value,
        3 => found >= value,
        _ => true,
    }
}

/// A forked child shares neither the device's threads nor its memory with its parent, so nothing would ever come of waiting. ROCr has no
/// error for it.
fn refuse_in_child() {
    if is_forked_child() {
        report(&format!(
            "luthier: process {} was forked from one that had opened the GPU, and cannot use it: open the GPU after forking, or \
             start the child with exec",
            std::process::id()
        ));
        std::process::abort();
    }
}

#[cfg(test)]
mod tests {
    use std::{mem, ptr};

    use super::*;

    const WAIT_ACTIVE: u32 = 1;

    #[test]
    fn times_are_whole_milliseconds_behind_the_spinning() {
        for (asked, given) in [
            (0, 0),
            (100_000, 100_000),
            (1_000_000, 1_220_000),
            (3_900_000, 4_220_000),
            (4_220_000, 5_220_000),
            (u64::MAX - 1, u64::MAX - 1),
        ] {
            assert_eq!(whole(asked), given, "{asked}");
        }
    }

    /// Says how it was called, in decimal places.
    unsafe extern "C" fn runtime(
        _: Handle,
        condition: u32,
        value: i64,
        time: u64,
        state: u32,
    ) -> i64 {
        let digits = [condition.into(), value as u64, time, state.into()];
        digits
            .iter()
            .fold(0, |number, digit| 10 * number + *digit as i64)
    }

    /// Stores the attributes it was called with as the signal.
    unsafe extern "C" fn created(
        value: i64,
        count: u32,
        _: *const Handle,
        attributes: u64,
        signal: *mut Handle,
    ) -> Status {
        // SAFETY: the test passes memory for it.
        unsafe { signal.write(attributes) };
        value as Status + count
    }

    const REFUSED: Status = 0x1001;

    unsafe extern "C" fn refuses(_: Handle, _: *mut *mut i64) -> Status {
        REFUSED
    }

    /// The tables are as those of ROCr 5.2, 5.7 and 6.4, which have the entries elsewhere.
    #[test]
    fn every_signal_has_an_event() {
        const LONGEST: usize = 74;
        for (major, bytes, index, pointer) in [(1, 400, 31, 43), (1, 456, 33, 45), (2, 592, 33, 45)]
        {
            let mut words = [0_usize; LONGEST];
            words[2 + index] = created as AmdSignalCreate as usize;
            words[2 + pointer] = refuses as SignalValuePointer as usize;
            let amd: *mut AmdTable = words.as_mut_ptr().cast();
            for _ in 0..2 {
                // SAFETY: the memory is as long as the version says.
                unsafe {
                    (*amd).version.major = major;
                    (*amd).version.minor = bytes;
                    give_events(amd);
                }
            }
            // SAFETY: the entry that was just replaced.
            let entry: AmdSignalCreate = unsafe { mem::transmute(words[2 + index]) };
            let mut signal = 0;
            // SAFETY: arguments as the runtime passes them.
            let status = unsafe { entry(40, 2, ptr::null(), 3, &mut signal) };
            assert_eq!((status, signal), (42, 2));
            // SAFETY: as before; integers only, for which zeros are valid.
            let (entry, mut object): (SignalValuePointer, aql::Signal) = unsafe {
                (
                    mem::transmute::<usize, SignalValuePointer>(words[2 + pointer]),
                    mem::zeroed(),
                )
            };
            for (kind, expected) in [(-1, REFUSED), (USER_SIGNAL, status::SUCCESS)] {
                object.kind = kind;
                let mut found = ptr::null_mut();
                // SAFETY: the object is a signal.
                let status = unsafe { entry(&raw const object as Handle, &mut found) };
                assert_eq!(status, expected);
                let value = (&raw const object.value).cast_mut();
                assert_eq!(found == value, status == status::SUCCESS);
            }
        }
    }

    /// The last value that [`stores`] was called with.
    static STORED: std::sync::atomic::AtomicI64 = std::sync::atomic::AtomicI64::new(0);

    unsafe extern "C" fn stores(_: Handle, value: i64) {
        STORED.store(value, Ordering::Relaxed);
    }

    #[test]
    fn stores_reach_the_runtime_whether_they_ring_or_not() {
        // SAFETY: zeros are addresses, functions that are not there, and integers.
        let (mut core, mut table, mut object): (CoreTable, ApiTable, aql::Signal) =
            unsafe { mem::zeroed() };
        core.version.minor = size_of::<CoreTable>() as u32;
        core.signal_store_screlease = Some(stores);
        table.core = &mut core;
        for _ in 0..2 {
            // SAFETY: the table is valid, and a second call is what a second `hsa_init` would be.
            assert!(unsafe { OnLoad(&mut table, 0, 0, ptr::null()) });
            let store = core.signal_store_screlease.expect("an entry");
            for (kind, value) in [(USER_SIGNAL, 5), (-1, 6), (-2, 7)] {
                object.kind = kind;
                // SAFETY: the object is a signal.
                unsafe { store(&raw const object as Handle, value) };
                assert_eq!(STORED.load(Ordering::Relaxed), value);
            }
        }
    }

    #[test]
    fn whoever_wants_to_spin_sleeps() {
        // SAFETY: zeros are addresses and functions that are not there.
        let mut core: CoreTable = unsafe { mem::zeroed() };
        core.version.minor = size_of::<CoreTable>() as u32;
        core.signal_wait_relaxed = Some(runtime);
        core.signal_wait_scacquire = Some(runtime);
        // SAFETY: as before.
        let mut table: ApiTable = unsafe { mem::zeroed() };
        table.core = &mut core;
        for _ in 0..2 {
            // SAFETY: the table is valid, and a second call is what a second `hsa_init` would be.
            assert!(unsafe { OnLoad(&mut table, 0, 0, ptr::null()) });
            for wait in [core.signal_wait_relaxed, core.signal_wait_scacquire] {
                // SAFETY: any arguments do if there is no time.
                let called = unsafe { wait.unwrap()(5, 2, 1, 0, WAIT_ACTIVE) };
                assert_eq!(called, 2_100, "{WAIT_BLOCKED} is the last digit");
            }
        }
    }

    #[test]
    fn signals_are_looked_at_for_a_moment() {
        // SAFETY: integers only, for which zeros are valid.
        let mut object: aql::Signal = unsafe { mem::zeroed() };
        object.kind = USER_SIGNAL;
        object.value = 7;
        let handle = &raw const object as Handle;
        for (condition, value, is_so) in [
            (0, 7, true),
            (0, 8, false),
            (1, 8, true),
            (1, 7, false),
            (2, 8, true),
            (2, 7, false),
            (3, 7, true),
            (3, 8, false),
        ] {
            assert_eq!(holds(7, condition, value), is_so);
            if !is_so {
                // SAFETY: the object is a signal.
                let [short, long] = [LOOK / 4, u64::MAX]
                    .map(|time| unsafe { look(handle, condition, value, time) });
                assert!(short >= LOOK / 4 && long >= LOOK, "{short} {long}");
            }
        }
        let began = Instant::now();
        // SAFETY: as before.
        unsafe { look(handle, 0, 7, u64::MAX) };
        assert!(began.elapsed().as_secs() < 5);
    }
}
