//! Instructions whose results on a GPU may differ from those of the emulated one, because no public source fixes them.
//!
//! Everything else is exact: integers, bits, lanes, memory, conversions, and IEEE addition, multiplication, division and roots, which
//! compilers build from approximations whose last bit they correct.

use gfx::Target;
use isa::{Effects, Op, Traits};

/// Why a result is not exact.
pub struct Reason {
    pub name: &'static str,
    /// The guarantee that a user has.
    pub meaning: &'static str,
    holds: fn(&Target, Op, Effects) -> bool,
}

/// Targets whose matrix products follow published models, bit by bit.
const PUBLISHED: [&str; 3] = ["gfx908", "gfx90a", "gfx942"];

fn of_floats(op: Op) -> bool {
    let name = op.name();
    !name.starts_with("v_mfma_i32") && !name.starts_with("v_wmma_i32") && !name.contains("_i32_")
}

/// Every reason, the first that holds counts.
pub const REASONS: &[Reason] = &[
    Reason {
        name: "approximate",
        meaning: "the hardware's rounding is not published: the emulated GPU rounds correctly, a GPU may be one unit in the last place off (f64: about 29 bits)",
        holds: |_, _, effects| effects.contains(Effects::TRANSCENDENTAL),
    },
    Reason {
        name: "sums",
        meaning: "the order and the rounding of the additions within the instruction are not published for this target: last bits may differ",
        holds: |target, op, _| {
            let name = op.name();
            let product =
                op.product().is_some() && of_floats(op) && !PUBLISHED.contains(&target.name);
            product
                || name.starts_with("v_dot2") && !name.contains("_i32") && !name.contains("_u32")
        },
    },
    Reason {
        name: "order",
        meaning: "floating-point atomics add in the order in which waves come, here as on a GPU: last bits may differ from run to run",
        holds: |_, op, effects| {
            let name = op.name();
            let adds = ["add_f", "add_rtn_f", "pk_add"];
            effects.contains(Effects::ATOMIC) && adds.iter().any(|part| name.contains(part))
        },
    },
    Reason {
        name: "time and place",
        meaning: "clocks, and hardware registers that say where a wave runs: the values are the emulated GPU's own",
        holds: |_, op, _| {
            let asks = Traits::CLOCK | Traits::READS_HARDWARE | Traits::ANSWERED;
            op.has(asks)
        },
    },
];

/// Why the result is not exact; `None` if it is.
pub fn reason(target: &Target, op: Op, effects: Effects) -> Option<&'static str> {
    let mut reasons = REASONS.iter();
    let reason = reasons.find(|reason| (reason.holds)(target, op, effects));
    reason.map(|reason| reason.name)
}
