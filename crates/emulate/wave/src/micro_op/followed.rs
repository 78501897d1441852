//! Instructions that a shadow is shown.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// The number of what the shadow does.
#[derive(Clone, Copy, Debug, Default, FromBytes, Immutable, IntoBytes, KnownLayout)]
#[repr(C)]
pub(crate) struct Followed {
    pub plan: u32,
    _reserved: [u32; 6],
}

impl Followed {
    pub fn new(plan: u32) -> Followed {
        Followed {
            plan,
            ..Followed::default()
        }
    }
}
