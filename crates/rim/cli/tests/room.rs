//! Kernels that have just the registers with which their largest workgroup fits a compute unit, under all ready tools together. They still
//! fit, by the numbers of manuals and on the emulated device, and leave the same contents in memory.

use compiled::Compiler;
use std::{fmt::Write, path::Path};

use codeobj::CodeObject;
use gfx::{TARGETS, Target};
use luthier::Engine;
use verify::{Input, Launch};

const LIMITS: [u32; 5] = [64, 128, 256, 512, 1024];
const TOOLS: &str = "instr-count,bb-count,opcode-histogram,mem-trace,mem-coalesce,lds-conflicts,branch-divergence,hotspots,launch-log,empty";

/// How waves share registers, as AMD's ISA manuals and LLVM's AMDGPU usage guide have it.
struct File {
    /// Prefixes of targets' names.
    prefixes: &'static [&'static str],
    wave_size: u32,
    /// VGPRs of one SIMD's lane, and what waves get them in multiples of.
    total: u32,
    granule: u32,
    /// Most that one wave can have.
    most: u32,
}

#[rustfmt::skip]
const FILES: &[File] = &[
    File { prefixes: &["gfx90a", "gfx942", "gfx950"],                      wave_size: 64, total: 512,  granule: 8,  most: 512 },
    File { prefixes: &["gfx9"],                                            wave_size: 64, total: 256,  granule: 4,  most: 256 },
    File { prefixes: &["gfx101"],                                          wave_size: 64, total: 512,  granule: 4,  most: 256 },
    File { prefixes: &["gfx101"],                                          wave_size: 32, total: 1024, granule: 8,  most: 256 },
    File { prefixes: &["gfx1100", "gfx1101", "gfx1151", "gfx120"],         wave_size: 64, total: 768,  granule: 12, most: 256 },
    File { prefixes: &["gfx1100", "gfx1101", "gfx1151", "gfx120"],         wave_size: 32, total: 1536, granule: 24, most: 256 },
    File { prefixes: &["gfx103", "gfx11"],                                 wave_size: 64, total: 512,  granule: 8,  most: 256 },
    File { prefixes: &["gfx103", "gfx11"],                                 wave_size: 32, total: 1024, granule: 16, most: 256 },
];

/// How kernels are compiled.
#[derive(Clone, Copy)]
struct Mode {
    flags: &'static [&'static str],
    wave_size: u32,
    /// The LDS that a workgroup can use.
    simds: u32,
    /// Half of the registers are AccVGPRs.
    accumulators: bool,
}

/// Waves of 64 lanes on all of four SIMDs: a compute unit of gfx9, a work-group processor since gfx10.
const WAVE64: Mode = Mode {
    flags: &[],
    wave_size: 64,
    simds: 4,
    accumulators: false,
};

const CDNA: [Mode; 2] = [
    WAVE64,
    Mode {
        accumulators: true,
        ..WAVE64
    },
];

const RDNA: [Mode; 4] = [
    Mode {
        wave_size: 32,
        ..WAVE64
    },
    Mode {
        flags: &["-mcumode"],
        wave_size: 32,
        simds: 2,
        ..WAVE64
    },
    Mode {
        flags: &["-mwavefrontsize64"],
        ..WAVE64
    },
    Mode {
        flags: &["-mwavefrontsize64", "-mcumode"],
        simds: 2,
        ..WAVE64
    },
];

impl Mode {
    fn waves_of_a_simd(&self, limit: u32) -> u32 {
        limit.div_ceil(self.wave_size).div_ceil(self.simds)
    }

    /// VGPRs that a wave can have at most in workgroups so large.
    fn most(&self, file: &File, limit: u32) -> u32 {
        let fitting = file.total / self.waves_of_a_simd(limit);
        (fitting / file.granule * file.granule).min(file.most)
    }
}

/// Two kernels for each limit: in one all registers are read at the end, in the other they are dead nearly everywhere.
fn source(file: &File, mode: &Mode) -> String {
    let mut text = String::from(
        "#define KERNEL __attribute__((amdgpu_kernel))\n#define GLOBAL __attribute__((address_space(1)))\n\
         #define LDS __attribute__((address_space(3)))\ntypedef unsigned u32;\n",
    );
    for limit in LIMITS {
        let most = mode.most(file, limit);
        let (vgprs, agprs) = match mode.accumulators {
            true => (most / 2, most / 2),
            // One wave of a unified file has at most 256 of each.
            false => (most.min(256), most.saturating_sub(256)),
        };
        for live in [false, true] {
            let name = if live { "live" } else { "dead" };
            // The compiler takes low registers for what it needs itself.
            let high = vgprs.saturating_sub(24).max(vgprs / 2)..vgprs;
            let (mut begin, mut end) = (String::new(), String::new());
            for number in high.clone() {
                let _ = write!(begin, "v_mov_b32 v{number}, {}\\n", number % 60);
                if live {
                    let _ = write!(end, "v_xor_b32 %0, v{number}, %0\\n");
                }
            }
            let mut clobbers: Vec<String> = high.map(|number| format!("\"v{number}\"")).collect();
            if agprs > 0 {
                clobbers.push(format!("\"a{}\"", agprs - 1));
            }
            let clobbers = clobbers.join(", ");
            let _ = write!(
                text,
                "KERNEL __attribute__((amdgpu_flat_work_group_size({limit}, {limit})))\n\
                 void {name}{limit}(GLOBAL u32 *out, GLOBAL const u32 *in) {{\n\
                   static __attribute__((loader_uninitialized)) LDS u32 all[{limit}];\n\
                   u32 t = __builtin_amdgcn_workitem_id_x(), i = __builtin_amdgcn_workgroup_id_x() * {limit} + t;\n\
                   u32 x = in[i];\n\
                   __asm__ volatile(\"{begin}\" ::: {clobbers});\n\
                   all[t] = x;\n\
                   __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, \"workgroup\"); __builtin_amdgcn_s_barrier();\n\
                   for (u32 k = 0; k < (x & 3); k++) x += all[(t + k) % {limit}];\n\
                   if (x & 1) x = 3 * x + 1; else out[i + {limit}] = x;\n\
                   __asm__ volatile(\"{end}\" : \"+v\"(x));\n\
                   out[i] = x;\n}}\n"
            );
        }
    }
    text
}

fn compile(text: &str, target: &Target, mode: &Mode) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let (source, out) = (folder.path().join("room.c"), folder.path().join("room.co"));
    std::fs::write(&source, text).unwrap();
    let output = Compiler::new("clang-22")
        .args(["-x", "c", "--target=amdgcn-amd-amdhsa", "-nogpulib", "-O2"])
        .args(mode.flags)
        .arg(format!("-mcpu={}", target.name))
        .arg("-o")
        .args([&out, &source])
        .output()
        .expect("clang-22 is installed (./dev setup)");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {errors}", target.name);
    std::fs::read(&out).unwrap()
}

#[test]
fn workgroups_that_just_fit_still_do_with_all_tools() {
    let directory = Path::new(env!("CARGO_BIN_EXE_luthier")).with_file_name("luthier-tools");
    let tools = || tools::open_all(&[TOOLS.to_owned()], &directory).unwrap();
    let (mut at_limit, mut refused) = (0, Vec::new());
    for (number, target) in TARGETS.iter().enumerate() {
        let modes = match target.name {
            // Nothing computes its kernels' results rightly yet.
            "gfx1250" => &[][..],
            "gfx90a" | "gfx942" | "gfx950" => &CDNA[..],
            name if name.starts_with("gfx9") => &CDNA[..1],
            // Every mode of the first of each generation, one mode of each of the others.
            "gfx1010" | "gfx1030" | "gfx1100" | "gfx1102" | "gfx1200" => &RDNA[..],
            _ => &RDNA[number % 4..][..1],
        };
        for mode in modes {
            let is_it = |file: &&File| {
                let prefixed = |prefix: &&str| target.name.starts_with(prefix);
                file.wave_size == mode.wave_size && file.prefixes.iter().any(prefixed)
            };
            let file = FILES.iter().find(is_it).unwrap();
            let original = compile(&source(file, mode), target, mode);
            let engine = Engine::new(tools(), "", None).unwrap();
            let made = engine.instrument_object(&original, None).unwrap();
            let object = CodeObject::parse(&original).unwrap();
            for outcome in &made.kernels {
                let name = &outcome.name;
                let limit: u32 = name[4..].parse().unwrap();
                let case = format!("{} {:?} {name}", target.name, mode.flags);
                // A wave that can name 256 may get some more.
                let most = mode.most(file, limit).next_multiple_of(file.granule);
                let before = object.kernel(name).unwrap().descriptor.vgpr_count();
                at_limit += u32::from(before.next_multiple_of(file.granule) == most);
                match &outcome.result {
                    Ok(report) => assert!(
                        report.after.vgprs <= most
                            && report.after.vgprs * mode.waves_of_a_simd(limit) <= file.total,
                        "{case}: {report:?}"
                    ),
                    Err(session) => refused.push(format!("{case}: {session}")),
                }
                let words =
                    |count: u32| Input::words((0..count).map(|n| n.wrapping_mul(0x9e37_79b9) >> 7));
                let launch = Launch {
                    kernel: name.clone(),
                    grid: [2, 1, 1],
                    block: [limit, 1, 1],
                    dynamic_lds: 0,
                    inputs: vec![words(4 * limit), words(2 * limit)],
                };
                let run = |object| {
                    verify::run(object, &launch, &[])
                        .unwrap_or_else(|error| panic!("{case}: {error}"))
                };
                let (before, after) = (run(&original), run(&made.object));
                assert!(before.buffers == after.buffers, "{case}: other results");
                if outcome.result.is_ok() {
                    assert!(before.wave_instructions < after.wave_instructions, "{case}");
                }
            }
        }
    }
    assert!(
        at_limit > 400,
        "{at_limit} kernels take all that they can have"
    );
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}
