//! The cost of one dispatch in the engine alone, by number of known kernels and of threads.

#[allow(dead_code, reason = "tests use the rest")]
#[path = "../tests/common/mod.rs"]
mod common;

use std::{sync::Arc, time::Instant};

use common::{config, launch, object, start, variant};
use session::Identity;

const LAUNCHES: u32 = 200_000;

fn main() {
    let bytes = object(&[]);
    println!("{:<24} {:>8} {:>14}", "dispatch", "threads", "ns each");
    for (name, settings) in [
        ("instrumented", &[][..]),
        ("not selected", &[("LUTHIER_KERNEL", "^none$")]),
        ("launch not selected", &[("LUTHIER_LAUNCH", "1")]),
    ] {
        for threads in [1, 2] {
            let (session, _) = start(&bytes, config(settings), Arc::new(Identity));
            let dispatch = launch(&bytes, "scale");
            let first = variant(session.dispatch(&dispatch));
            assert_eq!(first.is_some(), name != "not selected");
            let began = Instant::now();
            std::thread::scope(|scope| {
                for queue in 0..threads {
                    let session = &session;
                    let mut dispatch = dispatch;
                    dispatch.queue = queue;
                    scope.spawn(move || {
                        (0..LAUNCHES).for_each(|_| {
                            std::hint::black_box(session.dispatch(&dispatch));
                        });
                    });
                }
            });
            let each = began.elapsed().as_nanos() as f64 / f64::from(LAUNCHES) / threads as f64;
            println!("{name:<24} {threads:>8} {each:>14.1}");
        }
    }
}
