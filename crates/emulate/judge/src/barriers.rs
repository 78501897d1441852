//! Judges what waves meet at barriers.

use std::sync::Arc;

use compute::{Gate, Meeting, Outlook, There, WaveThere};
use gpu::Dispatch;

/// The kinds of wrong meetings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Wrong {
    /// Waves wait, and nothing will ever let them go on.
    Deadlock,
    /// Waves of one workgroup are at different instructions.
    DifferentBarriers,
    /// Lanes are off at a barrier. It is certain that they have missed it if they take part in the next one.
    MissedByLanes,
    /// Waves have ended before.
    MissedByEnded,
    /// A wave arrives twice before the barrier opens.
    ArrivedTwice,
}

/// Something wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unmet<'m> {
    pub wrong: Wrong,
    pub certain: bool,
    /// The barrier's instruction.
    pub pc: u64,
    /// The other one that it has to do with.
    pub other: Option<u64>,
    pub meeting: &'m Meeting,
}

/// Is told of what is wrong, by any thread.
pub trait MeetingSink: Send + Sync {
    /// A kernel whose waves come to barriers in an unusual way.
    fn unmet(&self, dispatch: &Dispatch, found: &Unmet<'_>);
}

/// Judges meetings.
pub struct Barriers(Arc<dyn MeetingSink>);

impl Barriers {
    pub fn new(sink: Arc<dyn MeetingSink>) -> Barriers {
        Barriers(sink)
    }
}

impl Gate for Barriers {
    fn met(&self, dispatch: &Arc<Dispatch>, meeting: &Meeting) {
        judge(meeting, &mut |found| self.0.unmet(dispatch, &found));
    }
}

/// Tells of all that is wrong with a meeting.
fn judge<'m>(meeting: &'m Meeting, tell: &mut dyn FnMut(Unmet<'m>)) {
    let mut tell = |wrong, certain, pc, other| {
        tell(Unmet {
            wrong,
            certain,
            pc,
            other,
            meeting,
        });
    };
    let of = |state: There| meeting.waves.iter().filter(move |one| one.state == state);
    let (waits, arrived) = (of(There::WaitsOnly), of(There::AtBarrier));
    if meeting.outlook != Outlook::Opens {
        if let Some(first) = waits.chain(arrived).next() {
            // The host may still change what waves wait for.
            let certain = meeting.outlook == Outlook::Stuck;
            let polling = of(There::PollsMemory).next().filter(|_| !certain);
            tell(
                Wrong::Deadlock,
                certain,
                first.pc,
                polling.map(|one| one.pc),
            );
        }
        return;
    }
    if let Some(one) = of(There::Again).next() {
        // It has opened too early, so that who is there says nothing.
        tell(Wrong::ArrivedTwice, true, one.pc, None);
        return;
    }
    let at = || arrived.clone().map(|one| one.pc);
    let (Some(low), Some(high)) = (at().min(), at().max()) else {
        return;
    };
    if low != high {
        tell(Wrong::DifferentBarriers, true, low, Some(high));
    }
    let first = |is: fn(&&WaveThere) -> bool| arrived.clone().find(is);
    if let Some(one) = first(|one| one.returned.0 != 0) {
        tell(Wrong::MissedByLanes, true, one.returned.1, Some(one.pc));
    }
    if let Some(one) = first(|one| one.absent != 0) {
        tell(Wrong::MissedByLanes, false, one.pc, None);
    }
    if let Some(ended) = of(There::Ended).next() {
        tell(Wrong::MissedByEnded, false, low, Some(ended.pc));
    }
}
