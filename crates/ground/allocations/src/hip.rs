//! Functions of HIP that give memory to the program, take it back and write it.
//!
//! Each passes its arguments on and tells what came of it. Nothing changes for the program, except that a stream comes to a
//! function of this crate before it frees memory.

use std::{
    ffi::{CStr, c_char, c_int, c_uint, c_void},
    sync::{
        LazyLock,
        atomic::{AtomicPtr, Ordering},
    },
};

use guest::{contain, library};

use crate::{
    boxes::{Copied, Extent, Pitched},
    facts::{self, Call, Kind, Rows},
    frees::{self, Frees},
    graphs,
    wrap::{self, Ours, Wrap, install},
};

mod streams;
mod written;

use streams::{in_order_of, is_recorded, tell_in_order};
use written::*;

type Error = c_int;
/// The place where HIP stores an address.
type Out = *mut u64;
type Opaque = *mut c_void;

const SUCCESS: Error = 0;
/// `hipErrorInvalidValue`
const INVALID: Error = 1;
/// `hipDeviceMallocDefault` and `hipDeviceMallocContiguous`: memory of the device alone.
const DEFAULT: c_uint = 0;
const CONTIGUOUS: c_uint = 4;
/// `hipMemcpyDeviceToHost`
const DEVICE_TO_HOST: c_int = 2;
/// The address of no memory.
const NOWHERE: u64 = 1;

/// `hipIpcMemHandle_t`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Handle([u8; 64]);

/// `hipMemAllocNodeParams`.
#[repr(C)]
pub struct NodeParameters {
    pool: [u64; 11],
    descriptions: u64,
    count: usize,
    size: usize,
    base: u64,
}

/// Stands between the program and HIP, if HIP is loaded; called again, between it and libraries that were loaded since.
pub fn watch() {
    if facts::are_kept() {
        let _ = contain(|| install(library::HIP, &ALL), || ());
    }
}

/// Returns the function for a program that looks up this name and would get `found`.
pub fn instead_of(name: &CStr, found: Opaque) -> Opaque {
    match facts::are_kept() {
        true => wrap::instead_of(&ALL, name, found),
        false => found,
    }
}

/// The name of the function of HIP at this address, or of that in its place.
pub(crate) fn name_at(address: usize) -> Option<&'static str> {
    let is_there = |wrap: &&Wrap| {
        let theirs = wrap.original.load(Ordering::Acquire) as usize;
        address != 0 && (address == theirs || address == wrap.ours.0 as usize)
    };
    ALL.iter().find(is_there)?.name.to_str().ok()
}

static ALL: LazyLock<Vec<Wrap>> =
    LazyLock::new(|| [GIVE, TAKE, WRITE, WRITE_BY_DRIVER, GRAPHS].concat());

/// A call of HIP by the program, before and after HIP has done it.
struct Told(&'static str);

macro_rules! wraps {
    ($table:ident {
        $(fn $name:ident($($argument:ident: $type:ty),*) $(before $before:expr;)? $(after $after:expr;)? $(anyway $anyway:expr;)?)*
    }) => {
        $(
            #[expect(non_snake_case, reason = "HIP's name")]
            mod $name {
                use super::*;

                pub static ORIGINAL: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());

                pub unsafe extern "C" fn ours($($argument: $type),*) -> Error {
                    type Function = unsafe extern "C" fn($($type),*) -> Error;
                    let found = ORIGINAL.load(Ordering::Acquire);
                    // SAFETY: HIP's function of this name has this type, and was found before a caller could reach this one.
                    let original = unsafe { std::mem::transmute::<*mut c_void, Function>(found) };
                    let call = Call::begin(stringify!($name));
                    // One at most. It may answer in HIP's place.
                    let before: &[fn(Told, $($type),*) -> Option<Error>] = &[$($before)?];
                    for before in before.iter().filter(|_| call.is_some()) {
                        let answer = contain(|| before(Told(stringify!($name)), $($argument),*), || ());
                        if let Some(answer) = answer.flatten() {
                            return answer;
                        }
                    }
                    // SAFETY: the caller's arguments go on unchanged.
                    let answer = unsafe { original($($argument),*) };
                    let after: &[fn(Told, $($type),*)] = &[$($after)?];
                    let after = after.iter().filter(|_| answer == SUCCESS);
                    // Behind calls without an answer.
                    let anyway: &[fn(Told, $($type),*)] = &[$($anyway)?];
                    for tell in after.chain(anyway).filter(|_| call.is_some()) {
                        let _ = contain(|| tell(Told(stringify!($name)), $($argument),*), || ());
                    }
                    answer
                }
            }
        )*

        static $table: &[Wrap] = &[$(Wrap {
            name: match CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                Ok(name) => name,
                Err(_) => c"",
            },
            ours: Ours($name::ours as *const ()),
            original: &$name::ORIGINAL,
        },)*];
    };
}

wraps! { GIVE {
    fn hipMalloc(into: Out, size: usize)
        after |told, into, size| told.got(into, size, Kind::Device);
    fn hipExtMallocWithFlags(into: Out, size: usize, flags: c_uint)
        after |told, into, size, flags| {
            told.got(into, size, Kind::Device);
            told.host_may_write(into, size, flags);
        };
    fn hipMallocHost(into: Out, size: usize)
        after |told, into, size| told.got(into, size, Kind::Pinned);
    fn hipMemAllocHost(into: Out, size: usize)
        after |told, into, size| told.got(into, size, Kind::Pinned);
    fn hipHostMalloc(into: Out, size: usize, flags: c_uint)
        after |told, into, size, _| told.got(into, size, Kind::Pinned);
    fn hipHostAlloc(into: Out, size: usize, flags: c_uint)
        after |told, into, size, _| told.got(into, size, Kind::Pinned);
    fn hipMallocManaged(into: Out, size: usize, flags: c_uint)
        after |told, into, size, _| told.got(into, size, Kind::Managed);
    fn hipMallocAsync(into: Out, size: usize, stream: Opaque)
        after |told, into, size, stream| told.got(into, size, in_order_of(stream));
    fn hipMallocFromPoolAsync(into: Out, size: usize, pool: Opaque, stream: Opaque)
        after |told, into, size, _, stream| told.got(into, size, in_order_of(stream));
    fn hipMallocPitch(into: Out, pitch: *mut usize, width: usize, height: usize)
        after Told::got_rows;
    fn hipMemAllocPitch(into: Out, pitch: *mut usize, width: usize, height: usize, element: c_uint)
        after |told, into, pitch, width, height, _| told.got_rows(into, pitch, width, height);
    fn hipMalloc3D(into: *mut Pitched, extent: Extent)
        after Told::got_planes;
    fn hipMallocArray(into: Out, format: Opaque, width: usize, height: usize, flags: c_uint)
        after |told, into, _, _, _, _| told.got_array(into);
    fn hipMalloc3DArray(into: Out, format: Opaque, extent: Extent, flags: c_uint)
        after |told, into, _, _, _| told.got_array(into);
    fn hipArrayCreate(into: Out, description: Opaque)
        after |told, into, _| told.got_array(into);
    fn hipArray3DCreate(into: Out, description: Opaque)
        after |told, into, _| told.got_array(into);
    fn hipMallocMipmappedArray(into: Out, format: Opaque, extent: Extent, levels: c_uint, flags: c_uint)
        after |told, into, _, _, _, _| told.got_array(into);
    fn hipMipmappedArrayCreate(into: Out, description: Opaque, levels: c_uint)
        after |told, into, _, _| told.got_array(into);
    fn hipGetMipmappedArrayLevel(into: Out, array: Opaque, level: c_uint)
        after |_, into, _, _| got_level(into);
    fn hipMipmappedArrayGetLevel(into: Out, array: Opaque, level: c_uint)
        after |_, into, _, _| got_level(into);
    fn __hipRegisterManagedVar(module: Opaque, into: Out, initial: Opaque, name: *const c_char, size: usize, alignment: c_uint)
        anyway |told, _, into, _, name, size, _| told.got_variable(into, size, name);
    fn hipHostRegister(memory: u64, size: usize, flags: c_uint)
        after |told, memory, size, _| told.given(memory, size, Kind::Registered, None);
    fn hipMemMap(address: u64, size: usize, offset: usize, handle: Opaque, flags: u64)
        after |told, address, size, _, _, _| told.given(address, size, Kind::Mapped, None);
    fn hipIpcOpenMemHandle(into: Out, handle: Handle, flags: c_uint)
        after |told, into, _, _| told.imported(into);
    fn hipGraphAddMemAllocNode(node: Opaque, graph: Opaque, before: Opaque, count: usize, parameters: *mut NodeParameters)
        after |told, _, _, _, _, parameters| told.got_node(parameters);
    }
}

wraps! { TAKE {
    fn hipFreeArray(array: u64)
        before |told, array| told.about_to_free_array(array);
        after |_, array| frees::array_taken(array);
    fn hipArrayDestroy(array: u64)
        before |told, array| told.about_to_free_array(array);
        after |_, array| frees::array_taken(array);
    fn hipFreeMipmappedArray(array: u64)
        before |told, array| told.about_to_free_array(array);
        after |_, array| frees::array_taken(array);
    fn hipMipmappedArrayDestroy(array: u64)
        before |told, array| told.about_to_free_array(array);
        after |_, array| frees::array_taken(array);
    fn hipDeviceReset()
        after |_| facts::tell(&facts::Event::Reset);
    fn hipFree(address: u64)
        before |told, address| told.about_to_free(address, Frees::Device);
        after |_, address| facts::taken(address);
    fn hipHostFree(address: u64)
        before |told, address| told.about_to_free(address, Frees::Host);
        after |_, address| facts::taken(address);
    fn hipFreeHost(address: u64)
        before |told, address| told.about_to_free(address, Frees::Host);
        after |_, address| facts::taken(address);
    fn hipFreeAsync(address: u64, stream: Opaque)
        before |told, address, stream| {
            let answer = told.about_to_free(address, Frees::Device);
            if answer.is_none() {
                tell_in_order(address, stream);
            }
            answer
        };
        after |_, address, stream| {
            if !is_recorded(stream) {
                facts::leaves(address);
            }
        };
    fn __hipRegisterVar(module: Opaque, variable: Opaque, host: Opaque, name: *const c_char, external: c_int, size: usize, constant: c_int, global: c_int)
        anyway |_, _, _, _, name, _, _, constant, _| registered(name, constant);
    fn hipHostUnregister(memory: u64)
        before |told, memory| told.about_to_free(memory, Frees::Registered);
        after |_, memory| facts::taken(memory);
    fn hipMemUnmap(address: u64, size: usize)
        after |_, address, _| facts::taken(address);
    fn hipIpcCloseMemHandle(address: u64)
        after |_, address| facts::taken(address);
    }
}

wraps! { WRITE {
    fn hipMemcpy(to: u64, from: u64, size: usize, kind: c_int)
        after |told, to, from, size, kind| told.copied(to, from, size, kind);
    fn hipMemcpyAsync(to: u64, from: u64, size: usize, kind: c_int, stream: Opaque)
        after |_, to, from, size, kind, _| facts::copied(to, from, size as u64, kind);
    fn hipMemcpyWithStream(to: u64, from: u64, size: usize, kind: c_int, stream: Opaque)
        after |told, to, from, size, kind, _| told.copied(to, from, size, kind);
    fn hipMemcpyDtoH(to: u64, from: u64, size: usize)
        after |told, to, from, size| told.copied(to, from, size, DEVICE_TO_HOST);
    fn hipMemcpyHtoD(to: u64, from: u64, size: usize)
        after |_, to, _, size| facts::written(to, size as u64);
    fn hipMemcpyHtoDAsync(to: u64, from: u64, size: usize, stream: Opaque)
        after |_, to, _, size, _| facts::written(to, size as u64);
    fn hipMemcpy2D(to: u64, pitch: usize, from: u64, from_pitch: usize, width: usize, height: usize, kind: c_int)
        after |told, to, pitch, from, from_pitch, width, height, kind| {
            rows_copied((to, pitch), (from, from_pitch), (width, height), kind);
            told.rows_read(to, (from, from_pitch), (width, height), kind);
        };
    fn hipMemcpy2DAsync(to: u64, pitch: usize, from: u64, from_pitch: usize, width: usize, height: usize, kind: c_int, stream: Opaque)
        after |_, to, pitch, from, from_pitch, width, height, kind, _| rows_copied((to, pitch), (from, from_pitch), (width, height), kind);
    fn hipMemset(to: u64, value: c_int, size: usize)
        after |_, to, _, size| facts::written(to, size as u64);
    fn hipMemsetAsync(to: u64, value: c_int, size: usize, stream: Opaque)
        after |_, to, _, size, _| facts::written(to, size as u64);
    fn hipMemsetD8(to: u64, value: u8, size: usize)
        after |_, to, _, size| facts::written(to, size as u64);
    fn hipMemsetD16(to: u64, value: u16, size: usize)
        after |_, to, _, size| facts::written(to, 2 * size as u64);
    fn hipMemsetD32(to: u64, value: c_int, size: usize)
        after |_, to, _, size| facts::written(to, 4 * size as u64);
    fn hipMemsetD8Async(to: u64, value: u8, size: usize, stream: Opaque)
        after |_, to, _, size, _| facts::written(to, size as u64);
    fn hipMemsetD16Async(to: u64, value: u16, size: usize, stream: Opaque)
        after |_, to, _, size, _| facts::written(to, 2 * size as u64);
    fn hipMemsetD32Async(to: u64, value: c_int, size: usize, stream: Opaque)
        after |_, to, _, size, _| facts::written(to, 4 * size as u64);
    fn hipMemset2D(to: u64, pitch: usize, value: c_int, width: usize, height: usize)
        after |_, to, pitch, _, width, height| rows_written(to, pitch, (width, height));
    fn hipMemset2DAsync(to: u64, pitch: usize, value: c_int, width: usize, height: usize, stream: Opaque)
        after |_, to, pitch, _, width, height, _| rows_written(to, pitch, (width, height));
    fn hipMemset3D(to: Pitched, value: c_int, extent: Extent)
        after |_, to, _, extent| box_set(to, extent);
    fn hipMemset3DAsync(to: Pitched, value: c_int, extent: Extent, stream: Opaque)
        after |_, to, _, extent, _| box_set(to, extent);
    fn hipMemcpy3D(what: *const Copied)
        after |told, what| {
            box_copied(what);
            told.box_read(what);
        };
    fn hipMemcpy3DAsync(what: *const Copied, stream: Opaque)
        after |_, what, _| box_copied(what);
    fn hipMemcpy3D_spt(what: *const Copied)
        after |told, what| {
            box_copied(what);
            told.box_read(what);
        };
    fn hipMemcpy3DAsync_spt(what: *const Copied, stream: Opaque)
        after |_, what, _| box_copied(what);
    // Arrays count as set.
    fn hipMemcpyFromArray(to: u64, from: Opaque, x: usize, y: usize, size: usize, kind: c_int)
        after |_, to, _, _, _, size, _| facts::written(to, size as u64);
    fn hipMemcpy2DFromArray(to: u64, pitch: usize, from: Opaque, x: usize, y: usize, width: usize, height: usize, kind: c_int)
        after |_, to, pitch, _, _, _, width, height, _| rows_written(to, pitch, (width, height));
    fn hipMemcpy2DFromArrayAsync(to: u64, pitch: usize, from: Opaque, x: usize, y: usize, width: usize, height: usize, kind: c_int, stream: Opaque)
        after |_, to, pitch, _, _, _, width, height, _, _| rows_written(to, pitch, (width, height));
    fn hipMemcpy_spt(to: u64, from: u64, size: usize, kind: c_int)
        after |told, to, from, size, kind| told.copied(to, from, size, kind);
    fn hipMemcpyAsync_spt(to: u64, from: u64, size: usize, kind: c_int, stream: Opaque)
        after |_, to, from, size, kind, _| facts::copied(to, from, size as u64, kind);
    fn hipMemcpy2D_spt(to: u64, pitch: usize, from: u64, from_pitch: usize, width: usize, height: usize, kind: c_int)
        after |told, to, pitch, from, from_pitch, width, height, kind| {
            rows_copied((to, pitch), (from, from_pitch), (width, height), kind);
            told.rows_read(to, (from, from_pitch), (width, height), kind);
        };
    fn hipMemset_spt(to: u64, value: c_int, size: usize)
        after |_, to, _, size| facts::written(to, size as u64);
    fn hipMemsetAsync_spt(to: u64, value: c_int, size: usize, stream: Opaque)
        after |_, to, _, size, _| facts::written(to, size as u64);
    }
}

wraps! { WRITE_BY_DRIVER {
    fn hipDrvMemcpy3D(what: Opaque)
        after |told, what| told.driver_box(what);
    fn hipDrvMemcpy3DAsync(what: Opaque, stream: Opaque)
        after |_, what, _| driver_box_copied(what);
    fn hipMemcpyParam2D(what: Opaque)
        after |told, what| told.driver_plane(what);
    fn hipMemcpyParam2DAsync(what: Opaque, stream: Opaque)
        after |_, what, _| driver_plane_copied(what);
    }
}

// Nodes write when their graph is launched. Copies between devices' memory are the device's work.
wraps! { GRAPHS {
    fn hipGraphLaunch(graph: Opaque, stream: Opaque)
        after |_, _, _| graphs::launched();
    fn hipStreamBeginCapture(stream: Opaque, mode: c_int)
        after |_, _, _| graphs::recording_begins();
    fn hipStreamBeginCapture_spt(stream: Opaque, mode: c_int)
        after |_, _, _| graphs::recording_begins();
    fn hipStreamBeginCaptureToGraph(stream: Opaque, graph: Opaque, before: Opaque, data: Opaque, count: usize, mode: c_int)
        after |_, _, _, _, _, _, _| graphs::recording_begins();
    fn hipStreamEndCapture(stream: Opaque, graph: Opaque)
        after |_, _, _| graphs::recording_ends();
    fn hipStreamEndCapture_spt(stream: Opaque, graph: Opaque)
        after |_, _, _| graphs::recording_ends();
    fn hipGraphAddMemcpyNode(node: Opaque, graph: Opaque, before: Opaque, count: usize, what: *const Copied)
        after |_, _, _, _, _, what| node_copies(what);
    fn hipGraphMemcpyNodeSetParams(node: Opaque, what: *const Copied)
        after |_, _, what| node_copies(what);
    fn hipGraphExecMemcpyNodeSetParams(graph: Opaque, node: Opaque, what: *const Copied)
        after |_, _, _, what| node_copies(what);
    fn hipGraphAddMemcpyNode1D(node: Opaque, graph: Opaque, before: Opaque, count: usize, to: u64, from: u64, size: usize, kind: c_int)
        after |_, _, _, _, _, to, from, size, kind| node_copies_row(to, from, size, kind);
    fn hipGraphMemcpyNodeSetParams1D(node: Opaque, to: u64, from: u64, size: usize, kind: c_int)
        after |_, _, to, from, size, kind| node_copies_row(to, from, size, kind);
    fn hipGraphExecMemcpyNodeSetParams1D(graph: Opaque, node: Opaque, to: u64, from: u64, size: usize, kind: c_int)
        after |_, _, _, to, from, size, kind| node_copies_row(to, from, size, kind);
    fn hipGraphAddMemcpyNodeFromSymbol(node: Opaque, graph: Opaque, before: Opaque, count: usize, to: u64, from: Opaque, size: usize, offset: usize, kind: c_int)
        after |_, _, _, _, _, to, _, size, _, _| graphs::writes(to, size as u64);
    fn hipGraphMemcpyNodeSetParamsFromSymbol(node: Opaque, to: u64, from: Opaque, size: usize, offset: usize, kind: c_int)
        after |_, _, to, _, size, _, _| graphs::writes(to, size as u64);
    fn hipGraphExecMemcpyNodeSetParamsFromSymbol(graph: Opaque, node: Opaque, to: u64, from: Opaque, size: usize, offset: usize, kind: c_int)
        after |_, _, _, to, _, size, _, _| graphs::writes(to, size as u64);
    fn hipGraphAddMemsetNode(node: Opaque, graph: Opaque, before: Opaque, count: usize, what: Opaque)
        after |_, _, _, _, _, what| node_sets(what);
    fn hipGraphMemsetNodeSetParams(node: Opaque, what: Opaque)
        after |_, _, what| node_sets(what);
    fn hipGraphExecMemsetNodeSetParams(graph: Opaque, node: Opaque, what: Opaque)
        after |_, _, _, what| node_sets(what);
    fn hipGraphAddNode(node: Opaque, graph: Opaque, before: Opaque, count: usize, what: Opaque)
        after |_, _, _, _, _, what| node_does(what);
    fn hipGraphNodeSetParams(node: Opaque, what: Opaque)
        after |_, _, what| node_does(what);
    fn hipGraphExecNodeSetParams(graph: Opaque, node: Opaque, what: Opaque)
        after |_, _, _, what| node_does(what);
    fn hipDrvGraphAddMemcpyNode(node: Opaque, graph: Opaque, before: Opaque, count: usize, what: Opaque, context: Opaque)
        after |_, _, _, _, _, what, _| driver_node_copies(what);
    fn hipDrvGraphMemcpyNodeSetParams(node: Opaque, what: Opaque)
        after |_, _, what| driver_node_copies(what);
    fn hipDrvGraphExecMemcpyNodeSetParams(graph: Opaque, node: Opaque, what: Opaque, context: Opaque)
        after |_, _, _, what, _| driver_node_copies(what);
    fn hipDrvGraphAddMemsetNode(node: Opaque, graph: Opaque, before: Opaque, count: usize, what: Opaque, context: Opaque)
        after |_, _, _, _, _, what, _| node_sets(what);
    fn hipDrvGraphExecMemsetNodeSetParams(graph: Opaque, node: Opaque, what: Opaque, context: Opaque)
        after |_, _, _, what, _| node_sets(what);
    }
}

impl Told {
    fn given(&self, base: u64, size: usize, kind: Kind, rows: Option<Rows>) {
        facts::given(base, size as u64, kind, self.0, rows);
    }

    fn got(&self, into: Out, size: usize, kind: Kind) {
        // SAFETY: HIP has just stored an address there.
        let base = unsafe { into.read() };
        self.given(base, size, kind, None);
    }

    /// HIP has made a variable that host and devices share, as the program began. If there is no memory for it, its address is null.
    fn got_variable(&self, into: Out, size: usize, name: *const c_char) {
        if into.is_null() || name.is_null() {
            return;
        }
        // SAFETY: the program's variable, which is such an address, and the caller's string.
        let (base, name) = unsafe { (into.read(), CStr::from_ptr(name)) };
        facts::shared_variable(base, size as u64, self.0, &name.to_string_lossy());
    }

    /// The host writes signals, and fine-grained and uncached memory, by itself.
    fn host_may_write(&self, into: Out, size: usize, flags: c_uint) {
        if !matches!(flags, DEFAULT | CONTIGUOUS) {
            // SAFETY: HIP has just stored an address there.
            facts::written(unsafe { into.read() }, size as u64);
        }
    }

    fn got_rows(self, into: Out, pitch: *mut usize, width: usize, height: usize) {
        // SAFETY: HIP has just stored an address and a number there.
        let (base, pitch) = unsafe { (into.read(), pitch.read()) };
        self.rows(base, pitch, width, height);
    }

    fn got_planes(self, into: *mut Pitched, extent: Extent) {
        // SAFETY: HIP has just stored this structure there.
        let memory = unsafe { &*into };
        let rows = extent.height.max(1).saturating_mul(extent.depth.max(1));
        self.rows(memory.base, memory.pitch, extent.width, rows);
    }

    fn rows(&self, base: u64, pitch: usize, width: usize, count: usize) {
        let (width, pitch, count) = (width as u64, pitch as u64, count as u64);
        let rows = Rows {
            width,
            pitch,
            count,
        };
        if width != 0 && width <= pitch {
            let size = pitch.saturating_mul(count) as usize;
            self.given(base, size, Kind::Pitched, Some(rows));
        }
    }

    /// The address of an array's memory is HIP's secret, but HSA was asked for it in this call.
    fn got_array(&self, into: Out) {
        // SAFETY: HIP has just stored the array's address there.
        frees::array_given(unsafe { into.read() }, self.0);
    }

    fn imported(&self, into: Out) {
        type Range = unsafe extern "C" fn(*mut u64, *mut usize, u64) -> Error;
        let Some(range) = hip(c"hipMemGetAddressRange") else {
            return;
        };
        // SAFETY: HIP's function of this name has this type.
        let range: Range = unsafe { std::mem::transmute(range) };
        let (mut base, mut size) = (0, 0);
        // SAFETY: HIP has just stored an address there, and the others are variables.
        if unsafe { range(&raw mut base, &raw mut size, into.read()) } == SUCCESS {
            self.given(base, size, Kind::Imported, None);
        }
    }

    fn got_node(&self, parameters: *mut NodeParameters) {
        // SAFETY: the caller's parameters, in which HIP has just stored an address.
        let parameters = unsafe { &*parameters };
        self.given(parameters.base, parameters.size, Kind::Node, None);
    }

    fn about_to_free(&self, address: u64, frees: Frees) -> Option<Error> {
        facts::about_to_leave(address);
        let is_refused = frees::is_wrong(address, self.0, frees) && frees::are_refused();
        is_refused.then(invalid)
    }

    fn about_to_free_array(&self, array: u64) -> Option<Error> {
        frees::array_about_to_leave(array);
        let is_refused = frees::is_wrong_array(array, self.0) && frees::are_refused();
        is_refused.then(invalid)
    }
}

/// A level of an array with levels is an array, which is freed like others.
fn got_level(into: Out) {
    // SAFETY: HIP has just stored the level's address there.
    frees::array_unknown(unsafe { into.read() });
}

/// The answer to a call that HIP does not get. HIP remembers it as the last error, because it is asked to free what is no
/// memory.
fn invalid() -> Error {
    type Free = unsafe extern "C" fn(u64) -> Error;
    let free = hipFree::ORIGINAL.load(Ordering::Acquire);
    if free.is_null() {
        return INVALID;
    }
    // SAFETY: HIP's function of this name has this type; it looks the address up and touches nothing there.
    let answer = unsafe { std::mem::transmute::<Opaque, Free>(free)(NOWHERE) };
    if answer == SUCCESS { INVALID } else { answer }
}

/// The program says which variables it has.
fn registered(name: *const c_char, constant: c_int) {
    if constant != 0 && !name.is_null() {
        // SAFETY: the caller's string.
        let name = unsafe { CStr::from_ptr(name) };
        facts::constant(&name.to_string_lossy());
    }
}

/// A function of HIP that this program has loaded.
fn hip(name: &CStr) -> Option<*mut c_void> {
    let of = hipMalloc::ORIGINAL.load(Ordering::Acquire);
    let path = library::path_of(of)?;
    let path = std::ffi::CString::new(path.into_os_string().into_encoded_bytes()).ok()?;
    Some(library::symbol(&path, name)?.as_ptr())
}
