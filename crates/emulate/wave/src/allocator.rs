//! Functions by which kernels allocate memory themselves: `malloc` and `free`, as compilers link them into code objects.
//!
//! The account of such memory is told of each call. The functions themselves reach memory between blocks, which the
//! kernel's own code does not.

use crate::{Env, Fault, FaultKind, Stop, Wave, state::LANES};

/// The effect of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeapCall {
    /// It gets sizes, and returns addresses.
    Allocate,
    /// It gets addresses.
    Free,
}

/// Keeps account of the memory that kernels allocate.
pub trait Allocator: Send + Sync {
    /// Code is about to be decoded that no wave has executed. It may have functions that were not known before.
    fn code_appears(&self);
    /// The effect of the function that begins at an address, if it is one of these.
    fn function(&self, pc: u64) -> Option<HeapCall>;
    /// A number of the function that code at an address belongs to, if it is known. Its copies with hooks have the same number.
    fn owner(&self, pc: u64) -> Option<u32>;
    /// A block was given to a lane.
    fn allocated(&self, address: u64, size: u64);
    /// A lane frees a block. False: there is none that begins at this address, or it was freed before.
    fn freed(&self, address: u64) -> bool;
}

/// A call by a wave that has not returned.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    request: HeapCall,
    returns_to: u64,
    /// The owner of that place. Code with hooks calls with the address of the original, and comes back to the copy.
    caller: Option<u32>,
    lanes: u64,
    arguments: Box<[u64; LANES]>,
}

/// An address without code.
const NOWHERE: u64 = 0;
/// The low word of the address that a function returns to, by the calling convention of LLVM.
const RETURN_ADDRESS: usize = 30;
/// The row with the low words of the first argument and of the result, by the same convention.
const FIRST: usize = 0;

impl Wave {
    /// True if the wave executes one of the functions, or a callee of one.
    pub fn is_in_allocator(&self) -> bool {
        self.allocates.is_some()
    }

    /// Control goes to [`Wave::next_pc`], by a jump through a register, or by a branch to another function. It goes nowhere if the wave
    /// frees what it may not free.
    #[inline(always)]
    pub(crate) fn jumps(&mut self, env: &mut Env<'_>) {
        if env.program.config().ordered {
            env.memory.settle_stores();
        }
        if env.memory.has_allocator() {
            self.may_call(env);
        }
    }

    #[cold]
    #[inline(never)]
    fn may_call(&mut self, env: &mut Env<'_>) {
        let Some(allocator) = env.memory.allocator() else {
            return;
        };
        let next = self.next_pc;
        let is_back = |call: &mut Call| {
            call.returns_to == next || call.caller.is_some() && call.caller == allocator.owner(next)
        };
        match self.allocates.take_if(is_back) {
            Some(call) => {
                if call.request == HeapCall::Allocate {
                    let results = self.first_values();
                    for lane in lanes(call.lanes) {
                        if results[lane] != 0 {
                            allocator.allocated(results[lane], call.arguments[lane]);
                        }
                    }
                }
                env.memory.refresh();
            }
            None if self.allocates.is_none() => {
                let Some(request) = allocator.function(self.next_pc) else {
                    return;
                };
                let arguments = Box::new(self.first_values());
                let exec = self.exec();
                if request == HeapCall::Free {
                    let mut freed = lanes(exec).filter(|lane| arguments[*lane] != 0);
                    if let Some(lane) = freed.find(|lane| !allocator.freed(arguments[*lane])) {
                        self.stop(Stop::Fault(Fault {
                            kind: FaultKind::WrongFree,
                            address: arguments[lane],
                            bytes: 0,
                            lane: lane as u32,
                        }));
                        self.next_pc = NOWHERE;
                        return;
                    }
                }
                let returns_to = self.scalar64(RETURN_ADDRESS);
                self.allocates = Some(Call {
                    request,
                    returns_to,
                    caller: allocator.owner(returns_to),
                    lanes: exec,
                    arguments,
                });
            }
            None => {}
        }
        env.memory.be_in_allocator(self.allocates.is_some());
    }

    /// The 64-bit words in the first two vector registers.
    fn first_values(&self) -> [u64; LANES] {
        std::array::from_fn(|lane| {
            let word = |row: usize| self.rows.get(row).map_or(0, |row| row.0[lane]);
            u64::from(word(FIRST)) | u64::from(word(FIRST + 1)) << 32
        })
    }
}

fn lanes(mask: u64) -> impl Iterator<Item = usize> {
    (0..LANES).filter(move |lane| mask >> lane & 1 != 0)
}
