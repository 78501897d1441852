use isa::*;
use std::collections::BTreeMap;
#[path = "../tests/common/mod.rs"]
mod common;
fn main() {
    let host = std::fs::read("/usr/lib/x86_64-linux-gnu/librocrand.so.1.1").unwrap();
    for name in ["gfx900", "gfx906", "gfx908", "gfx90a", "gfx1030"] {
        let target = gfx::Target::find(name).unwrap();
        let t = std::time::Instant::now();
        let d = Decoder::new(target).unwrap();
        let create = t.elapsed();
        let objs = common::bundled_code_objects(&host, name);
        let secs: Vec<_> = objs.iter().flat_map(|o| common::code_sections(o)).collect();
        for round in 0..2 {
            let t = std::time::Instant::now();
            let mut n = 0u64;
            let mut bad = 0u64;
            for (pc, code) in &secs {
                for i in d.decode_all(code, *pc) {
                    match i {
                        Ok(_) => n += 1,
                        Err(_) => bad += 1,
                    }
                }
            }
            println!(
                "{name} create {create:?} objs {} round {round} n {n} bad {bad} {:?} ns/inst {}",
                objs.len(),
                t.elapsed(),
                t.elapsed().as_nanos() as u64 / (n + bad).max(1)
            );
        }
    }
    let _: BTreeMap<u8, u8>;
}
