//! `libluthier_kfd.so`: makes AMD's kernel driver appear in a process that has none, for ROCm whose thunk is a part of ROCr.
//!
//! `luthier run` preloads it. It takes the place of a few functions of the C library and of libdrm. In a process that never
//! opens the driver they do nothing but compare a path or look at one flag. At the first path of the driver's, or before, the emulator is
//! loaded ([`emulator`]: `libhsakmt.so.1`, the library that other versions of ROCr load themselves), and everything real is done
//! there.
//!
//! * [`open`], [`folder`], [`link`], [`status`]: paths that are not there, spelt as in [`path`];
//! * [`bus`]: the folder of PCI devices, of which some are there;
//! * [`device`]: descriptors of the devices, which are files in memory that say themselves what they are;
//! * [`calls`]: `ioctl` and `mmap` on them, `madvise` on their memory;
//! * [`unmapping`]: `munmap` and `mremap`, of which the emulator hears;
//! * [`drm`], [`addresses`], [`submission`]: libdrm's functions for memory, for addresses, and for submitting commands;
//! * [`first_call`]: loads the emulator before the program's first call of HIP, if that matters;
//! * [`compiler`]: the compiler inside HIP, whose results the emulator keeps;
//! * [`waiting`]: `sched_yield`, by which HIP waits;
//! * [`lookup`], [`system_call`]: programs that look functions up in the C library itself, or call `syscall`.
//!
//! Never here: state that a `fork`, a `dup` or a closed descriptor could make wrong; memory of the application's allocator
//! before the driver is opened; threads; anything but the C library.

mod addresses;
mod bus;
mod calls;
mod compiler;
mod device;
mod drm;
mod emulator;
mod first_call;
mod folder;
mod link;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod lookup;
mod next;
mod open;
mod path;
mod status;
mod submission;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod system_call;
mod unmapping;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod waiting;
