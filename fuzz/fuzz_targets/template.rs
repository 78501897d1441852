//! Built tools from anywhere: no panic, and whatever is read is written so that it reads the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use template::Bundle;

fuzz_target!(|data: &[u8]| {
    if let Ok(read) = Bundle::from_bytes(data)
        && let Ok(written) = read.to_bytes()
    {
        assert!(Bundle::from_bytes(&written).is_ok(), "what we write can be read");
    }
});
