//! Descriptor fields we set, read back by llvm-objdump; occupancy, compared with clang's remarks.

use crate::common::{Work, compile, run, source};
use codeobj::resources::{WorkgroupSizes, one_more, resources, what_if};
use codeobj::{CodeObject, KernelDescriptor};
use std::{collections::BTreeMap, path::Path};

/// LLVM's directive (or comment) and our field.
#[rustfmt::skip]
const NAMES: &[(&str, &str)] = &[
    (".amdhsa_group_segment_fixed_size",           "group_segment_fixed_size"),
    (".amdhsa_private_segment_fixed_size",         "private_segment_fixed_size"),
    (".amdhsa_kernarg_size",                       "kernarg_size"),
    (".amdhsa_float_round_mode_32",                "float_round_mode_32"),
    (".amdhsa_float_round_mode_16_64",             "float_round_mode_16_64"),
    (".amdhsa_float_denorm_mode_32",               "float_denorm_mode_32"),
    (".amdhsa_float_denorm_mode_16_64",            "float_denorm_mode_16_64"),
    (".amdhsa_dx10_clamp",                         "enable_dx10_clamp"),
    (".amdhsa_ieee_mode",                          "enable_ieee_mode"),
    (".amdhsa_fp16_overflow",                      "fp16_ovfl"),
    (".amdhsa_workgroup_processor_mode",           "wgp_mode"),
    (".amdhsa_memory_ordered",                     "mem_ordered"),
    (".amdhsa_forward_progress",                   "fwd_progress"),
    (".amdhsa_round_robin_scheduling",             "enable_wg_rr_en"),
    (".amdhsa_enable_private_segment",             "enable_private_segment"),
    (".amdhsa_system_sgpr_private_segment_wavefront_offset", "enable_private_segment"),
    (".amdhsa_system_sgpr_workgroup_id_x",         "enable_sgpr_workgroup_id_x"),
    (".amdhsa_system_sgpr_workgroup_id_y",         "enable_sgpr_workgroup_id_y"),
    (".amdhsa_system_sgpr_workgroup_id_z",         "enable_sgpr_workgroup_id_z"),
    (".amdhsa_system_sgpr_workgroup_info",         "enable_sgpr_workgroup_info"),
    (".amdhsa_system_vgpr_workitem_id",            "enable_vgpr_workitem_id"),
    (".amdhsa_exception_fp_ieee_invalid_op",       "enable_exception_ieee_754_fp_invalid_operation"),
    (".amdhsa_exception_fp_denorm_src",            "enable_exception_fp_denormal_source"),
    (".amdhsa_exception_fp_ieee_div_zero",         "enable_exception_ieee_754_fp_division_by_zero"),
    (".amdhsa_exception_fp_ieee_overflow",         "enable_exception_ieee_754_fp_overflow"),
    (".amdhsa_exception_fp_ieee_underflow",        "enable_exception_ieee_754_fp_underflow"),
    (".amdhsa_exception_fp_ieee_inexact",          "enable_exception_ieee_754_fp_inexact"),
    (".amdhsa_exception_int_div_zero",             "enable_exception_int_divide_by_zero"),
    (".amdhsa_user_sgpr_private_segment_buffer",   "enable_sgpr_private_segment_buffer"),
    (".amdhsa_user_sgpr_dispatch_ptr",             "enable_sgpr_dispatch_ptr"),
    (".amdhsa_user_sgpr_queue_ptr",                "enable_sgpr_queue_ptr"),
    (".amdhsa_user_sgpr_kernarg_segment_ptr",      "enable_sgpr_kernarg_segment_ptr"),
    (".amdhsa_user_sgpr_dispatch_id",              "enable_sgpr_dispatch_id"),
    (".amdhsa_user_sgpr_flat_scratch_init",        "enable_sgpr_flat_scratch_init"),
    (".amdhsa_user_sgpr_private_segment_size",     "enable_sgpr_private_segment_size"),
    (".amdhsa_user_sgpr_kernarg_preload_length",   "kernarg_preload_spec_length"),
    (".amdhsa_user_sgpr_kernarg_preload_offset",   "kernarg_preload_spec_offset"),
    (".amdhsa_wavefront_size32",                   "enable_wavefront_size32"),
    (".amdhsa_uses_dynamic_stack",                 "uses_dynamic_stack"),
    (".amdhsa_tg_split",                           "tg_split"),
    (".amdhsa_inst_pref_size",                     "inst_pref_size"),
    (".amdhsa_named_barrier_count",                "named_bar_cnt"),
    (".amdhsa_shared_vgpr_count",                  "shared_vgpr_count"),
    ("; GLG_EN",                                   "glg_en"),
    ("; IMAGE_OP",                                 "image_op"),
    ("; ENABLE_DYNAMIC_VGPR",                      "enable_dynamic_vgpr"),
    ("; TCP_SPLIT",                                "tcp_split"),
    ("; ENABLE_DIDT_THROTTLE",                     "enable_didt_throttle"),
    ("; FLAT_SCRATCH_IS_NV",                       "flat_scratch_is_nv"),
    ("; TRAP_ON_START",                            "trap_on_start"),
    ("; TRAP_ON_END",                              "trap_on_end"),
];

/// Descriptors with pseudo-random values in every field LLVM prints, as many as the object has kernels.
#[test]
fn every_field_reads_back_through_objdump() {
    let mut random = 0x2545_f491_4f6c_dd1du64;
    let mut covered: BTreeMap<&str, u32> = BTreeMap::new();
    for (target, flags) in [
        ("gfx906", &[][..]),
        ("gfx90a", &[]),
        ("gfx942", &[]),
        ("gfx1030", &[]),
        ("gfx1030", &["-mwavefrontsize64"]),
        ("gfx1100", &[]),
        ("gfx1200", &[]),
        ("gfx1250", &[]),
    ] {
        let mut bytes = compile("kernels.hip", target, flags);
        let object = CodeObject::parse(&bytes).unwrap();
        let mut edited: Vec<(String, usize, KernelDescriptor)> = Vec::new();
        for kernel in object.kernels().unwrap() {
            let mut descriptor = kernel.descriptor.clone();
            for (_, field) in NAMES {
                // The wave size stays, as it decides how register counts print; objdump refuses shared VGPRs in wave32.
                let unshared = *field == "shared_vgpr_count" && descriptor.wave_size() == 32;
                if *field == "enable_wavefront_size32"
                    || unshared
                    || descriptor.get(field).is_none()
                {
                    continue;
                }
                random = random
                    .wrapping_mul(6364136223846793005)
                    .wrapping_add(1442695040888963407);
                let max = codeobj::descriptor::Field::find(field, descriptor.target())
                    .unwrap()
                    .max();
                descriptor.set(field, (random >> 33) & max).unwrap();
            }
            // Scratch through SGPRs does not exist where the hardware presets it.
            if descriptor.target().architected_flat_scratch {
                descriptor
                    .set("enable_sgpr_private_segment_buffer", 0)
                    .unwrap();
                descriptor.set("enable_sgpr_flat_scratch_init", 0).unwrap();
            }
            let at = object
                .elf()
                .file_offset_of(kernel.descriptor_address)
                .unwrap() as usize;
            edited.push((kernel.name.to_owned(), at, descriptor));
        }
        for (_, at, descriptor) in &edited {
            bytes[*at..at + 64].copy_from_slice(descriptor.bytes());
        }
        let work = Work::new();
        let path = work.write("edited.co", &bytes);
        let listing = run(
            "llvm-objdump-22",
            &["-D", "-j", ".rodata", path.to_str().unwrap()],
        );
        for (name, _, descriptor) in &edited {
            let (_, rest) = listing
                .split_once(&format!(".amdhsa_kernel {name}\n"))
                .unwrap();
            let (block, _) = rest.split_once(".end_amdhsa_kernel").unwrap();
            for line in block.lines().map(str::trim) {
                let Some((directive, value)) = line.rsplit_once(' ') else {
                    continue;
                };
                if let Some((directive, field)) =
                    NAMES.iter().find(|(known, _)| *known == directive)
                {
                    let ours = descriptor
                        .get(field)
                        .unwrap_or_else(|| panic!("{target} lacks {field}"));
                    assert_eq!(
                        value.parse::<u64>().unwrap(),
                        ours,
                        "{target} {name} {directive}"
                    );
                    *covered.entry(field).or_default() += 1;
                }
            }
            let value = |directive: &str| -> Option<u32> {
                block
                    .lines()
                    .find_map(|line| line.trim().strip_prefix(directive)?.trim().parse().ok())
            };
            assert_eq!(
                value(".amdhsa_next_free_vgpr "),
                Some(descriptor.vgpr_count()),
                "{target} {name}"
            );
            assert_eq!(
                value(".amdhsa_accum_offset "),
                descriptor.accum_offset(),
                "{target} {name}"
            );
            if descriptor.get("granulated_wavefront_sgpr_count").is_some() {
                assert_eq!(
                    value(".amdhsa_next_free_sgpr "),
                    Some(descriptor.sgpr_count()),
                    "{target} {name}"
                );
            }
        }
    }
    let missing: Vec<_> = NAMES
        .iter()
        .filter(|(_, field)| !covered.contains_key(field))
        .collect();
    assert!(missing.is_empty(), "objdump never printed {missing:?}");
}

#[test]
fn occupancy_equals_clangs() {
    let mut seen = BTreeMap::new();
    for (target, flags) in [
        ("gfx900", &[][..]),
        ("gfx906", &[]),
        ("gfx908", &[]),
        ("gfx90a", &[]),
        ("gfx942", &[]),
        ("gfx1010", &[]),
        ("gfx1030", &[]),
        ("gfx1030", &["-mcumode"]),
        ("gfx1030", &["-mwavefrontsize64"]),
        ("gfx1100", &[]),
        ("gfx1102", &["-mwavefrontsize64"]),
        ("gfx1200", &[]),
        ("gfx1200", &["-mcumode"]),
        ("gfx1250", &[]),
    ] {
        let bytes = compile("kernels.hip", target, flags);
        let object = CodeObject::parse(&bytes).unwrap();
        let metadata = object.metadata().unwrap().unwrap();
        let remarks = clang_occupancy(
            &source("kernels.hip"),
            target,
            flags,
            Path::new("/dev/null"),
        );
        assert!(remarks.len() >= 8, "{remarks:?}");
        for (name, expected) in remarks {
            let Ok(kernel) = object.kernel(&name) else {
                continue;
            };
            let max = metadata.kernel(&name).unwrap().max_flat_workgroup_size as u32;
            let ours = resources(&kernel.descriptor, 0, WorkgroupSizes { min: 1, max });
            assert_eq!(
                ours.occupancy.waves_per_simd, expected,
                "{target} {flags:?} {name}: {ours:?}"
            );
            *seen.entry(expected).or_insert(0) += 1;
        }
    }
    // The inputs must reach the interesting cases.
    assert!(seen.len() >= 7, "{seen:?}");
}

/// A kernel that is given what [`one_more`] says has as many waves by clang's count, and with a little more none is won.
#[test]
fn one_more_wave_by_clangs_count() {
    let mut checked: BTreeMap<&str, u32> = BTreeMap::new();
    for target in ["gfx906", "gfx90a", "gfx1030", "gfx1100", "gfx1200"] {
        let with = |registers: u32, lds: u32| {
            let text = format!(
                "extern \"C\" __attribute__((global, amdgpu_flat_work_group_size(256, 256))) void k(int *out) {{\n\
                 __attribute__((shared)) static volatile int lds[{lds}];\n\
                 lds[0] = 1; asm volatile(\"\" ::: \"v{last}\"); out[0] = lds[0]; }}\n",
                last = registers - 1
            );
            let work = Work::new();
            let (input, code) = (work.write("k.hip", text.as_bytes()), work.path("k.co"));
            let remarks = clang_occupancy(&input, target, &[], &code);
            let [(_, occupancy)] = remarks[..] else {
                panic!("{target}: {remarks:?}");
            };
            (std::fs::read(code).unwrap(), occupancy)
        };
        for (registers, lds) in [(100, 1), (130, 1), (16, 6000), (24, 10_000)] {
            let (bytes, occupancy) = with(registers, lds);
            let object = CodeObject::parse(&bytes).unwrap();
            let kernel = object.kernel("k").unwrap();
            let sizes = WorkgroupSizes { min: 256, max: 256 };
            for row in what_if(&kernel.descriptor, Some(registers), sizes) {
                let with_less = match row.of {
                    "VGPRs" => with(row.less, lds),
                    // One word is the least that the kernel can have.
                    "LDS" if row.less > 0 => with(registers, row.less / 4),
                    _ => continue,
                };
                assert_eq!(with_less.1, row.waves_with_less, "{target} {row:?}");
                *checked.entry("a piece less").or_default() += 1;
            }
            let Some(more) = one_more(&kernel.descriptor, Some(registers), sizes) else {
                continue;
            };
            assert!(more.waves_per_simd > occupancy, "{target} {more:?}");
            let (enough, too_many) = match more.of {
                "VGPRs" => (with(more.at_most, lds), with(more.at_most + 1, lds)),
                // LDS is given out in pieces, which clang's count does not round up to.
                "LDS" => (
                    with(registers, more.at_most / 4),
                    with(registers, more.at_most / 4 + 256),
                ),
                other => panic!("{other}"),
            };
            assert_eq!(enough.1, more.waves_per_simd, "{target} {more:?}");
            assert_eq!(too_many.1, occupancy, "{target} {more:?}");
            *checked.entry(more.of).or_default() += 1;
        }
    }
    assert!(checked["VGPRs"] >= 4 && checked["LDS"] >= 2, "{checked:?}");
    assert!(checked["a piece less"] >= 20, "{checked:?}");
}

/// Whole workgroups, and barriers for them, can be what is scarce; clang counts the same waves.
#[test]
fn workgroups_limit_waves_by_clangs_count() {
    // On gfx906: 40 waves in a compute unit, and 16 barriers.
    for (lanes, limit) in [
        (1024, Some("workgroup size")),
        (128, Some("barriers")),
        (64, None),
        (256, None),
    ] {
        let text = format!(
            "extern \"C\" __attribute__((global, amdgpu_flat_work_group_size({lanes}, {lanes}))) void k(int *out) {{\n\
             __attribute__((shared)) static volatile int lds[1]; lds[0] = 1; out[0] = lds[0]; }}\n"
        );
        let work = Work::new();
        let (input, code) = (work.write("k.hip", text.as_bytes()), work.path("k.co"));
        let remarks = clang_occupancy(&input, "gfx906", &[], &code);
        let bytes = std::fs::read(code).unwrap();
        let object = CodeObject::parse(&bytes).unwrap();
        let kernel = object.kernel("k").unwrap();
        let sizes = WorkgroupSizes {
            min: lanes,
            max: lanes,
        };
        let occupancy = resources(&kernel.descriptor, 0, sizes).occupancy;
        assert_eq!(
            [("k".to_owned(), occupancy.waves_per_simd)],
            remarks[..],
            "{lanes}"
        );
        assert_eq!(occupancy.limit(10), limit, "{lanes}: {occupancy:?}");
        let more = one_more(&kernel.descriptor, None, sizes);
        assert_eq!(more, None, "{lanes}");
    }
}

/// "Occupancy [waves/SIMD]" of every function in clang's resource remarks.
fn clang_occupancy(input: &Path, target: &str, flags: &[&str], code: &Path) -> Vec<(String, u32)> {
    let arch = format!("--offload-arch={target}");
    let mut arguments = vec![
        "-x",
        "hip",
        &arch,
        "--cuda-device-only",
        "--no-gpu-bundle-output",
        "-nogpuinc",
    ];
    arguments.extend([
        "-nogpulib",
        "-O2",
        "-w",
        "-Rpass-analysis=kernel-resource-usage",
    ]);
    arguments.extend(flags);
    arguments.extend([input.to_str().unwrap(), "-o", code.to_str().unwrap()]);
    let output = compiled::Compiler::new("clang-22")
        .args(&arguments)
        .output()
        .expect("clang-22");
    let remarks = String::from_utf8_lossy(&output.stderr).into_owned();
    let mut found = Vec::new();
    let mut function = String::new();
    for line in remarks.lines() {
        let value = |label: &str| {
            line.split_once(label)
                .map(|(_, rest)| rest.split_whitespace().next().unwrap())
        };
        if let Some(name) = value("Function Name: ") {
            function = name.to_owned();
        } else if let Some(waves) = value("Occupancy [waves/SIMD]: ") {
            found.push((function.clone(), waves.parse().unwrap()));
        }
    }
    found
}
