//! Instructions are decoded in exit handlers too, behind the destructors of what this library has made: OpenMP programs of GCC
//! start a last kernel there.

use std::process;

use llvm_shim::{DecodedInst, Mc, WINDOW, assemble, made};

/// Returns `true` if `s_mov_b64 exec, 1` is an instruction.
fn decodes() -> bool {
    let mut code = [0; WINDOW];
    code[..4].copy_from_slice(&0xbefe_0181_u32.to_le_bytes());
    let mut decoder = Mc::new("gfx900", "").expect("gfx900 has a decoder");
    decoder.decode(&code, 0, &mut DecodedInst::new())
}

extern "C" fn at_exit() {
    // Freed memory keeps its contents until the next allocation gets it.
    let others: Vec<Vec<u8>> = (0..4000).map(|size| vec![0xff; size * 16]).collect();
    std::hint::black_box(&others);
    if !decodes() {
        eprintln!("nothing can be decoded any more");
        // SAFETY: ends the process without further handlers; other threads there are none.
        unsafe { libc::_exit(1) };
    }
}

/// Four of a kind: the fifth is dropped.
fn objects_are_kept_for_the_next_owner() {
    let before = made();
    assert!(decodes());
    assert!(assemble("gfx900", "", "s_endpgm").is_ok());
    assert!(assemble("gfx9999", "", "s_endpgm").is_err());
    assert_eq!(made() - before, 1, "only those of an unknown processor");
    for others in [5, 1, 1] {
        let before = made();
        let five: Vec<_> = (0..5)
            .map(|_| Mc::new("gfx1030", "").expect("a decoder"))
            .collect();
        assert_eq!(made() - before, others);
        drop(five);
    }
    // The oldest go if there are more kinds than are kept.
    for turn in 0..70 {
        let features = "+wavefrontsize64,".repeat(turn) + "+wavefrontsize64";
        let before = made();
        drop(Mc::new("gfx1100", &features).expect("a decoder"));
        assert_eq!(made() - before, 1, "{turn}");
    }
    let before = made();
    assert!(decodes());
    assert_eq!(made() - before, 1);
}

fn main() {
    // Handlers run in the order opposite to that of registration, so this one is the last.
    // SAFETY: the handler is a function of this program, which stays.
    let registered = unsafe { libc::atexit(at_exit) } == 0;
    if !registered || !decodes() {
        process::exit(2);
    }
    objects_are_kept_for_the_next_owner();
    // In the words of Rust's harness; the status says how it ended.
    println!(
        "test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s"
    );
}
