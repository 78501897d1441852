//! Kernels that jump to addresses which they compute, load, choose or return to, with few registers and with all that there are, below
//! hooks that read operands, EXEC and memory, and write registers. `luthier verify` compares them with themselves at every instruction.

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    time::Instant,
};

use anyhow::{Context, Result, ensure};

use super::{Numbers, Row, Setting};

/// No comparison needs as long.
const LIMIT: &str = "120";
/// The last register of a wave's SGPRs, and the largest number of VGPRs.
const TARGETS: [(&str, usize, usize); 5] = [
    ("gfx906", 101, 256),
    ("gfx90a", 101, 512),
    ("gfx942", 101, 512),
    ("gfx1030", 105, 256),
    ("gfx1100", 105, 256),
];
/// Jumps that a kernel makes.
const STEPS: usize = 24;
/// Below these, registers have a purpose: addresses, the step, the case and where to jump; the lane and its offset.
const FIRST_SGPR: usize = 10;
const FIRST_VGPR: usize = 2;

/// Tools of one hook each, none of which changes what the kernel computes.
const HOOKS: [(&str, &str, &str); 7] = [
    ("counts", "", "luthier::add(&n, 1);"),
    ("masks", "", "luthier::add(&n, luthier::exec() & 255);"),
    ("first", "luthier_u32 x", "luthier::add(&n, x);"),
    ("second", "luthier_u32 x", "luthier::add(&n, x);"),
    (
        "accesses",
        "",
        "luthier::add(&n, luthier::effective_address() + luthier::access_size());",
    ),
    (
        "writes",
        "",
        "luthier::write_vgpr(2, luthier::vgpr(2)); luthier::write_sgpr(10, luthier::sgpr(10)); luthier::write_scc(luthier::scc());",
    ),
    (
        "many",
        "",
        "unsigned v[24], s = 0; _Pragma(\"unroll\") for (int i = 0; i < 24; i++) v[i] = ((volatile unsigned *)big)[i * 7 + luthier::lane()]; \
         _Pragma(\"unroll\") for (int i = 0; i < 24; i++) s = s * 31 + v[23 - i]; luthier::add(&n, s);",
    ),
];

/// The description of a tool with this hook.
fn description(hook: &str) -> &'static str {
    match hook {
        "first" => {
            "hooks = { first = [\"vector\"] }\ninsert = [{ hook = \"first\", arguments = [\"operand.0\"] }]"
        }
        "second" => {
            "hooks = { second = [\"vector\"] }\ninsert = [{ hook = \"second\", arguments = [\"operand.1\"] }]"
        }
        "accesses" => "insert = [{ hook = \"accesses\", where = \"kind=memory\" }]",
        "counts" => "insert = [{ hook = \"counts\" }]",
        "masks" => "insert = [{ hook = \"masks\" }]",
        "writes" => "insert = [{ hook = \"writes\" }]",
        _ => "insert = [{ hook = \"many\" }]",
    }
}

fn said(output: &Output) -> String {
    let both = [&output.stdout[..], &output.stderr].concat();
    String::from_utf8_lossy(&both).into_owned()
}

/// The tools, built.
fn tools(setting: &Setting) -> Result<Vec<PathBuf>> {
    let built = HOOKS.iter().map(|(name, parameter, body)| {
        let text = format!(
            "#include <luthier_device.h>\nLUTHIER_GLOBAL luthier_u64 n;\nLUTHIER_GLOBAL unsigned big[8192];\n\
             LUTHIER_HOOK void {name}({parameter}) {{ {body} }}\nLUTHIER_TOOL(R\"({})\")\n",
            description(name)
        );
        let source = setting.folder.join(format!("jumps-{name}.hip"));
        let tool = source.with_extension("tool");
        fs::write(&source, text).with_context(|| source.display().to_string())?;
        let mut build = Command::new(&setting.luthier);
        build.args(["tool", "build"]).arg(&source).arg("-o").arg(&tool);
        let output = build.output().context("cannot start luthier")?;
        ensure!(output.status.success(), "{}", said(&output));
        Ok(tool)
    });
    built.collect()
}

/// The way a kernel finds the next piece of its code.
#[derive(Clone, Copy)]
enum Way {
    /// Branches that lie one behind the other, by number.
    Branches,
    /// Distances in a table in the code.
    Distances,
    /// Addresses in a table that the loader fills in.
    Addresses,
    /// The same, and the piece returns.
    Calls,
    /// One of two addresses.
    Choice,
}
const WAYS: [Way; 5] = [
    Way::Branches,
    Way::Distances,
    Way::Addresses,
    Way::Calls,
    Way::Choice,
];

/// A random kernel in assembly, for a target with so many registers.
struct Kernel<'a> {
    numbers: &'a mut Numbers,
    text: String,
    sgprs: usize,
    vgprs: usize,
}

impl Kernel<'_> {
    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        _ = writeln!(self.text, "{line}");
    }

    fn vector(&mut self) -> usize {
        FIRST_VGPR + self.numbers.below(self.vgprs - FIRST_VGPR)
    }

    fn scalar(&mut self) -> usize {
        FIRST_SGPR + self.numbers.below(self.sgprs - FIRST_SGPR)
    }

    fn operation(&mut self) {
        let [a, b, c] = [self.vector(), self.vector(), self.vector()];
        let [x, y, z] = [self.scalar(), self.scalar(), self.scalar()];
        match self.numbers.below(9) {
            0 => self.line(format_args!("v_xor_b32 v{a}, v{b}, v{c}")),
            1 => self.line(format_args!("v_mul_lo_u32 v{a}, v{b}, v{c}")),
            2 => self.line(format_args!("v_lshlrev_b32 v{a}, 3, v{b}")),
            3 => self.line(format_args!("v_mad_u32_u24 v{a}, v{b}, v{c}, v{a}")),
            4 => self.line(format_args!("s_xor_b32 s{x}, s{y}, s{z}")),
            5 => self.line(format_args!("s_mul_i32 s{x}, s{y}, s{z}")),
            6 => self.line(format_args!(
                "s_mov_b64 vcc, exec\ns_mov_b64 exec, 0x5555\nv_xor_b32 v{a}, v{b}, v{c}\ns_mov_b64 exec, vcc"
            )),
            7 => self.line(format_args!(
                "v_cmp_gt_u32 vcc, v{a}, v{b}\nv_cndmask_b32 v{a}, v{b}, v{c}, vcc"
            )),
            _ => self.line(format_args!(
                "global_store_dword v1, v{a}, s[0:1]\nglobal_load_dword v{b}, v1, s[0:1]\ns_waitcnt vmcnt(0)"
            )),
        }
    }

    /// Goes to the piece with number s5 of so many.
    fn jump(&mut self, way: Way, pieces: usize) {
        match way {
            Way::Branches => {
                self.line(format_args!(
                    "s_lshl_b32 s5, s5, 2\ns_getpc_b64 s[6:7]\n.Lhere:\ns_add_u32 s6, s6, s5\ns_addc_u32 s7, s7, 0\n\
                     s_add_u32 s6, s6, .Lbranches-.Lhere\ns_addc_u32 s7, s7, 0\ns_setpc_b64 s[6:7]\n.Lbranches:"
                ));
                (0..pieces).for_each(|piece| self.line(format_args!("s_branch .Lpiece{piece}")));
            }
            Way::Distances => self.line(format_args!(
                "s_lshl_b32 s5, s5, 2\ns_getpc_b64 s[6:7]\n.Lhere:\ns_add_u32 s6, s6, .Ldistances-.Lhere\ns_addc_u32 s7, s7, 0\n\
                 s_load_dword s5, s[6:7], s5\ns_waitcnt lgkmcnt(0)\ns_ashr_i32 s8, s5, 31\ns_add_u32 s6, s6, s5\ns_addc_u32 s7, s7, s8\n\
                 s_setpc_b64 s[6:7]"
            )),
            Way::Addresses | Way::Calls => {
                let go = match way {
                    Way::Calls => "s_swappc_b64 s[8:9], s[6:7]\ns_branch .Lnext",
                    _ => "s_setpc_b64 s[6:7]",
                };
                self.line(format_args!(
                    "s_lshl_b32 s5, s5, 3\ns_getpc_b64 s[6:7]\ns_add_u32 s6, s6, addresses@rel32@lo+4\n\
                     s_addc_u32 s7, s7, addresses@rel32@hi+12\ns_load_dwordx2 s[6:7], s[6:7], s5\ns_waitcnt lgkmcnt(0)\n{go}"
                ));
            }
            Way::Choice => self.line(format_args!(
                "s_getpc_b64 s[6:7]\n.Lhere:\ns_add_u32 s8, s6, .Lpiece0-.Lhere\ns_addc_u32 s9, s7, 0\n\
                 s_add_u32 s6, s6, .Lpiece1-.Lhere\ns_addc_u32 s7, s7, 0\ns_cmp_eq_u32 s5, 0\n\
                 s_cselect_b32 s6, s8, s6\ns_cselect_b32 s7, s9, s7\ns_setpc_b64 s[6:7]"
            )),
        }
    }

    fn make(&mut self, target: &str, way: Way) {
        let pieces = match way {
            Way::Choice => 2,
            _ => 2 << self.numbers.below(3),
        };
        self.line(format_args!(
            ".amdgcn_target \"amdgcn-amd-amdhsa--{target}\"\n.text\n.globl k\n.p2align 8\n.type k,@function\nk:\n\
             s_load_dwordx4 s[0:3], s[0:1], 0x0\nv_and_b32 v0, 0x3ff, v0\nv_lshlrev_b32 v1, 2, v0\ns_waitcnt lgkmcnt(0)\ns_mov_b32 s4, 0"
        ));
        for register in FIRST_VGPR..self.vgprs {
            let value = self.numbers.next() as u32;
            self.line(format_args!("v_xor_b32 v{register}, {value:#x}, v0"));
        }
        for register in FIRST_SGPR..self.sgprs {
            let value = self.numbers.next() as u32;
            self.line(format_args!("s_mov_b32 s{register}, {value:#x}"));
        }
        self.line(format_args!(
            ".Lround:\ns_lshl_b32 s5, s4, 2\ns_load_dword s5, s[2:3], s5\ns_waitcnt lgkmcnt(0)\ns_and_b32 s5, s5, {}",
            pieces - 1
        ));
        self.jump(way, pieces);
        for piece in 0..pieces {
            self.line(format_args!(".Lpiece{piece}:"));
            (0..1 + self.numbers.below(6)).for_each(|_| self.operation());
            match way {
                Way::Calls => self.line(format_args!("s_setpc_b64 s[8:9]")),
                _ => self.line(format_args!("s_branch .Lnext")),
            }
        }
        self.line(format_args!(
            ".Lnext:\ns_add_u32 s4, s4, 1\ns_cmp_lt_u32 s4, {STEPS}\ns_cbranch_scc1 .Lround"
        ));
        for register in FIRST_VGPR + 1..self.vgprs {
            self.line(format_args!("v_xor_b32 v2, v2, v{register}"));
        }
        for register in FIRST_SGPR..self.sgprs {
            self.line(format_args!("v_xor_b32 v2, s{register}, v2"));
        }
        self.line(format_args!(
            "global_store_dword v1, v2, s[0:1]\ns_endpgm\n.Lend:\n.size k, .Lend-k\n.Ldistances:"
        ));
        (0..pieces).for_each(|piece| {
            self.line(format_args!(".long .Lpiece{piece}-.Ldistances"));
        });
        self.line(format_args!(
            ".section .data.rel.ro,\"aw\"\n.p2align 3\naddresses:"
        ));
        (0..pieces).for_each(|piece| self.line(format_args!(".quad .Lpiece{piece}")));
        self.describe(target);
    }

    fn describe(&mut self, target: &str) {
        let (vgprs, sgprs) = (self.vgprs, self.sgprs);
        let more = match target {
            "gfx90a" | "gfx942" => {
                format!(
                    ".amdhsa_accum_offset {}\n",
                    vgprs.next_multiple_of(4).min(256)
                )
            }
            "gfx1030" | "gfx1100" => ".amdhsa_wavefront_size32 0\n".to_owned(),
            _ => String::new(),
        };
        self.line(format_args!(
            ".rodata\n.p2align 6\n.amdhsa_kernel k\n.amdhsa_user_sgpr_kernarg_segment_ptr 1\n.amdhsa_kernarg_size 16\n\
             .amdhsa_next_free_vgpr {vgprs}\n.amdhsa_next_free_sgpr {sgprs}\n{more}.end_amdhsa_kernel\n.amdgpu_metadata\n---\n\
             amdhsa.version: [1, 1]\namdhsa.target: amdgcn-amd-amdhsa--{target}\namdhsa.kernels:\n  - .name: k\n    .symbol: k.kd\n\
             \x20   .kernarg_segment_size: 16\n    .group_segment_fixed_size: 0\n    .private_segment_fixed_size: 0\n\
             \x20   .kernarg_segment_align: 8\n    .wavefront_size: 64\n    .sgpr_count: {sgprs}\n    .vgpr_count: {vgprs}\n\
             \x20   .max_flat_workgroup_size: 64\n    .args:\n\
             \x20     - {{.address_space: global, .name: out, .offset: 0, .size: 8, .value_kind: global_buffer}}\n\
             \x20     - {{.address_space: global, .name: in, .offset: 8, .size: 8, .value_kind: global_buffer}}\n...\n.end_amdgpu_metadata"
        ));
    }
}

/// The code object of a kernel.
fn assembled(source: &Path, target: &str) -> Result<PathBuf> {
    let object = source.with_extension("co");
    let mut compiler = Command::new("clang-22");
    compiler
        .args([
            "--target=amdgcn-amd-amdhsa",
            "-mcode-object-version=4",
            "-x",
            "assembler",
        ])
        .arg(format!("-mcpu={target}"));
    if target.starts_with("gfx1") {
        compiler.arg("-mwavefrontsize64");
    }
    compiler.arg(source).arg("-o").arg(&object);
    let output = compiler.output().context("cannot start clang-22")?;
    ensure!(
        output.status.success(),
        "clang-22 does not assemble {}: {}",
        source.display(),
        said(&output)
    );
    Ok(object)
}

/// Kernels of computed jumps are the same with hooks at every instruction, or the hooks are refused.
pub(super) fn jumps(setting: &Setting) -> Result<Row> {
    let tools = tools(setting)?;
    let mut numbers = Numbers(0x1f83_d9ab_fb41_bd6b);
    let (mut row, mut same, began) = (Row::default(), 0, Instant::now());
    let input = setting.folder.join("jumps.bin");
    while began.elapsed() < setting.time {
        let (target, last, most) = TARGETS[numbers.below(TARGETS.len())];
        let vgprs = [8, 24, 64, 128, 250, 256][numbers.below(6)].min(most);
        let sgprs = [24, 48, 80, last + 1][numbers.below(4)].min(102);
        let way = WAYS[numbers.below(WAYS.len())];
        let chosen: Vec<u8> = (0..256).map(|_| numbers.next() as u8).collect();
        fs::write(&input, chosen).with_context(|| input.display().to_string())?;
        let mut kernel = Kernel {
            numbers: &mut numbers,
            text: String::new(),
            sgprs,
            vgprs,
        };
        kernel.make(target, way);
        let source = setting.folder.join("jumps.s");
        fs::write(&source, kernel.text).with_context(|| source.display().to_string())?;
        let object = assembled(&source, target)?;
        let mut verify = Command::new("timeout");
        verify.args(["--kill-after=5", LIMIT]);
        verify.arg(&setting.luthier).arg("verify").arg(&object);
        verify.args([
            "-k",
            "k",
            "--grid",
            "2",
            "--block",
            "64",
            "--arg",
            "zero:4096",
        ]);
        verify.arg("--arg").arg(format!("file:{}", input.display()));
        let mut names = Vec::new();
        for _ in 0..1 + numbers.below(2) {
            let tool = &tools[numbers.below(tools.len())];
            if !names.contains(&tool) {
                verify.arg("-t").arg(tool);
                names.push(tool);
            }
        }
        row.tried += 1;
        let output = verify.stdin(Stdio::null()).output();
        let output = output.context("cannot start timeout")?;
        let refused = output.status.code() == Some(2) && !said(&output).contains("panicked");
        // (A kernel that is the same until a fault stops it has not been where it was to jump.)
        let right = output.status.success() && !said(&output).contains("both were stopped");
        same += u64::from(right);
        if !right && !refused {
            let number = row.failures.len();
            for (path, ending) in [(&source, "s"), (&input, "bin")] {
                fs::copy(
                    path,
                    setting.folder.join(format!("jumps-{number}.{ending}")),
                )?;
            }
            let words: Vec<String> = said(&output).lines().take(6).map(str::to_owned).collect();
            row.failures.push(format!(
                "jumps-{number}.s for {target} with {names:?}: {:?}: {}",
                output.status,
                words.join(" | ")
            ));
        }
    }
    if same == 0 {
        row.failures
            .push("jumps: every kernel was refused".to_owned());
    }
    Ok(row)
}
