//! Seconds to lift every kernel of rocRAND, or of a file named on the command line, decoding included, on all processors; and
//! processor time, which other programs that run meanwhile do not change. `cargo bench -p lift -- only` leaves plain decoding
//! out, for profiles.

use codeobj::CodeObject;
use lift::Module;
use std::time::{Duration, Instant};

fn main() {
    let mut files = std::env::args()
        .skip(1)
        .filter(|argument| argument.contains('/'));
    let library = || "/usr/lib/x86_64-linux-gnu/librocrand.so.1".to_owned();
    let path = files.next().unwrap_or_else(library);
    let Ok(bytes) = std::fs::read(&path) else {
        eprintln!("{path} is missing; install librocrand1 or run ./dev setup");
        return;
    };
    let contents = codeobj::walk(&bytes).expect("a library with code objects");
    let only = std::env::args().any(|argument| argument == "only");
    let (mut decoding, mut lifting, mut code, mut insts) = (Duration::ZERO, Duration::ZERO, 0, 0);
    let mut busy = 0.0;
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
            if !only {
                insts += decoder.decode_all(section.data, section.address).count();
            }
            code += section.data.len();
        }
        decoding += start.elapsed();
        let (start, before) = (Instant::now(), processor_seconds());
        let module = Module::lift(&object).expect("a linked code object");
        lifting += start.elapsed();
        busy += processor_seconds() - before;
        std::hint::black_box(module);
    }
    let megabytes = code as f64 / 1e6;
    println!(
        "{megabytes:.1} MB of code, {insts} instructions: decoding alone {decoding:.2?}, lifting {lifting:.2?}; per 20 MB \
         {:.2} s, and {:.2} s of processor time",
        lifting.as_secs_f64() / megabytes * 20.0,
        busy / megabytes * 20.0
    );
}

/// User time of all threads of the process so far, in steps of 10 ms.
fn processor_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let behind_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks = behind_name.split_whitespace().nth(11);
    ticks.and_then(|ticks| ticks.parse().ok()).unwrap_or(0.0) / 100.0
}
