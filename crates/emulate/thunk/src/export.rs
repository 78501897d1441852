//! The exported functions: names and C signatures, one line each.

use kmt_sys::thunk::{
    CacheProperties, ClockCounters, Event, EventDescriptor, GpuTileConfig, IoLinkProperties,
    MemoryProperties, NodeProperties, PointerInfo, QueueResource, SvmAttribute, SystemProperties,
    VersionInfo,
};

use crate::{
    calls,
    ffi::{In, Out, guard},
};

macro_rules! export {
    ($($name:ident($($argument:ident: $type:ty),* $(,)?) => $body:expr;)*) => {
        $(
            /// # Safety
            /// Pointers are null or valid for what the interface says about them.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name($($argument: $type),*) -> u32 {
                guard(stringify!($name), || $body)
            }
        )*
    };
}

/// Gives something back. In a forked child it is the parent's, so there is nothing to do; an error would fail an assertion of ROCr's
/// when the child exits.
fn of_parent(body: impl FnOnce() -> crate::ffi::Result) -> crate::ffi::Result {
    match crate::instance::is_forked_child() {
        true => Ok(()),
        false => body(),
    }
}

use calls::{device, event, memory as mem, queue, sharing, unsupported};

#[rustfmt::skip]
mod table {
    #![allow(non_snake_case)]
    use super::*;

    export! {
        hsaKmtOpenKFD() => device::open();
        hsaKmtCloseKFD() => device::close();
        hsaKmtGetVersion(version: Out<VersionInfo>) => device::version(version);
        hsaKmtRuntimeEnable(debug: u64, _setup_ttmp: bool) => device::runtime_enable(debug);
        hsaKmtRuntimeDisable() => Ok(());
        hsaKmtAcquireSystemProperties(properties: Out<SystemProperties>) => device::system(properties);
        hsaKmtReleaseSystemProperties() => Ok(());
        hsaKmtGetNodeProperties(node: u32, properties: Out<NodeProperties>) => device::node(node, properties);
        hsaKmtGetNodeMemoryProperties(node: u32, count: u32, properties: Out<MemoryProperties>) => device::node_memory(node, count, properties);
        hsaKmtGetNodeCacheProperties(node: u32, _processor: u32, count: u32, properties: Out<CacheProperties>) => device::node_caches(node, count, properties);
        hsaKmtGetNodeIoLinkProperties(node: u32, count: u32, properties: Out<IoLinkProperties>) => device::node_links(node, count, properties);
        hsaKmtGetXNACKMode(mode: Out<i32>) => device::xnack(mode);
        hsaKmtSetXNACKMode(mode: i32) => device::set_xnack(mode);
        hsaKmtGetClockCounters(node: u32, counters: Out<ClockCounters>) => device::clocks(node, counters);
        hsaKmtSetMemoryPolicy(_node: u32, _default: u32, _alternate: u32, _base: u64, _size: u64) => Ok(());
        hsaKmtSetTrapHandler(_node: u32, _code: u64, _code_size: u64, _buffer: u64, _buffer_size: u64) => Ok(());
        hsaKmtGetTileConfig(node: u32, config: Out<GpuTileConfig>) => device::tiles(node, config);
        hsaKmtGetRuntimeCapabilities(capabilities: Out<u32>) => capabilities.put(0);
        hsaKmtGetAMDGPUDeviceHandle(node: u32, handle: Out<u64>) => device::handle(node, handle);
        amdgpu_query_gpu_info(_handle: u64, info: Out<calls::device::GpuInfo>) => device::gpu_info(info);

        hsaKmtAllocMemory(node: u32, size: u64, flags: u32, address: Out<u64>) => mem::allocate(node, size, flags, address);
        hsaKmtFreeMemory(address: u64, _size: u64) => of_parent(|| mem::free(address));
        hsaKmtAvailableMemory(node: u32, bytes: Out<u64>) => mem::available(node, bytes);
        hsaKmtMapMemoryToGPU(address: u64, _size: u64, alternate: Out<u64>) => mem::map(address, alternate);
        hsaKmtMapMemoryToGPUNodes(address: u64, _size: u64, alternate: Out<u64>, _flags: u32, count: u64, nodes: In<u32>) => mem::map_to_nodes(address, alternate, count, nodes);
        hsaKmtUnmapMemoryToGPU(address: u64) => of_parent(|| mem::unmap(address));
        hsaKmtRegisterMemory(address: u64, size: u64) => mem::register(address, size);
        hsaKmtRegisterMemoryToNodes(address: u64, size: u64, _count: u64, _nodes: In<u32>) => mem::register(address, size);
        hsaKmtRegisterMemoryWithFlags(address: u64, size: u64, flags: u32) => mem::register_with_flags(address, size, flags);
        hsaKmtDeregisterMemory(address: u64) => of_parent(|| mem::deregister(address));
        hsaKmtQueryPointerInfo(address: u64, info: Out<PointerInfo>) => mem::pointer_info(address, info);
        hsaKmtSetMemoryUserData(address: u64, user_data: u64) => mem::set_user_data(address, user_data);
        hsaKmtSVMSetAttr(address: u64, size: u64, count: u32, attributes: In<SvmAttribute>) => mem::svm_set(address, size, count, attributes);
        hsaKmtSVMGetAttr(address: u64, size: u64, count: u32, attributes: Out<SvmAttribute>) => mem::svm_get(address, size, count, attributes);
        hsaKmtShareMemory(address: u64, size: u64, handle: Out<sharing::Handle>) => sharing::share(address, size, handle);
        hsaKmtRegisterSharedHandle(handle: In<sharing::Handle>, address: Out<u64>, size: Out<u64>) => sharing::open(handle, address, size);
        hsaKmtRegisterSharedHandleToNodes(handle: In<sharing::Handle>, address: Out<u64>, size: Out<u64>, _count: u64, _nodes: u64) => sharing::open(handle, address, size);
        hsaKmtRegisterGraphicsHandleToNodes(_handle: u64, _info: u64, _count: u64, _nodes: u64) => unsupported();
        hsaKmtExportDMABufHandle(_address: u64, _size: u64, _descriptor: u64, _offset: u64) => unsupported();
        hsaKmtReplaceAsanHeaderPage(_address: u64) => unsupported();
        hsaKmtReturnAsanHeaderPage(_address: u64) => unsupported();

        hsaKmtCreateEvent(descriptor: In<EventDescriptor>, manual_reset: bool, set: bool, created: Out<u64>) => event::create(descriptor, manual_reset, set, created);
        hsaKmtDestroyEvent(event: Out<Event>) => of_parent(|| event::destroy(event));
        hsaKmtSetEvent(event: Out<Event>) => event::set(event);
        hsaKmtResetEvent(event: Out<Event>) => event::reset(event);
        hsaKmtQueryEventState(event: Out<Event>) => event::wait_one(event, 0);
        hsaKmtWaitOnEvent(event: Out<Event>, milliseconds: u32) => event::wait_one(event, milliseconds);
        hsaKmtWaitOnMultipleEvents(list: In<Out<Event>>, count: u32, all: bool, milliseconds: u32) => event::wait(list, count, all, milliseconds);
        hsaKmtWaitOnEvent_Ext(event: Out<Event>, milliseconds: u32, _age: Out<u64>) => event::wait_one(event, milliseconds);
        hsaKmtWaitOnMultipleEvents_Ext(list: In<Out<Event>>, count: u32, all: bool, milliseconds: u32, _ages: Out<u64>) => event::wait(list, count, all, milliseconds);

        hsaKmtCreateQueue(node: u32, kind: u32, _percentage: u32, _priority: i32, ring: u64, size: u64, _event: u64, resource: Out<QueueResource>) => queue::create(node, kind, ring, size, resource);
        hsaKmtUpdateQueue(queue: u64, percentage: u32, _priority: i32, ring: u64, size: u64, _event: u64) => queue::update(queue, percentage, ring, size);
        hsaKmtDestroyQueue(queue: u64) => of_parent(|| queue::destroy(queue));
        hsaKmtSetQueueCUMask(queue: u64, count: u32, mask: In<u32>) => queue::set_mask(queue, count, mask);
        hsaKmtAllocQueueGWS(_queue: u64, _count: u32, first: Out<u32>) => queue::allocate_wave_sync(first);

        hsaKmtDbgEnable(_info: u64, _size: u64) => unsupported();
        hsaKmtDbgDisable() => unsupported();
        hsaKmtDbgGetDeviceData(_data: u64, _count: u64, _size: u64) => unsupported();
        hsaKmtDbgGetQueueData(_data: u64, _count: u64, _size: u64, _suspend: bool) => unsupported();
        hsaKmtOpenSMI(_node: u32, _descriptor: u64) => unsupported();
        hsaKmtSPMAcquire(_node: u32) => unsupported();
        hsaKmtSPMRelease(_node: u32) => unsupported();
        hsaKmtSPMSetDestBuffer(_node: u32, _size: u32, _timeout: u64, _copied: u64, _address: u64, _loss: u64) => unsupported();
    }
}
