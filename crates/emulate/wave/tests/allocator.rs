//! The allocator hears of each call of its functions, by whichever instruction control goes there.

use std::sync::{
    Mutex,
    atomic::{AtomicBool, Ordering},
};

use gfx::Target;
use wave::{
    AddressSpace, Allocator, Counts, Env, HeapCall, Memory, Program, Range, Stop, Wave, run, step,
};

use crate::harness::{Everything, MODE, Outside, assemble, plain};

/// Offset of the function in [`code`].
const FUNCTION: u64 = 4;
/// Its bytes, at most, and the address of the kernel's original.
const FUNCTION_SIZE: u64 = 32;
const ORIGINAL: u64 = 32;
/// The address that it returns, and the size that it is asked for.
const CALL: (u64, u64) = (64, 24);

/// A kernel that calls a function once. The function returns 64, and goes back to its own start once.
fn code(call: &str, goes_back: &str) -> Vec<u8> {
    assemble(
        Target::find("gfx90a").unwrap(),
        64,
        &format!(
            "s_branch start
             function: s_sub_u32 s9, s9, 1
             s_cmp_eq_u32 s9, 0
             s_cbranch_scc1 function
             v_mov_b32_e32 v0, 64
             v_mov_b32_e32 v1, 0
             {goes_back}
             start: s_mov_b32 s9, 1
             v_mov_b32_e32 v0, 24
             v_mov_b32_e32 v1, 0
             {call}
             behind: s_endpgm"
        ),
    )
    .unwrap()
}

struct Account {
    function: u64,
    /// It is known once code has appeared.
    is_known: AtomicBool,
    calls: Mutex<Vec<(u64, u64)>>,
}

impl Allocator for Account {
    fn code_appears(&self) {
        self.is_known.store(true, Ordering::Relaxed);
    }
    fn function(&self, pc: u64) -> Option<HeapCall> {
        let is_it = pc == self.function && self.is_known.load(Ordering::Relaxed);
        is_it.then_some(HeapCall::Allocate)
    }
    /// The function, the kernel around it, and the kernel's original, which lies elsewhere.
    fn owner(&self, pc: u64) -> Option<u32> {
        match pc.wrapping_sub(self.function) {
            0..FUNCTION_SIZE => Some(1),
            _ if (ORIGINAL..ORIGINAL + 8).contains(&pc) => Some(0),
            _ if self.is_known.load(Ordering::Relaxed) => Some(0),
            _ => None,
        }
    }
    fn allocated(&self, address: u64, size: u64) {
        self.calls.lock().unwrap().push((address, size));
    }
    fn freed(&self, _: u64) -> bool {
        unreachable!("nothing frees memory")
    }
}

struct Space(Account);

impl AddressSpace for Space {
    fn generation(&self) -> u64 {
        0
    }
    fn find(&self, address: u64) -> Option<Range> {
        Everything.find(address)
    }
    fn allocator(&self) -> Option<&dyn Allocator> {
        Some(&self.0)
    }
}

/// The calls that one lane makes, as they are heard of; by [`run`], or instruction by instruction.
fn heard(call: &str, goes_back: &str, steps: bool) -> Vec<(u64, u64)> {
    let target = Target::find("gfx90a").unwrap();
    let code = code(call, goes_back);
    let entry = code.as_ptr().expose_provenance() as u64;
    let space = Space(Account {
        function: entry + FUNCTION,
        is_known: AtomicBool::new(false),
        calls: Mutex::default(),
    });
    let config = plain(target, 64, 8);
    let program = Program::new(config, isa::Decoder::new(target).unwrap());
    let mut memory = Memory::new(&space);
    let segment = program.segment(&mut memory, entry).unwrap();
    let mut wave = Wave::new(segment, 8, 64, MODE);
    wave.set_exec(1);
    let mut env = Env {
        memory,
        lds: Vec::new(),
        barrier: Default::default(),
        races: None,
        shadow: None,
        program: &program,
        host: &Outside::default(),
        counts: Counts::new(),
        watch: None,
    };
    let stop = match steps {
        true => std::iter::repeat_with(|| step(&mut wave, &mut env)).find_map(|stop| stop),
        false => Some(run(&mut wave, &mut env, 1_000)),
    };
    assert_eq!(stop, Some(Stop::End), "{call}");
    assert!(!wave.is_in_allocator(), "{call}");
    space.0.calls.into_inner().unwrap()
}

const RETURN: &str = "s_setpc_b64 s[30:31]";

#[test]
fn every_kind_of_call_is_heard() {
    let returns = "s_getpc_b64 s[30:31]
         here: s_add_u32 s30, s30, behind-here
         s_addc_u32 s31, s31, 0";
    for call in [
        "s_getpc_b64 s[4:5]
         base: s_sub_u32 s4, s4, base-function
         s_subb_u32 s5, s5, 0
         s_swappc_b64 s[30:31], s[4:5]",
        "s_call_b64 s[30:31], function",
        &format!("{returns}\ns_branch function"),
        &format!("{returns}\ns_cmp_eq_u32 s9, s9\ns_cbranch_scc1 function"),
    ] {
        for steps in [false, true] {
            assert_eq!(heard(call, RETURN, steps), [CALL], "{call}");
        }
    }
    assert!(heard("s_branch behind", RETURN, false).is_empty());
}

/// Code with hooks hands the address of the original over, and comes back by a branch.
#[test]
fn returns_by_branches_are_heard() {
    let call = format!("s_mov_b64 s[30:31], {ORIGINAL}\ns_branch function");
    for goes_back in [
        "s_branch behind".to_owned(),
        format!("s_cmp_eq_u32 s30, {ORIGINAL}\ns_cbranch_scc1 behind"),
    ] {
        for steps in [false, true] {
            assert_eq!(heard(&call, &goes_back, steps), [CALL], "{goes_back}");
        }
    }
}
