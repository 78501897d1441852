//! A shadow follows what instructions do to something that registers and memory have beside their values, such as whether they were ever set.
//!
//! Each instruction of a program with a planner has a micro-op in front that shows the wave to the shadow of its workgroup. Programs without
//! a planner have none.

use isa::Inst;

use crate::{
    Config, Wave,
    engine::Env,
    micro_op::{Followed, MicroOp, flow},
    shell::{self, Body},
};

/// Is shown each instruction once, when it is decoded.
pub trait Planner: Send + Sync {
    /// The number that [`Shadow::before`] gets whenever the instruction is executed; `None` if the shadow need not see it.
    fn plan(&self, config: &Config, inst: &Inst) -> Option<u32>;
}

/// Follows the waves of one workgroup.
pub trait Shadow: std::fmt::Debug + Send {
    /// The wave is about to execute the instruction of `plan`.
    fn before(&mut self, wave: &Wave, plan: u32);
    /// The same for a shadow that changes the wave, or the LDS of its workgroup, first. Returns `true` if it has changed EXEC, as
    /// [`Wave::set_sgpr`] does.
    fn change(&mut self, wave: &mut Wave, _lds: &mut [u8], plan: u32) -> bool {
        self.before(wave, plan);
        false
    }
}

struct Follow;

impl Body for Follow {
    #[inline(always)]
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        if let Some(shadow) = &mut env.shadow
            && shadow.change(wave, &mut env.lds, op.followed().plan)
        {
            return flow::EXEC_CHANGED;
        }
        flow::NEXT
    }
}

/// The micro-op in front of an instruction.
pub(crate) fn follow(plan: u32) -> MicroOp {
    MicroOp::new(shell::scalar_handler::<Follow>()).with(Followed::new(plan))
}
