//! AMD's own tests of the driver's interface and of ROCr, which come with ROCr's sources.

use super::built::{Program, Unfit, Unit};

/// Tests of the driver's interface, linked with the thunk of the same sources. Tests of power management put the machine to sleep.
pub const KFDTEST: Program = Program {
    name: "kfdtest",
    package: "rocr-runtime",
    units: &[
        Unit {
            compiler: "gcc",
            files: &["libhsakmt/src/*.c"],
            flags: &[
                "-O1",
                "-w",
                "-std=gnu11",
                "-D_GNU_SOURCE",
                "-I/usr/include/libdrm",
            ],
            include: &[
                "libhsakmt/include",
                "libhsakmt/include/hsakmt",
                "libhsakmt/src",
            ],
            adapter: None,
        },
        Unit {
            compiler: "g++",
            files: &["libhsakmt/tests/kfdtest/src/*.cpp"],
            flags: &[
                "-O1",
                "-w",
                "-std=gnu++17",
                "-DNDEBUG",
                // The sources take these from other headers, where newer libraries do not have them any more.
                "-include",
                "iomanip",
                "-include",
                "tuple",
                "-I/usr/include/libdrm",
                "-I{llvm}/include",
            ],
            include: &["libhsakmt/tests/kfdtest/include", "libhsakmt/include"],
            adapter: Some((
                &["Assemble.cpp"],
                ("llvm20.h", include_str!("headers/llvm20.h")),
            )),
        },
    ],
    libraries: &[
        "-L{llvm}/lib",
        "-Wl,-rpath,{llvm}/lib",
        "-lLLVM",
        "-lgtest",
        "-ldrm",
        "-ldrm_amdgpu",
        "-lnuma",
        "-lpthread",
        "-lrt",
    ],
    kernels: &[],
    // Milliseconds. Some tests wait for as long as that to see that nothing happens.
    arguments: &["--timeout=5000"],
    // As its own script sets it, for a test of debuggers' access to memory.
    variables: &[("HSA_DEBUG", "1")],
    unfit: &[
        Unfit {
            tests: "KFDPMTest.*",
            reason: "it puts the machine to sleep: power management",
            fits: never,
        },
        Unfit {
            tests: "KFDEventTest.MeasureInterruptConsumption",
            reason: "it only measures real time, for minutes; AMD's own list leaves it out, too",
            fits: never,
        },
        Unfit {
            tests: "KFDQMTest.BasicCuMasking*",
            reason: "it compares the real time that a kernel takes on more and on fewer compute units; AMD's own list leaves it out, too",
            fits: never,
        },
        Unfit {
            tests: "KFDQMTest.QueuePriority*",
            reason: "it compares the real time that kernels take in queues of high and of low priority",
            fits: never,
        },
        Unfit {
            tests: "KFDLocalMemoryTest.Fragmentation",
            reason: "it allocates 65,536 blocks, for which Linux gives a process too few mappings; AMD's own list leaves it out, too",
            fits: never,
        },
        Unfit {
            tests: "KFDLocalMemoryTest.CheckZeroInitializationVram",
            reason: "it fills all memory of the device, which is the host's here; AMD's own list leaves it out, too",
            fits: never,
        },
        Unfit {
            tests: "KFDMemoryTest.CheckZeroInitializationSysMem",
            reason: "it writes to a quarter of the host's memory, five times",
            fits: never,
        },
        Unfit {
            tests: "KFDRASTest.*",
            reason: "it needs memory in which errors can be injected, and ends the whole program where there is none; AMD's own list leaves it out, too",
            fits: never,
        },
        Unfit {
            tests: "KFDGWSTest.Semaphore",
            reason: "gfx12 has no instructions of global wave sync: nothing is assembled; AMD's own list leaves it out, too",
            fits: |device| !device.starts_with("gfx12"),
        },
        Unfit {
            tests: "RDMATest.GPUDirect",
            reason: "it needs a kernel module of AMD's for tests (amdp2ptest); AMD's own list leaves it out, too",
            fits: never,
        },
    ],
    skips: &["Skipping", "skipping the test", "Skip test", "is skipped"],
    patience: 300,
};

const KERNELS: &[(&str, &str)] = &[
    (
        "rocrtst/suites/test_common/kernels/test_case_template_kernels.cl",
        "test_case_template_kernels.hsaco",
    ),
    (
        "rocrtst/suites/test_common/kernels/dispatch_time_kernels.cl",
        "dispatch_time_kernels.hsaco",
    ),
    (
        "rocrtst/suites/test_common/kernels/gpuReadWrite_kernels.cl",
        "gpuReadWrite_kernels.hsaco",
    ),
    (
        "rocrtst/suites/test_common/kernels/vector_add_debug_trap_kernel.cl",
        "vector_add_debug_trap_kernels.hsaco",
    ),
    (
        "rocrtst/suites/test_common/kernels/vector_add_memory_fault_kernel.cl",
        "vector_add_memory_fault_kernels.hsaco",
    ),
    (
        "rocrtst/suites/test_common/kernels/atomicOperations_kernels.cl",
        "atomicOperations_kernels.hsaco",
    ),
    (
        "rocrtst/suites/test_common/kernels/signal_operations.cl",
        "signal_operations_kernels.hsaco",
    ),
    (
        "rocrtst/suites/test_common/kernels/groupMemoryDynamic_kernels.cl",
        "groupMemoryDynamic_kernels.hsaco",
    ),
    (
        "rocrtst/suites/test_common/kernels/cu_mask_kernels.cl",
        "cu_mask_kernels.hsaco",
    ),
];

/// Tests of ROCr, linked with the release's.
pub const ROCRTST: Program = Program {
    name: "rocrtst",
    package: "rocr-runtime",
    units: &[Unit {
        compiler: "g++",
        files: &[
            "rocrtst/common/*.cc",
            "rocrtst/suites/performance/*.cc",
            "rocrtst/suites/functional/*.cc",
            "rocrtst/suites/negative/*.cc",
            "rocrtst/suites/stress/*.cc",
            "rocrtst/suites/test_common/*.cc",
        ],
        flags: &[
            "-O1",
            "-w",
            "-std=c++17",
            "-fno-rtti",
            "-fms-extensions",
            "-DLITTLEENDIAN_CPU=1",
        ],
        include: &["rocrtst"],
        adapter: Some((
            &["memory_async_copy*", "main.cc"],
            ("hwloc2.h", include_str!("headers/hwloc2.h")),
        )),
    }],
    libraries: &[
        "-lhsa-runtime64",
        "-lrocm_smi64",
        "-lhwloc",
        "-lgtest",
        "-lnuma",
        "-lpthread",
        "-ldl",
        "-lrt",
    ],
    kernels: KERNELS,
    arguments: &[],
    variables: &[],
    unfit: &[Unfit {
        tests: "rocrtstStress.Queue_CAS_Write_Index_ConcurrentTest",
        reason: "four threads of the host hand on a number a million times and spin until it is their turn: hours on fewer than four processors",
        fits: has_four_processors,
    }],
    skips: &[],
    // Taking as many references as there can be, 2^31, is four billion calls.
    patience: 1200,
};

fn never(_: &str) -> bool {
    false
}

fn has_four_processors(_: &str) -> bool {
    std::thread::available_parallelism().is_ok_and(|count| count.get() >= 4)
}
