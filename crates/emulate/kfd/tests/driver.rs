//! A C program that uses the driver's interface directly, with this build's library preloaded; and programs that do not.

use compiled::Compiler;
use std::{
    env,
    ffi::OsStr,
    path::{Path, PathBuf},
    process::{Command, Output},
};

/// A library of this build, beside the test program's directory.
fn library(name: &str) -> PathBuf {
    let program = env::current_exe().expect("a test program has a path");
    let directory = program
        .parent()
        .and_then(Path::parent)
        .expect("tests lie in target/*/deps");
    let library = directory.join(name);
    assert!(
        library.exists(),
        "{} is missing: run `cargo build -p kfd -p thunk`",
        library.display()
    );
    library
}

pub fn text(output: &Output) -> String {
    let text = String::from_utf8_lossy;
    format!("{}{}", text(&output.stdout), text(&output.stderr))
}

pub fn run(program: impl AsRef<Path>, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    library("libhsakmt.so");
    let mut command = Command::new("timeout");
    command.arg("60").arg(program.as_ref()).args(arguments);
    command
        .env("LD_PRELOAD", library("libluthier_kfd.so"))
        .env_remove("LUTHIER_DEVICE");
    command.envs(variables.iter().copied());
    command.output().expect("the program starts")
}

/// Compiles a C source of these tests.
pub fn c(name: &str, options: &[&OsStr], output: &Path) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let mut compiler = Command::new("cc");
    compiler.args(["-Wall", "-Werror", "-O1"]).args(options);
    let said = compiler
        .arg(source.join(name))
        .arg("-o")
        .arg(output)
        .arg("-ldl");
    let said = said.output().expect("a C compiler");
    assert!(said.status.success(), "{}", text(&said));
}

/// A C program, compiled with the driver's header; what that needs of libdrm's is but types.
fn compiled(name: &str, directory: &Path) -> Option<PathBuf> {
    if !prerequisite::file("/usr/include/linux/kfd_ioctl.h", "linux-libc-dev") {
        return None;
    }
    std::fs::create_dir_all(directory.join("drm")).unwrap();
    std::fs::write(directory.join("drm/drm.h"), "#include <linux/types.h>\n").unwrap();
    let program = directory.join("program");
    let system = ["-D_FORTIFY_SOURCE=2", "-idirafter"].map(OsStr::new);
    c(
        name,
        &[&system[..], &[directory.as_os_str()]].concat(),
        &program,
    );
    Some(program)
}

#[test]
fn the_driver_answers() {
    let directory = tempfile::tempdir().unwrap();
    let Some(program) = compiled("driver.c", directory.path()) else {
        return;
    };
    let output = run(&program, &[], &[]);
    assert!(output.status.success(), "{}", text(&output));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "all answered\n");
    // A message named each command that is not emulated, once.
    for named in [
        "command 0xc0084b7f to /dev/kfd is not known",
        "AMDKFD_IOC_PC_SAMPLE is not emulated",
        "amdgpu_query_heap_info is not emulated",
        "amdgpu_cs_create_syncobj is not emulated",
        "amdgpu_query_info is not emulated",
        "amdgpu_va_range_query is not emulated",
    ] {
        assert_eq!(text(&output).matches(named).count(), 1, "{}", text(&output));
    }
}

/// The kernels of `device.c` for a target; None where LLVM's compiler is missing.
fn kernels(target: &str, directory: &Path) -> Option<PathBuf> {
    let compiler = "clang-22";
    if Command::new(compiler).arg("--version").output().is_err() {
        eprintln!("skipped: {compiler} is missing (Debian package clang-22)");
        return None;
    }
    let object = directory.join(format!("{target}.co"));
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/device.cl");
    let output = Compiler::new(compiler)
        .args(["-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa"])
        .args(["-nogpulib", "-mcode-object-version=4", "-O2"])
        .arg(format!("-mcpu={target}"))
        .arg(source)
        .arg("-o")
        .arg(&object)
        .output()
        .expect("a compiler for kernels");
    assert!(output.status.success(), "{}", text(&output));
    Some(object)
}

/// Runs scenes of `device.c` on devices; what it writes to standard error, by scene.
fn scenes(devices: &[&str], scenes: &[&str], check: impl Fn(&str, &str)) {
    let directory = tempfile::tempdir().unwrap();
    let Some(program) = compiled("device.c", directory.path()) else {
        return;
    };
    for devices in devices {
        let target = devices.split(',').next().unwrap_or(devices);
        let Some(object) = kernels(target, directory.path()) else {
            return;
        };
        let object = object.to_str().expect("its path is text");
        for scene in scenes {
            let output = run(&program, &[object, scene], &[("LUTHIER_DEVICE", devices)]);
            let printed = String::from_utf8_lossy(&output.stdout);
            let said = String::from_utf8_lossy(&output.stderr);
            assert_eq!(printed, format!("{scene} done\n"), "{devices}: {said}");
            check(scene, &said);
        }
    }
}

const FAMILIES: [&str; 5] = ["gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201"];

/// Packets of copy engines, queues that are suspended, scratch and doorbells that the program gives, mappings, shared memory.
#[test]
fn queues_do_what_the_driver_is_told() {
    let all = [
        "engines",
        "suspension",
        "scratch",
        "doorbells",
        "mapping",
        "shared",
    ];
    scenes(&FAMILIES, &all, |scene, said| {
        assert_eq!(said, "", "{scene}")
    });
}

#[test]
fn kernels_run_on_the_compute_units_of_their_queue() {
    scenes(
        &["gfx90a", "gfx1030", "gfx1100", "gfx1201"],
        &["units"],
        |_, said| {
            assert_eq!(said, "");
        },
    );
}

/// On hardware these accesses are page faults.
#[test]
fn memory_that_is_not_mapped_to_a_device_is_out_of_its_reach() {
    let check = |scene: &str, said: &str| {
        assert!(said.contains("not mapped to node 1"), "{scene}: {said}");
    };
    scenes(
        &["gfx90a", "gfx1201"],
        &["unmapped", "unmapped-kernel"],
        check,
    );
    let peers = ["gfx942,gfx942"];
    scenes(&peers, &["unmapped-peer", "unmapped-kernel-peer"], check);
}

/// Where the devices have shared memory, the thunk asks the driver for nothing when it unregisters memory (`hipHostUnregister`), so kernels
/// still reach it, as on hardware, until the program unmaps it.
#[test]
fn memory_that_is_unregistered_is_out_of_reach_when_the_driver_is_told() {
    let check = |scene: &str, said: &str| {
        assert_eq!(
            said.matches("stopped: write to").count(),
            1,
            "{scene}: {said}"
        );
    };
    let all = ["registered", "registered-mapping"];
    scenes(&["gfx90a", "gfx942", "gfx1100", "gfx1201"], &all, check);
}

/// By the driver's numbers, where the runtime has asked for them.
#[test]
fn errors_are_told_as_exceptions() {
    scenes(&["gfx90a", "gfx1100"], &["exceptions"], |_, said| {
        assert!(said.contains("trap 2"), "{said}");
    });
}

/// Without packets of AQL: registers, dispatches, copies, stores, waits, buffers, interrupts.
#[test]
fn queues_of_pm4_commands_run_kernels() {
    scenes(&FAMILIES, &["commands"], |_, said| assert_eq!(said, ""));
    scenes(&["gfx90a"], &["unknown_command"], |_, said| {
        let expected = "stopped: PM4 command 0xc0007f00: a command that is not emulated";
        assert_eq!(said.matches(expected).count(), 1, "{said}");
    });
}

#[test]
fn a_copy_engine_stops_with_the_name_of_what_it_does_not_know() {
    scenes(&["gfx90a"], &["unknown"], |_, said| {
        let expected = "packet 0x0000000e: a write to a register is not emulated";
        assert_eq!(said.matches(expected).count(), 1, "{said}");
    });
}

/// Programs try commands again and again: each is named once, so that the rest of what a program prints can be read.
#[test]
fn a_command_that_nobody_knows_is_named_once_with_what_to_report() {
    let directory = tempfile::tempdir().unwrap();
    let Some(program) = compiled("driver.c", directory.path()) else {
        return;
    };
    let output = run(&program, &["unknown"], &[]);
    assert!(output.status.success(), "{}", text(&output));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "all refused\n");
    let said = String::from_utf8_lossy(&output.stderr);
    let expected = [
        "command 0xc0084b7d to /dev/kfd is not known",
        "command 0xc0104b7d to /dev/kfd is not known",
        "command 0xc0084b7c to a render node is not known",
        "the common DRM command 0x3e is not emulated",
        "amdgpu's DRM command 0x1f is not emulated",
    ]
    .map(|what| {
        format!(
            "luthier: the emulated driver: {what}; please report it with the versions of ROCr and HIP"
        )
    });
    assert_eq!(said.lines().collect::<Vec<_>>(), expected, "{said}");
}

/// The kernel driver decides which devices retry for a process that asks for it (`kfd_process_xnack_mode`).
#[test]
fn devices_have_xnack_on_wish_or_refuse_it_and_say_why() {
    let directory = tempfile::tempdir().unwrap();
    let Some(program) = compiled("driver.c", directory.path()) else {
        return;
    };
    let answers = |mode: &str, devices: &str| {
        let output = run(&program, &[mode], &[("LUTHIER_DEVICE", devices)]);
        let printed = String::from_utf8_lossy(&output.stdout);
        assert_eq!(printed, format!("{mode}\n"), "{devices}");
        text(&output)
    };
    for (devices, named) in [
        ("gfx908", "on gfx908,"),
        ("gfx1030", "on gfx1030,"),
        ("gfx90a,gfx906,gfx1100", "on gfx1100, gfx906,"),
    ] {
        let said = answers("without-xnack", devices);
        let note = format!("luthier: HSA_XNACK=1 has no effect {named} as on hardware");
        assert_eq!(said.matches(&note).count(), 1, "{said}");
    }
    for devices in ["gfx90a", "gfx942", "gfx950", "gfx90a,gfx942"] {
        let said = answers("with-xnack", devices);
        assert!(!said.contains("luthier"), "{said}");
    }
}

/// Clang's OpenMP opens the driver in the constructor of a library that is loaded later, where the dynamic linker's lock is held. Our threads,
/// of which there is one if statistics are wanted, begin then.
#[test]
fn the_driver_is_opened_while_a_library_is_loaded() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let library = "#include <fcntl.h>\n#include <stdio.h>\n\
        __attribute__((constructor)) static void begin(void) { printf(\"opened: %d\\n\", open(\"/dev/kfd\", O_RDWR) >= 0); }\n";
    let program = "#include <dlfcn.h>\nint main(int n, char **a) { return n != 2 || !dlopen(a[1], RTLD_NOW); }\n";
    for (source, code, options) in [
        (
            "library.c",
            library,
            &["-shared", "-fPIC", "-o", "library.so"][..],
        ),
        ("program.c", program, &["-o", "program"]),
    ] {
        std::fs::write(path(source), code).unwrap();
        let mut command = Command::new("cc");
        command.current_dir(directory.path()).arg(source);
        let output = command.args(options).arg("-ldl").output().unwrap();
        assert!(output.status.success(), "{}", self::text(&output));
    }
    let statistics = [("LUTHIER_STATS", path("statistics.json"))];
    let statistics: Vec<(&str, &str)> = statistics.iter().map(|(n, v)| (*n, v.as_str())).collect();
    let output = run(path("program"), &[&path("library.so")], &statistics);
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "opened: 1\n",
        "{}",
        output.status
    );
    assert!(output.status.success(), "{}", text(&output));
}

/// In a process that never opens the driver, the emulator is not even loaded.
#[test]
fn other_programs_are_left_alone() {
    let output = run("cat", &["/proc/self/maps"], &[]);
    assert!(
        text(&output).contains("libluthier_kfd.so"),
        "{}",
        text(&output)
    );
    assert!(!text(&output).contains("libhsakmt"), "{}", text(&output));
}

#[test]
fn a_device_that_cannot_be_is_said_once() {
    let output = run(
        "cat",
        &["/dev/kfd", "/dev/kfd"],
        &[("LUTHIER_DEVICE", "gfx4711")],
    );
    assert!(!output.status.success());
    let complaint = "luthier: cannot emulate a device: LUTHIER_DEVICE";
    assert_eq!(
        text(&output).matches(complaint).count(),
        1,
        "{}",
        text(&output)
    );
    let elsewhere = [("LUTHIER_EMULATOR_DIRECTORY", "/nowhere")];
    let output = run("cat", &["/dev/kfd", "/dev/kfd"], &elsewhere);
    let complaint = "luthier: no GPU can be emulated: there is no libhsakmt.so.1 in /nowhere";
    assert_eq!(
        text(&output).matches(complaint).count(),
        1,
        "{}",
        text(&output)
    );
}

/// The calls are those of tinygrad.
#[test]
fn python_maps_devices_by_functions_of_the_c_library() {
    if !prerequisite::program("python3", "python3") {
        return;
    }
    let script = "import ctypes, fcntl, os, struct\n\
        libc = ctypes.CDLL('libc.so.6', use_errno=True)\n\
        libc.mmap.restype = ctypes.c_void_p\n\
        libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]\n\
        kfd = os.open('/dev/kfd', os.O_RDWR)\n\
        render = os.open('/dev/dri/renderD128', os.O_RDWR)\n\
        number = int(open('/sys/class/kfd/kfd/topology/nodes/1/gpu_id').read())\n\
        place = libc.mmap(None, 8192, 0, 0x22, -1, 0)\n\
        arguments = bytearray(struct.pack('<QQQQII', place, 8192, 0, 0, number, 2 | 1 << 31))\n\
        fcntl.ioctl(kfd, 0xc0284b16, arguments)\n\
        offset = struct.unpack('<QQQQII', arguments)[3]\n\
        found = libc.mmap(place, 8192, 3, 0x11, render, offset)\n\
        ctypes.memset(found, 5, 8192)\n\
        again = libc.open(b'/dev/kfd', os.O_RDWR)\n\
        print(found == place, libc.ioctl(again, 0x80084b01, bytes(8)), libc.open(b'/nowhere', 0), ctypes.get_errno())";
    let output = run("python3", &["-c", script], &[]);
    assert_eq!(text(&output), "True 0 -1 2\n");
}

/// Where programs look for the driver before they open it: rocminfo of Debian 12 asks `lsmod`, libraries of system management list cards.
#[test]
fn the_driver_is_among_the_modules_and_its_gpus_among_the_cards() {
    if Command::new("lsmod").output().is_ok() {
        let said = text(&run("lsmod", &[], &[]));
        assert_eq!(said.matches("\namdgpu ").count(), 1, "{said}");
    }
    if Command::new("python3").arg("--version").output().is_err() {
        eprintln!("skipped: python3 is missing");
        return;
    }
    let script = "import os\n\
        lines = open('/proc/modules').read().splitlines()\n\
        print(sum(line.startswith('amdgpu ') for line in lines), len({len(line.split()) >= 6 for line in lines}))\n\
        m = '/sys/module/amdgpu'\n\
        print(sorted(os.listdir(m)), open(m + '/initstate').read().strip(), os.listdir(m + '/holders'))\n\
        p = m + '/parameters'\n\
        print({name: open(f'{p}/{name}').read() for name in sorted(os.listdir(p))})";
    let output = run("python3", &["-c", script], &[]);
    let expected = "1 1\n\
        ['coresize', 'holders', 'initstate', 'parameters', 'refcnt'] live []\n\
        {'cwsr_enable': '1\\n', 'emu_mode': '0\\n', 'sched_policy': '0\\n'}\n";
    assert_eq!(text(&output), expected);
    // The bus has the system's own devices as well. Libraries look there from a descriptor of the root.
    let script = "import os\n\
        d = '/sys/bus/pci/devices'\n\
        before = set(os.listdir(d)) if os.path.isdir(d) else set()\n\
        driver = os.open('/dev/kfd', os.O_RDWR)\n\
        root = os.open('/', os.O_RDONLY)\n\
        after = os.listdir(os.open('sys/bus/pci/devices', os.O_RDONLY, dir_fd=root))\n\
        ours = '0000:01:00.0'\n\
        print(before <= set(after), ours in after, len(after) == len(set(after)))\n\
        read = lambda name: open(os.open(f'sys/bus/pci/devices/{ours}/{name}', os.O_RDONLY, dir_fd=root)).read().strip()\n\
        print(ours in before or (read('vendor'), read('class')) == ('0x1002', '0x038000'))";
    let output = run("python3", &["-c", script], &[]);
    assert_eq!(text(&output), "True True True\nTrue\n");
    // The system's own files are not touched.
    let is_there = |name: &&str| Path::new("/sys/class/drm").join(name).exists();
    if ["card0", "card1"].iter().any(is_there) {
        eprintln!("skipped: this system has cards of its own");
        return;
    }
    let script = "import os\n\
        d = '/sys/class/drm'\n\
        read = lambda name: open(f'{d}/card1/device/{name}').read().strip()\n\
        print(sorted(os.listdir(d)), sorted(os.listdir(d + '/renderD129/device/drm')))\n\
        print(os.readlink(d + '/card1'), os.path.islink(d + '/renderD128'), os.path.exists(d + '/card2'))\n\
        print(read('vendor'), read('device'), read('mem_info_vram_total'), read('unique_id'), 'PCI_SLOT_NAME=0000:02:00.0' in read('uevent'))\n\
        print(os.listdir(d + '/card1/device/hwmon'), read('hwmon/hwmon1/name'))";
    let devices = [("LUTHIER_DEVICE", "gfx90a,gfx1030")];
    let output = run("python3", &["-c", script], &devices);
    let expected = "['card0', 'card1', 'renderD128', 'renderD129'] ['card1', 'renderD129']\n\
        ../../devices/pci0000:00/0000:02:00.0/drm/card1 True False\n\
        0x1002 0x73bf 17179869184 1000000000000002 True\n\
        ['hwmon1'] amdgpu\n";
    assert_eq!(text(&output), expected);
}

/// Python opens, lists and asks by other functions than C programs do.
#[test]
fn python_sees_the_files() {
    if !prerequisite::program("python3", "python3") {
        return;
    }
    let script = "import glob, os, pathlib\n\
        t = pathlib.Path('/sys/class/kfd/kfd/topology')\n\
        print(os.path.exists('/dev/kfd'), sorted(os.listdir(t / 'nodes')), (t / 'nodes/1/gpu_id').read_text().strip(),\n\
              (t / 'nodes').is_dir(), (t / 'nodes/7').exists(), sorted(e.name for e in os.scandir(t)))\n\
        folder = os.open('/sys/devices/virtual/kfd/kfd/topology', os.O_RDONLY)\n\
        print(sorted(os.listdir(folder)), os.stat('nodes/1/gpu_id', dir_fd=folder).st_size, os.path.realpath(t), len(glob.glob(f'{t}/nodes/*/gpu_id')))\n\
        print([len(names) for _, names, _, _ in os.fwalk(t)][:2], os.path.samefile(t, os.path.realpath(t)))\n\
        os.close(os.open('/dev/kfd', os.O_RDWR))\n\
        parts = pathlib.Path('/sys/class/drm/renderD128/device/ip_discovery/die/0')\n\
        print({part.name: [int((part / '0' / n).read_text()) for n in ('major', 'minor', 'revision')] for part in parts.iterdir()})";
    let output = run("python3", &["-c", script], &[("LUTHIER_DEVICE", "gfx1201")]);
    let expected = "True ['0', '1'] 4097 True False ['generation_id', 'nodes', 'system_properties']\n\
        ['generation_id', 'nodes', 'system_properties'] 5 /sys/devices/virtual/kfd/kfd/topology 2\n\
        [1, 2] True\n\
        {'11': [12, 0, 1], '42': [7, 0, 1], '108': [6, 3, 1]}\n";
    assert_eq!(text(&output), expected);
}
