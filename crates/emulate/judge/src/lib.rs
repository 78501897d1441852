//! Judges the waits of waves while the emulated device runs them.
//!
//! * [`Waits`] watches waves at full speed. The effect of a stretch of code on the outstanding operations of a wave is
//!   computed once and looked up from then on, so that a stretch costs a wave one look-up.
//! * [`Late`] looks at waves before each instruction, and lets the results of loads and of LDS come when the wave has
//!   waited for them, not before. A missing wait then changes the kernel's results.
//!
//! * [`Barriers`] looks at what the waves of a workgroup meet at barriers, and tells a [`MeetingSink`].
//!
//! The first two tell a [`Sink`] of each place where a wait is missing, and how often. This is the only crate that knows both the
//! rules of `hazard` and the engine; neither of them knows the other.
#![forbid(unsafe_code)]

mod barriers;
mod late;
mod rules;
mod waits;

pub use barriers::{Barriers, MeetingSink, Unmet, Wrong};
pub use hazard::{Conflict, Unwaited};
pub use late::Late;
pub use rules::Sink;
pub use waits::Waits;
