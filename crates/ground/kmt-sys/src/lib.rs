//! Binary layouts shared with ROCm's user-mode stack: the thunk interface (`libhsakmt`), and what a packet processor
//! reads from memory (queues, signals, AQL packets).
//!
//! Entry modules: [`thunk`] (structs passed to `hsaKmt*` functions, packed to 4 bytes), [`kfd`] (the driver's commands), [`drm`] (the render nodes'),
//! [`aql`] (queues, signals and packets), [`door`] (between the two libraries that stand in for the driver). Data
//! definitions only: no function is declared or called here. Every size and offset is pinned by a const assertion and compared
//! with Debian's C headers by a test.
#![forbid(unsafe_code)]

pub mod aql;
pub mod door;
pub mod drm;
pub mod kfd;
pub mod thunk;

/// Fails the build unless each named field lies at the given byte offset and the struct has the given size.
#[macro_export]
macro_rules! assert_layout {
    ($type:ty, $size:literal, { $($field:ident @ $offset:literal),* $(,)? }) => {
        const _: () = {
            assert!(::core::mem::size_of::<$type>() == $size);
            $(assert!(::core::mem::offset_of!($type, $field) == $offset);)*
        };
    };
}
