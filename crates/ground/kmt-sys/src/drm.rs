//! Commands of the render nodes (amdgpu's part of DRM), as libdrm passes them to the kernel.

use aql::assert_layout;

/// Numbers of commands.
#[rustfmt::skip]
pub mod command {
    pub const CTX:         u32 = 0x02;
    pub const BO_LIST:     u32 = 0x03;
    pub const CS:          u32 = 0x04;
    pub const WAIT_CS:     u32 = 0x09;
    pub const WAIT_FENCES: u32 = 0x12;
}

/// Operations of [`Context`].
pub mod context {
    pub const ALLOCATE: u32 = 1;
    pub const FREE: u32 = 2;
    pub const STATE: u32 = 3;
    pub const STATE2: u32 = 4;
}

/// Arguments of `CTX`. The answer to an allocation is the context's number, in the first four bytes; to a question 16 bytes of state.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Context {
    pub operation: u32,
    pub flags: u32,
    pub context: u32,
    pub priority: i32,
}
assert_layout!(Context, 16, { context @ 8, priority @ 12 });

/// Operations of [`BufferList`].
pub mod list {
    pub const CREATE: u32 = 0;
    pub const DESTROY: u32 = 1;
    pub const UPDATE: u32 = 2;
}

/// Arguments of `BO_LIST`. The answer is the list's number, in the first four bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct BufferList {
    pub operation: u32,
    pub list: u32,
    pub count: u32,
    pub entry_size: u32,
    /// Address of [`ListEntry`]s.
    pub entries: u64,
}
assert_layout!(BufferList, 24, { count @ 8, entry_size @ 12, entries @ 16 });

#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct ListEntry {
    pub buffer: u32,
    pub priority: u32,
}
assert_layout!(ListEntry, 8, { priority @ 4 });

/// Arguments of `CS`. The answer is the submission's number, in the first eight bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Submit {
    pub context: u32,
    pub list: u32,
    pub chunk_count: u32,
    pub flags: u32,
    /// Address of addresses of [`Chunk`]s.
    pub chunks: u64,
}
assert_layout!(Submit, 24, { chunk_count @ 8, flags @ 12, chunks @ 16 });

/// Kinds of chunks.
#[rustfmt::skip]
pub mod chunk {
    pub const IB:           u32 = 1;
    pub const FENCE:        u32 = 2;
    pub const DEPENDENCIES: u32 = 3;
    pub const BUFFERS:      u32 = 6;
    pub const SCHEDULED:    u32 = 7;
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Chunk {
    pub kind: u32,
    pub dwords: u32,
    pub data: u64,
}
assert_layout!(Chunk, 16, { dwords @ 4, data @ 8 });

/// A buffer of commands to run.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Commands {
    pub pad: u32,
    pub flags: u32,
    pub address: u64,
    pub bytes: u32,
    pub kind: u32,
    pub instance: u32,
    pub ring: u32,
}
assert_layout!(Commands, 32, { address @ 8, bytes @ 16, kind @ 20, instance @ 24, ring @ 28 });

/// Kinds of rings.
#[rustfmt::skip]
pub mod ring {
    pub const GRAPHICS: u32 = 0;
    pub const COMPUTE:  u32 = 1;
    pub const DMA:      u32 = 2;
}

/// A submission that another waits for: the data of a chunk of dependencies.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Dependency {
    pub kind: u32,
    pub instance: u32,
    pub ring: u32,
    pub context: u32,
    pub number: u64,
}
assert_layout!(Dependency, 24, { context @ 12, number @ 16 });

/// The same where submissions are waited for together.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Fence {
    pub context: u32,
    pub kind: u32,
    pub instance: u32,
    pub ring: u32,
    pub number: u64,
}
assert_layout!(Fence, 24, { kind @ 4, number @ 16 });

/// Arguments of `WAIT_CS`. The answer is 0 in the first eight bytes where the submission is done, else 1.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Wait {
    pub number: u64,
    /// When to give up: nanoseconds of the monotonic clock.
    pub deadline: u64,
    pub kind: u32,
    pub instance: u32,
    pub ring: u32,
    pub context: u32,
}
assert_layout!(Wait, 32, { deadline @ 8, kind @ 16, context @ 28 });

/// Arguments of `WAIT_FENCES`. The answer is whether they are done, and the first that is, in the first eight bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct WaitFences {
    /// Address of [`Fence`]s.
    pub fences: u64,
    pub count: u32,
    pub all: u32,
    pub deadline: u64,
}
assert_layout!(WaitFences, 24, { count @ 8, all @ 12, deadline @ 16 });
