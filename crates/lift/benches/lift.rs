//! Seconds to lift every kernel of rocRAND, decoding included, on one thread.

use codeobj::CodeObject;
use lift::Module;
use std::time::{Duration, Instant};

fn main() {
    let path = "/usr/lib/x86_64-linux-gnu/librocrand.so.1";
    let Ok(bytes) = std::fs::read(path) else {
        eprintln!("{path} is missing; install librocrand1 or run ./dev setup");
        return;
    };
    let contents = codeobj::walk(&bytes).expect("a library with code objects");
    let (mut decoding, mut lifting, mut code, mut insts) = (Duration::ZERO, Duration::ZERO, 0, 0);
    for entry in contents.code_objects() {
        let Ok(object) = CodeObject::parse(&entry.bytes) else {
            continue;
        };
        let start = Instant::now();
        let decoder = isa::Decoder::new(object.target().target).expect("a known target");
        for section in object
            .elf()
            .sections
            .iter()
            .filter(|section| section.is_code())
        {
            insts += decoder.decode_all(section.data, section.address).count();
            code += section.data.len();
        }
        decoding += start.elapsed();
        let start = Instant::now();
        let module = Module::lift(&object).expect("a linked code object");
        lifting += start.elapsed();
        std::hint::black_box(module);
    }
    let megabytes = code as f64 / 1e6;
    println!(
        "{megabytes:.1} MB of code, {insts} instructions: decoding alone {decoding:.2?}, lifting {lifting:.2?}, {:.2} s per 20 MB",
        lifting.as_secs_f64() / megabytes * 20.0
    );
}
