//! Files inside a process that closes descriptors it does not know.

use std::{
    fs::{self, File},
    io::{Read, Seek, Write},
    os::fd::AsRawFd,
    sync::atomic::{AtomicBool, Ordering},
};

use guest::{Keeper, Kept};
use outputs::Output;

static KEEPER: Keeper = Keeper::new("keeper");

fn close_all_but_standard() {
    // SAFETY: this test's process has nothing else open that matters to it.
    unsafe { libc::syscall(libc::SYS_close_range, 3, u32::MAX, 0) };
}

/// One test, for it plays with the descriptors of the whole process.
#[test]
fn what_the_application_closes_and_opens_is_not_ours() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("records");
    let kept = {
        let path = path.clone();
        Kept::make(&KEEPER, move || Output::create(&path))
    };
    let mut kept = kept.unwrap().unwrap();
    let write = |kept: &mut Kept<Output>, text: &'static [u8]| {
        kept.with(move |output| output.write_all(text))
            .unwrap()
            .unwrap()
    };
    write(&mut kept, b"one ");
    close_all_but_standard();
    let theirs: Vec<File> = (0..16).map(|_| tempfile::tempfile().unwrap()).collect();
    write(&mut kept, b"two ");
    // Another thread does so all the time.
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                let file = tempfile::tempfile().unwrap();
                let number = file.as_raw_fd();
                drop(file);
                let next = tempfile::tempfile().unwrap();
                assert_eq!(next.metadata().unwrap().len(), 0, "{number}");
            }
        });
        for _ in 0..1000 {
            write(&mut kept, b".");
        }
        let text = guest::apart(|| fs::read_to_string("/proc/self/comm")).unwrap();
        assert!(!text.unwrap().is_empty());
        done.store(true, Ordering::Relaxed);
    });
    kept.take(Output::finish).unwrap().unwrap();
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!(text, format!("one two {}", ".".repeat(1000)));
    for mut file in theirs {
        let mut text = String::new();
        file.rewind().unwrap();
        file.read_to_string(&mut text).unwrap();
        assert_eq!(text, "");
    }
    // A panic is an error, and prints nothing into the application's files.
    assert!(KEEPER.run(|| panic!("on purpose")).is_err());
    assert_eq!(KEEPER.run(|| 3).unwrap(), 3);
    a_forked_child_has_a_thread_of_its_own(&folder.path().join("child"));
}

fn a_forked_child_has_a_thread_of_its_own(path: &std::path::Path) {
    let path = path.to_owned();
    // SAFETY: the child does a little and ends without returning.
    match unsafe { libc::fork() } {
        0 => {
            let done = KEEPER.run(move || outputs::write_whole(&path, b"child").is_ok());
            // SAFETY: ends the child.
            unsafe { libc::_exit(if done.is_ok_and(|done| done) { 0 } else { 1 }) }
        }
        child => {
            let mut status = -1;
            // SAFETY: waits for the child made above.
            unsafe { libc::waitpid(child, &raw mut status, 0) };
            assert_eq!(status, 0);
        }
    }
}
