//! Kernel metadata: typed reading, and decode, encode, decode.
#![no_main]

use codeobj::Metadata;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(metadata) = Metadata::parse(data, 0) else { return };
    for kernel in metadata.kernels() {
        let _ = metadata.kernel(&kernel.name);
    }
    let _ = (metadata.printf(), metadata.version(), metadata.target());
    let written = metadata.encode();
    let again = Metadata::parse(&written, 0).expect("what we write can be read");
    assert_eq!(again.encode(), written);
});
