//! The first GPU: its queue, shared memory, and one kernel at a time on it.

use std::{
    ffi::{CString, c_void},
    ptr,
    sync::atomic::{AtomicU16, AtomicU32, Ordering, fence},
    time::{Duration, Instant},
};

use aql::{HEADER_BARRIER, KernelDispatchPacket, Packet, Queue, SYSTEM_FENCES, packet_type};
use hsa_sys::{
    Handle, Status,
    constants::{
        CONDITION_LESS, DEVICE_TYPE_GPU, PROFILE_FULL, QUEUE_TYPE_SINGLE, ROUNDING_DEFAULT,
        SYSTEM_TIMESTAMP_FREQUENCY, WAIT_BLOCKED, agent_info, pool_flag, status, symbol_info,
    },
};

use crate::{
    About, Error, Launch, Result,
    runtime::{Runtime, check, collect},
};

/// Packets of the queue; there is one kernel at a time.
const QUEUE_SIZE: u32 = 64;
/// How long the runtime waits before the queue's state is looked at.
const GLANCE: Duration = Duration::from_millis(100);

/// The status with which the queue failed, or 0. There is one device per process.
static QUEUE_STATUS: AtomicU32 = AtomicU32::new(0);

/// The first GPU of this process.
pub struct Device {
    runtime: Runtime,
    agent: Handle,
    /// Fine-grained memory of the host.
    shared: Handle,
    /// The GPU's own memory: in any other, atomics on floats may do nothing.
    local: Handle,
    queue: *mut Queue,
    signal: Handle,
    ticks_per_second: u64,
    about: About,
}

/// A code object on the device.
pub struct Loaded {
    executable: Handle,
    reader: Handle,
    /// Read by the runtime for as long as the object is loaded.
    _bytes: Vec<u8>,
}

/// Memory that the GPU sees, given back when dropped.
struct Buffer<'a> {
    runtime: &'a Runtime,
    start: *mut u8,
    size: usize,
}

impl Drop for Buffer<'_> {
    fn drop(&mut self) {
        // SAFETY: allocated from a pool, and no kernel uses it any more. A failure leaves it to the process's end.
        unsafe { (self.runtime.pool_free)(self.start.cast()) };
    }
}

unsafe extern "C" fn queue_failed(status: Status, _: *mut Queue, _: *mut c_void) {
    QUEUE_STATUS.store(status, Ordering::Release);
}

impl Device {
    /// Loads the runtime and takes the first GPU it shows (`ROCR_VISIBLE_DEVICES` picks another).
    pub fn open() -> Result<Device> {
        let runtime = Runtime::load()?;
        // SAFETY: no arguments.
        match unsafe { (runtime.init)() } {
            status::SUCCESS => (),
            status => return Err(Error::NoDriver { status }),
        }
        let agents = collect("hsa_iterate_agents", |each, data| {
            // SAFETY: the callback and its data are of `collect`, which outlives the call.
            unsafe { (runtime.iterate_agents)(each, data) }
        })?;
        let is_gpu = |&agent: &Handle| runtime.agent_u32(agent, agent_info::DEVICE);
        let mut gpus = agents
            .iter()
            .filter(|agent| matches!(is_gpu(agent), Ok(DEVICE_TYPE_GPU)));
        let agent = *gpus.next().ok_or(Error::NoGpu)?;
        let about = runtime.about(agent)?;
        let local = runtime
            .pool(agent, pool_flag::COARSE_GRAINED)
            .ok_or(Error::NoMemory)?;
        let shared = agents
            .iter()
            .find_map(|&agent| match is_gpu(&agent) {
                Ok(DEVICE_TYPE_GPU) | Err(_) => None,
                Ok(_) => runtime.pool(agent, pool_flag::FINE_GRAINED),
            })
            .ok_or(Error::NoMemory)?;
        let mut queue = ptr::null_mut();
        // SAFETY: the callback is a function without data, `queue` is written when the call succeeds.
        check("hsa_queue_create", unsafe {
            (runtime.queue_create)(
                agent,
                QUEUE_SIZE,
                QUEUE_TYPE_SINGLE,
                Some(queue_failed),
                ptr::null_mut(),
                0,
                0,
                &raw mut queue,
            )
        })?;
        let mut signal = 0;
        // SAFETY: no consumers are named; `signal` is written.
        check("hsa_signal_create", unsafe {
            (runtime.signal_create)(0, 0, ptr::null(), &raw mut signal)
        })?;
        let mut ticks_per_second = 0_u64;
        // SAFETY: this attribute is a u64.
        check("hsa_system_get_info", unsafe {
            (runtime.system_get_info)(
                SYSTEM_TIMESTAMP_FREQUENCY,
                (&raw mut ticks_per_second).cast(),
            )
        })?;
        Ok(Device {
            runtime,
            agent,
            shared,
            local,
            queue,
            signal,
            ticks_per_second,
            about,
        })
    }

    pub fn about(&self) -> &About {
        &self.about
    }

    /// Loads a linked code object.
    pub fn load(&self, bytes: Vec<u8>) -> Result<Loaded> {
        let (mut executable, mut reader) = (0, 0);
        // SAFETY: the bytes live in what is returned, which the runtime's objects do not outlive; results are written.
        unsafe {
            check(
                "hsa_code_object_reader_create_from_memory",
                (self.runtime.reader_create)(bytes.as_ptr().cast(), bytes.len(), &raw mut reader),
            )?;
            check(
                "hsa_executable_create_alt",
                (self.runtime.executable_create)(
                    PROFILE_FULL,
                    ROUNDING_DEFAULT,
                    ptr::null(),
                    &raw mut executable,
                ),
            )?;
            check(
                "hsa_executable_load_agent_code_object",
                (self.runtime.executable_load)(
                    executable,
                    self.agent,
                    reader,
                    ptr::null(),
                    ptr::null_mut(),
                ),
            )?;
            check(
                "hsa_executable_freeze",
                (self.runtime.executable_freeze)(executable, ptr::null()),
            )?;
        }
        Ok(Loaded {
            executable,
            reader,
            _bytes: bytes,
        })
    }

    /// Takes a code object away again.
    pub fn unload(&self, loaded: Loaded) {
        // SAFETY: the runtime made both, and none of the object's kernels runs, because launches are waited for. If a call fails, the
        // object stays loaded.
        unsafe {
            (self.runtime.executable_destroy)(loaded.executable);
            (self.runtime.reader_destroy)(loaded.reader);
        }
    }

    /// Runs a kernel to its end and returns what it wrote.
    pub fn launch(&self, loaded: &Loaded, launch: &Launch) -> Result<Vec<u8>> {
        let kernel_object = self.kernel(loaded, &launch.kernel)?;
        let output_size = launch.output as usize;
        let input = self.buffer(self.local, launch.input.len())?;
        let output = self.buffer(self.local, output_size)?;
        let staging = self.buffer(self.shared, launch.input.len().max(output_size))?;
        let kernarg = self.buffer(self.shared, 64)?;
        staging.write(&launch.input);
        self.copy(&input, &staging, launch.input.len())?;
        staging.write(&vec![0; output_size]);
        self.copy(&output, &staging, output_size)?;
        let arguments = [input.start, output.start].map(|start| (start as u64).to_le_bytes());
        kernarg.write(arguments.as_flattened());
        // SAFETY: the device made the signal, and no packet uses it now.
        unsafe { (self.runtime.signal_store)(self.signal, 1) };
        self.submit(&KernelDispatchPacket {
            setup: 1,
            workgroup_size: [launch.block as u16, 1, 1],
            grid_size: [launch.groups * launch.block, 1, 1],
            group_segment_size: launch.lds,
            private_segment_size: launch.scratch,
            kernel_object,
            kernarg_address: kernarg.start as u64,
            completion_signal: self.signal,
            ..Default::default()
        })?;
        if let Err(error) = self.wait(launch) {
            // The kernel may still write there.
            std::mem::forget((input, output, kernarg));
            return Err(error);
        }
        self.copy(&staging, &output, output_size)?;
        Ok(staging.read(output_size))
    }

    /// Address of the kernel's descriptor.
    fn kernel(&self, loaded: &Loaded, name: &str) -> Result<u64> {
        let name = CString::new(format!("{name}.kd")).unwrap_or_default();
        let (mut symbol, mut object) = (0, 0_u64);
        // SAFETY: the name ends with a zero, the executable is frozen, and both results have their attribute's type.
        unsafe {
            check(
                "hsa_executable_get_symbol_by_name",
                (self.runtime.executable_symbol)(
                    loaded.executable,
                    name.as_ptr(),
                    &raw const self.agent,
                    &raw mut symbol,
                ),
            )?;
            check(
                "hsa_executable_symbol_get_info",
                (self.runtime.symbol_get_info)(
                    symbol,
                    symbol_info::KERNEL_OBJECT,
                    (&raw mut object).cast(),
                ),
            )?;
        }
        Ok(object)
    }

    fn copy(&self, to: &Buffer<'_>, from: &Buffer<'_>, size: usize) -> Result<()> {
        assert!(size <= to.size.min(from.size));
        // SAFETY: both have so many bytes, and no kernel uses them now. The call returns when all is copied.
        check("hsa_memory_copy", unsafe {
            (self.runtime.memory_copy)(to.start.cast(), from.start.cast(), size)
        })
    }

    fn buffer(&self, pool: Handle, size: usize) -> Result<Buffer<'_>> {
        let mut start = ptr::null_mut();
        let size = size.max(1).next_multiple_of(4096);
        // SAFETY: the pool allows allocations of whole pages; the result is written.
        check("hsa_amd_memory_pool_allocate", unsafe {
            (self.runtime.pool_allocate)(pool, size, 0, &raw mut start)
        })?;
        let buffer = Buffer {
            runtime: &self.runtime,
            start: start.cast(),
            size,
        };
        // SAFETY: one agent, and memory that was just allocated.
        check("hsa_amd_agents_allow_access", unsafe {
            (self.runtime.allow_access)(1, &raw const self.agent, ptr::null(), start)
        })?;
        Ok(buffer)
    }

    /// Puts a packet into the queue and rings.
    fn submit(&self, packet: &KernelDispatchPacket) -> Result<()> {
        // SAFETY: the queue lives as long as the device, and only this thread writes to it. There is room: every packet before
        // has been waited for. The header goes in last, as the packet processor starts when it sees it.
        unsafe {
            let index = (self.runtime.queue_add_write_index)(self.queue, 1);
            let queue = &*self.queue;
            let slot =
                (queue.base_address as *mut Packet).add((index % u64::from(queue.size)) as usize);
            let bytes = packet.to_bytes();
            ptr::copy_nonoverlapping(bytes[4..].as_ptr(), slot.cast::<u8>().add(4), 60);
            slot.cast::<u16>().add(1).write_volatile(packet.setup);
            let header = u16::from(packet_type::KERNEL_DISPATCH) | HEADER_BARRIER | SYSTEM_FENCES;
            fence(Ordering::Release);
            AtomicU16::from_ptr(slot.cast()).store(header, Ordering::Release);
            (self.runtime.signal_store)(queue.doorbell_signal, index as i64);
        }
        Ok(())
    }

    fn wait(&self, launch: &Launch) -> Result<()> {
        let limit = Duration::from_secs(launch.seconds);
        let start = Instant::now();
        let ticks = self.ticks_per_second * GLANCE.as_millis() as u64 / 1000;
        loop {
            // SAFETY: the device made the signal and still owns it.
            let value = unsafe {
                (self.runtime.signal_wait)(self.signal, CONDITION_LESS, 1, ticks, WAIT_BLOCKED)
            };
            let status = QUEUE_STATUS.load(Ordering::Acquire);
            let kernel = || launch.kernel.clone();
            if status != 0 {
                return Err(Error::Queue {
                    kernel: kernel(),
                    status,
                });
            }
            if value < 1 {
                return Ok(());
            }
            if start.elapsed() > limit {
                return Err(Error::Endless {
                    kernel: kernel(),
                    seconds: launch.seconds,
                });
            }
        }
    }
}

/// Buffers are in shared memory.
impl Buffer<'_> {
    fn write(&self, bytes: &[u8]) {
        assert!(bytes.len() <= self.size);
        // SAFETY: as many bytes are there, and no kernel runs.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), self.start, bytes.len()) };
    }

    fn read(&self, size: usize) -> Vec<u8> {
        let mut bytes = vec![0; size.min(self.size)];
        // SAFETY: as many bytes are there, and what was copied to them has arrived.
        unsafe { ptr::copy_nonoverlapping(self.start, bytes.as_mut_ptr(), bytes.len()) };
        bytes
    }
}
