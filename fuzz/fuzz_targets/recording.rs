//! Recorded dispatches from anywhere: an error or a recording, and never a panic.
#![no_main]

use std::io::Write;

use libfuzzer_sys::fuzz_target;

thread_local! {
    static FILE: tempfile::NamedTempFile = tempfile::NamedTempFile::new().expect("a temporary file");
}

fuzz_target!(|data: &[u8]| {
    FILE.with(|file| {
        let mut open = std::fs::File::create(file.path()).expect("it may be written");
        open.write_all(data).expect("there is room");
        drop(open);
        if recording::is_one(file.path()).is_ok_and(|is_one| is_one) {
            let _ = recording::read(file.path());
        }
    });
});
