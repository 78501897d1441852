//! Raw profiles from anywhere: no panic, and whatever is read is written so that it reads the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rawprof::{emit, merge, parse, subtract};

fuzz_target!(|bytes: &[u8]| {
    let _ = rawprof::names::decode(bytes);
    let Ok(profiles) = parse(bytes) else { return };
    for mut profile in profiles {
        let written = emit(&profile).expect("what is read can be written");
        let again = parse(&written).expect("what is written can be read");
        // Byte counters and uniform counters of some records only are brought into the one form that is written.
        let rewritten = emit(&again[0]).expect("what is read can be written");
        assert_eq!(written, rewritten);
        let copy = profile.clone();
        if merge(&mut profile, &copy).is_ok() {
            parse(&emit(&profile).expect("sums can be written")).expect("sums can be read");
            let _ = subtract(&profile, &copy);
        }
    }
});
