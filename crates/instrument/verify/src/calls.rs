//! The calls that a wave is in, and the registers that are live because of them.
//!
//! A register is live in a function if any of its callers needs it. The present caller may not, and then the register may hold anything.
//! Each wave therefore has a stack of the calls that it is in. A call pushes the place that it returns to, a return pops it, and a jump
//! into another function replaces only the function. The registers that are live after the call on top are those that are live when the
//! function returns. With these, liveness is solved again, once for each function and each such set. A recursion soon comes to the same
//! sets again.
//!
//! Nothing that is compared may differ: hooks keep what is live for any caller, which is never less.

use crate::{
    code::{Code, Site},
    digest::LiveRows,
    live::{self, Live, RegisterRows},
};
use emulate::Wave;
use lift::{FunctionIndex, Leave, LiveSet, Liveness, Module, RegisterSet};
use std::collections::HashMap;

/// Sets that are kept; a wave that needs another one is lost. Only kernels that are made to need so many do.
const MOST: usize = 4096;

/// One function for the sake of some of its callers.
struct Context {
    function: FunctionIndex,
    /// The registers that are live when it returns.
    at_return: LiveSet,
    liveness: Liveness,
    /// By number of the instruction, for blocks that were reached.
    before: Vec<Option<LiveBefore>>,
}

/// The registers that are live before an instruction.
pub struct LiveBefore {
    pub live: Live,
    pub rowed: LiveRows,
}

/// Number of a context.
type Number = usize;

/// A call that a wave is in.
#[derive(Clone, Copy, Debug)]
struct Frame {
    caller: Number,
    /// Its block that ends with the call.
    block: usize,
}

/// Of one wave.
#[derive(Clone, Debug, Default)]
pub struct Calls {
    /// None if the wave is lost: it came to where it was not to be expected.
    current: Option<Number>,
    frames: Vec<Frame>,
}

/// All that were needed.
#[derive(Default)]
pub struct Contexts {
    named: RegisterSet,
    each: Vec<Context>,
    by_function: HashMap<FunctionIndex, Vec<Number>>,
    /// For waves that are lost: at the end of the program, and elsewhere.
    lost: [Option<LiveBefore>; 2],
}

impl Contexts {
    pub fn new(code: &Code) -> Contexts {
        Contexts {
            named: live::named(&code.module, code.kernel),
            ..Contexts::default()
        }
    }

    /// A wave that was at `last` is before `site`.
    pub fn arrive(&mut self, code: &Code, calls: &mut Calls, last: Option<&Site>, site: &Site) {
        calls.current = match last {
            None if site.function == code.kernel => {
                self.find(&code.module, code.kernel, &LiveSet::EVERYTHING)
            }
            None => None,
            Some(last) if !last.leaves && last.function == site.function => return,
            Some(last) => self.follow(&code.module, calls, last, site),
        };
    }

    fn follow(
        &mut self,
        module: &Module,
        calls: &mut Calls,
        last: &Site,
        site: &Site,
    ) -> Option<Number> {
        let number = calls.current?;
        let block = &module.functions[last.function].blocks[last.block];
        let comes_behind = |function: FunctionIndex, block: usize| {
            let mut edges = module.functions[function].blocks[block].successors.iter();
            function == site.function && edges.any(|edge| edge.to == site.block)
        };
        let stays = comes_behind(last.function, last.block);
        let context = &self.each[number];
        if block.call.is_some() {
            if stays {
                // Back from code that is not looked at.
                return Some(number);
            }
            let behind = module.live_behind(block, &context.liveness, &context.at_return);
            calls.frames.push(Frame {
                caller: number,
                block: last.block,
            });
            return self.enter(module, site, &behind);
        }
        let may_return = |leave: &Leave| matches!(leave, Leave::Return | Leave::Anywhere);
        if let Some(&frame) = calls.frames.last()
            && block.leaves.iter().any(may_return)
            && comes_behind(self.each[frame.caller].function, frame.block)
        {
            calls.frames.pop();
            return Some(frame.caller);
        }
        if stays {
            return Some(number);
        }
        let at_return = context.at_return;
        self.enter(module, site, &at_return)
    }

    /// A function at its beginning.
    fn enter(&mut self, module: &Module, site: &Site, at_return: &LiveSet) -> Option<Number> {
        match site.block {
            0 => self.find(module, site.function, at_return),
            _ => None,
        }
    }

    fn find(
        &mut self,
        module: &Module,
        function: FunctionIndex,
        at_return: &LiveSet,
    ) -> Option<Number> {
        let known = self.by_function.entry(function).or_default();
        let same = |number: &&Number| self.each[**number].at_return == *at_return;
        if let Some(number) = known.iter().find(same) {
            return Some(*number);
        }
        let number = self.each.len();
        if number == MOST {
            return None;
        }
        known.push(number);
        let insts = module.functions[function].insts.len();
        self.each.push(Context {
            function,
            at_return: *at_return,
            liveness: module.liveness_returning(function, at_return),
            before: std::iter::repeat_with(|| None).take(insts).collect(),
        });
        Some(number)
    }

    /// The registers that are live where a wave has arrived.
    pub fn before(
        &mut self,
        code: &Code,
        calls: &Calls,
        site: &Site,
        rows: RegisterRows,
        wave: &Wave,
    ) -> &LiveBefore {
        let rowed = |live: Live| LiveBefore {
            rowed: LiveRows::new(&live, rows, wave),
            live,
        };
        let Some(number) = calls.current else {
            let exec = match site.ends {
                true => Live::default(),
                false => Live::exec_alone(),
            };
            return self.lost[usize::from(site.ends)].get_or_insert_with(|| rowed(exec));
        };
        let context = &mut self.each[number];
        if context.before[site.inst].is_none() {
            let function = &code.module.functions[context.function];
            let (liveness, before) = (&context.liveness, &mut context.before);
            liveness.walk(function, site.block, |inst, _, live| {
                let ends = function.insts.at(inst).effects.contains(isa::Effects::END);
                before[inst] = Some(rowed(Live::new(live, &self.named, ends)));
            });
        }
        context.before[site.inst].get_or_insert_with(|| rowed(Live::exec_alone()))
    }
}
