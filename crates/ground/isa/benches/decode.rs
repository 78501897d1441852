//! Decoding speed over the distribution's librocrand, and what making a decoder costs: `cargo bench -p isa`.

#[allow(dead_code, reason = "tests use the rest")]
#[path = "../tests/common/mod.rs"]
mod common;

use std::time::Instant;

use isa::Decoder;

const LIBRARY: &str = "/usr/lib/x86_64-linux-gnu/librocrand.so.1";

fn main() {
    let Ok(host) = std::fs::read(LIBRARY) else {
        eprintln!("skipped: {LIBRARY} is missing (Debian package librocrand1)");
        return;
    };
    println!("target     new decoder   instructions   first pass   later passes");
    for name in ["gfx900", "gfx906", "gfx908", "gfx90a", "gfx1030"] {
        let target = gfx::Target::find(name).expect("a target of the table");
        let began = Instant::now();
        let decoder = Decoder::new(target).expect("LLVM knows it");
        let made = began.elapsed();
        let sections: Vec<_> = common::bundled_code_objects(&host, name)
            .iter()
            .flat_map(|object| common::code_sections(object))
            .collect();
        // Nanoseconds per instruction, undecodable words included. The first pass learns the opcodes.
        let pass = || {
            let began = Instant::now();
            let decode = |(pc, code): &(u64, Vec<u8>)| decoder.decode_all(code, *pc).count();
            let count: usize = sections.iter().map(decode).sum();
            (
                count,
                began.elapsed().as_nanos() as f64 / count.max(1) as f64,
            )
        };
        let (count, first) = pass();
        let later = (0..3).map(|_| pass().1).fold(f64::INFINITY, f64::min);
        println!("{name:8} {made:>13.1?} {count:>14} {first:>9.0} ns {later:>11.0} ns");
    }
}
