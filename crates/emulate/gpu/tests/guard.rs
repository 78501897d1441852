//! Faults of the host: those inside guarded work are told to it, all others reach the application's handlers.

use std::{
    ffi::c_void,
    process::Command,
    ptr,
    sync::atomic::{AtomicU64, Ordering},
};

use gpu::guard::{guarded, guarded_parts, install};

const PAGE: usize = 4096;

fn page() -> *mut u8 {
    let (flags, rights) = (
        libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
        libc::PROT_READ | libc::PROT_WRITE,
    );
    // SAFETY: a new mapping.
    let page = unsafe { libc::mmap(ptr::null_mut(), PAGE, rights, flags, -1, 0) };
    assert_ne!(page, libc::MAP_FAILED);
    page.cast()
}

/// From now on accesses fault. (What is unmapped, another test's mapping may take the place of.)
fn forbid(page: *mut u8) {
    // SAFETY: the mapping is this test's own, and only its address refers to it.
    let result = unsafe { libc::mprotect(page.cast(), PAGE, libc::PROT_NONE) };
    assert_eq!(result, 0);
}

#[test]
fn work_ends_where_memory_is_gone() {
    install();
    let page = page();
    // SAFETY: mapped.
    let read = |_: &mut ()| unsafe { page.add(8).cast::<u64>().read_volatile() };
    assert_eq!(guarded(&mut (), read), Ok(0));
    forbid(page);
    for _ in 0..3 {
        let fault = guarded(&mut (), read).unwrap_err();
        assert_eq!((fault.address, fault.write), (page as u64 + 8, false));
    }
}

#[test]
fn writes_to_protected_memory_are_told_apart_and_what_was_on_the_way_is_found() {
    install();
    let page = page();
    // SAFETY: the mapping is this test's own.
    unsafe { libc::mprotect(page.cast(), PAGE, libc::PROT_READ) };
    let marker = 0x1234_5678_0000_u64;
    let range = marker..marker + 100;
    let fault = guarded_parts(&mut 0u64, |kept, scene| {
        scene.enter(3, range);
        let hidden = std::hint::black_box(marker + 42);
        // SAFETY: faults, which is what it is for.
        unsafe { page.write_volatile(1) };
        *kept = std::hint::black_box(hidden);
    });
    let fault = fault.unwrap_err();
    assert_eq!(
        (fault.address, fault.write, fault.part),
        (page as u64, true, 3)
    );
    assert!(fault.words.contains(&(marker + 42)), "{fault:?}");
    forbid(page);
}

#[test]
fn panics_go_through_and_guards_nest() {
    install();
    let page = page();
    forbid(page);
    let panic = std::panic::catch_unwind(|| guarded(&mut (), |_| panic!("on purpose")));
    assert!(panic.is_err());
    let outer = guarded(&mut (), |_| {
        // SAFETY: faults.
        let inner = guarded(&mut (), |_| unsafe { page.read_volatile() });
        assert!(inner.is_err());
        7
    });
    assert_eq!(outer, Ok(7));
}

static SEEN: AtomicU64 = AtomicU64::new(0);

/// Not a test by itself: what the next one starts, with faults of its own.
#[test]
fn role() {
    let Ok(role) = std::env::var("GUARD_TEST_ROLE") else {
        return;
    };
    extern "C" fn handler(_: libc::c_int, info: *mut libc::siginfo_t, _: *mut c_void) {
        // SAFETY: the kernel's arguments.
        let address = unsafe { (*info).si_addr() } as u64;
        SEEN.store(address, Ordering::Release);
        // SAFETY: makes the page of the fault usable, so that the program goes on.
        unsafe {
            let page = (address & !(PAGE as u64 - 1)) as *mut c_void;
            libc::mprotect(page, PAGE, libc::PROT_READ | libc::PROT_WRITE);
        }
    }
    let own = || {
        // SAFETY: `sigaction` structures are plain data.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = handler as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO;
            libc::sigaction(libc::SIGSEGV, &action, ptr::null_mut());
        }
    };
    let page = page();
    let protect = || {
        // SAFETY: the mapping is this test's own.
        unsafe { libc::mprotect(page.cast(), PAGE, libc::PROT_NONE) }
    };
    match role.as_str() {
        "handler" => {
            own();
            install();
            protect();
            // SAFETY: the handler makes it usable.
            unsafe { page.add(5).write_volatile(9) };
            assert_eq!(SEEN.load(Ordering::Acquire), page as u64 + 5);
            // The handler does not see faults of guarded work.
            SEEN.store(0, Ordering::Release);
            protect();
            // SAFETY: faults.
            let fault = guarded(&mut (), |_| unsafe { page.read_volatile() });
            assert!(fault.is_err() && SEEN.load(Ordering::Acquire) == 0);
            std::process::exit(42);
        }
        _ => {
            install();
            protect();
            // SAFETY: ends the process.
            unsafe { page.read_volatile() };
        }
    }
}

#[test]
fn other_faults_are_the_applications() {
    use std::os::unix::process::ExitStatusExt;
    let run = |role| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command
            .args(["--exact", "guard::role"])
            .env("GUARD_TEST_ROLE", role);
        command.output().unwrap()
    };
    let handled = run("handler");
    assert_eq!(handled.status.code(), Some(42), "{handled:?}");
    assert_eq!(run("none").status.signal(), Some(libc::SIGSEGV));
}
