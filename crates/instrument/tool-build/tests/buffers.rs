//! Accesses through buffer descriptors of gfx11 and gfx12, which no emulated device runs. `buffer_address` works out what a model
//! says that was written from the manuals, and what AMD's own emulator notes of real devices. Tools know each form of the
//! instructions.

use std::{
    io::Write,
    path::Path,
    process::{Command, Stdio},
    sync::{Arc, Mutex},
};

use crate::common::{object, ready_tool};
use isa::RegKind;
use luthier::{Argument, Edit, Engine, Kernel, Result, Results, Tool, ToolFile, ToolInfo};

/// Flags of `buffer_address`.
const INDEXED: u32 = 1;
const GFX11: u32 = 2 | 4;
const GFX12: u32 = GFX11 | 8;
const FORMATTED: u32 = 16;
const WHOLE: u32 = 32;

/// A descriptor, field by field.
#[derive(Clone, Copy, Debug, Default)]
struct Descriptor {
    base: u64,
    stride: u32,
    swizzle: u32,
    records: u32,
    format: u32,
    stride_scale: u32,
    index_stride: u32,
    by_lane: bool,
    check: u32,
}

impl Descriptor {
    fn words(&self) -> [u32; 4] {
        [
            self.base as u32,
            (self.base >> 32) as u32 | self.stride << 16 | self.swizzle << 30,
            self.records,
            self.format << 12
                | self.stride_scale << 18
                | self.index_stride << 21
                | u32::from(self.by_lane) << 23
                | self.check << 28,
        ]
    }
}

/// An access of one lane.
#[derive(Clone, Copy, Debug, Default)]
struct Access {
    descriptor: Descriptor,
    scalar_offset: u32,
    index: u32,
    offset: u32,
    constant: u32,
    flags: u32,
    bytes: u32,
    lane: u32,
}

/// `None`: nothing is accessed; a size of 0: no place is given.
type Accessed = Option<(u64, u32)>;

/// Bytes of format numbers, as ranges of LLVM's table of unified formats of gfx11.
const FORMATS: [(std::ops::RangeInclusive<u32>, u32); 6] = [
    (1..=6, 1),
    (7..=19, 2),
    (20..=47, 4),
    (48..=57, 8),
    (58..=60, 12),
    (61..=63, 16),
];

/// Sections 9.4 and 9.6 of the RDNA 3.5 and RDNA 4 manuals, dword by dword.
fn model(access: &Access) -> Accessed {
    let Access { descriptor, .. } = access;
    let indexed = access.flags & INDEXED != 0;
    let named = access.flags >> 8;
    let formatted = access.flags & FORMATTED != 0;
    let unknown = Some((descriptor.base, 0));
    let payload = if formatted {
        let format = if named != 0 { named } else { descriptor.format };
        match FORMATS.iter().find(|row| row.0.contains(&format)) {
            Some(row) => row.1,
            None => return unknown,
        }
    } else {
        access.bytes
    };
    let element = match descriptor.swizzle {
        0 => None,
        1 => Some(4),
        3 => Some(16),
        _ => return unknown,
    };
    let scale = if access.flags & GFX12 == GFX12 {
        [1, 4, 8, 32][descriptor.stride_scale as usize]
    } else {
        1
    };
    let stride = u64::from(descriptor.stride) * scale;
    let record = match (indexed, descriptor.by_lane) {
        (true, _) => Some(access.index),
        (false, true) => Some(access.lane),
        (false, false) => None,
    };
    if record.is_none() && element.is_some() && stride != 0 && descriptor.check == 3 {
        return unknown;
    }
    let element = element.filter(|_| record.is_some());
    let record = u64::from(record.unwrap_or(0));
    let offset = u64::from(access.offset.wrapping_add(access.constant));
    let records = u64::from(descriptor.records);
    // An access without a format is looked at dword by dword; any other is inside or outside as a whole.
    let parts = if formatted || access.flags & WHOLE != 0 {
        vec![payload]
    } else {
        (1..=payload.div_ceil(4))
            .map(|word| payload.min(4 * word))
            .collect()
    };
    let inside = parts.iter().any(|end| {
        let end = offset + u64::from(*end);
        let in_record = record < records && end <= stride;
        match descriptor.check {
            0 => in_record,
            1 => record < records,
            2 => records != 0,
            _ if element.is_some() && stride != 0 => in_record,
            _ => i128::from(end) <= i128::from(records) - i128::from(access.scalar_offset),
        }
    });
    let place = match element {
        None => record * stride + offset,
        Some(element) => {
            let group = 8 << descriptor.index_stride;
            (record / group * stride + offset / element * element) * group
                + record % group * element
                + offset % element
        }
    };
    inside.then_some((
        descriptor.base + u64::from(access.scalar_offset) + place,
        payload,
    ))
}

/// Returns the results of `buffer_address`, compiled for the host.
fn worked_out(folder: &Path, accesses: &[Access]) -> Vec<Accessed> {
    let program = folder.join("buffer_address");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let compiled = Command::new("clang++-22")
        .args(["-O1", "-w", "-fsanitize=undefined", "-fno-sanitize-recover"])
        .arg("-I")
        .arg(root.join("../../../include"))
        .arg(root.join("tests/common/buffer_address.cpp"))
        .arg("-o")
        .arg(&program)
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&compiled.stderr);
    assert!(compiled.status.success(), "{errors}");
    let mut lines = String::new();
    for access in accesses {
        for word in access.descriptor.words() {
            lines += &format!("{word} ");
        }
        lines += &format!(
            "{} {} {} {} {} {} {}\n",
            access.scalar_offset,
            access.index,
            access.offset,
            access.constant,
            access.flags,
            access.bytes,
            access.lane
        );
    }
    let mut child = Command::new(&program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || input.write_all(lines.as_bytes()).unwrap());
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    let accessed = text.lines().map(|line| {
        let numbers: Vec<u64> = line.split(' ').map(|word| word.parse().unwrap()).collect();
        (numbers[0] != 0).then_some((numbers[1], numbers[2] as u32))
    });
    accessed.collect()
}

/// A small generator of numbers, most of them near what matters.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u32) -> u32 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        ((self.0 >> 33) % u64::from(end)) as u32
    }

    fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u32) as usize]
    }
}

#[test]
fn buffer_addresses_are_those_of_the_manuals() {
    let mut numbers = Numbers(1);
    let accesses: Vec<Access> = (0..200_000)
        .map(|_| {
            let indexed = numbers.below(2);
            let stride = numbers.pick(&[0, 4, 16, 48, 64, 1024, 16383]);
            let descriptor = Descriptor {
                base: numbers.pick(&[0x1000, 0x7fff_1234_5000, 0xffff_ffff_fffc]),
                stride,
                swizzle: numbers.below(4),
                records: numbers.pick(&[0, 1, 5, 40, 64, 100, 4096, u32::MAX]),
                format: numbers.below(64),
                stride_scale: numbers.below(4),
                index_stride: numbers.below(4),
                by_lane: numbers.below(2) == 0,
                check: numbers.below(4),
            };
            let near = [0, 4, 12, 15, 33, 60, 64, 4092, u32::MAX - 63];
            let typed = numbers.pick(&[0, 0, FORMATTED, FORMATTED | 22 << 8, FORMATTED | 63 << 8]);
            Access {
                descriptor,
                scalar_offset: numbers.pick(&[0, 0, 1, 4, 36, 4096, u32::MAX]),
                index: indexed * numbers.pick(&[0, 1, 4, 7, 8, 39, 40, 63, 100, u32::MAX]),
                offset: numbers.pick(&near),
                constant: numbers.pick(&[0, 4, 52, 63, 4095]),
                flags: (indexed * INDEXED)
                    | numbers.pick(&[GFX11, GFX12])
                    | typed
                    | numbers.pick(&[0, WHOLE]),
                bytes: numbers.pick(&[1, 2, 4, 8, 12, 16]),
                lane: numbers.below(64),
            }
        })
        .collect();
    let folder = tempfile::tempdir().unwrap();
    let found = worked_out(folder.path(), &accesses);
    assert_eq!(found.len(), accesses.len());
    let mut kinds = [0; 3];
    for (access, found) in accesses.iter().zip(found) {
        let expected = model(access);
        assert_eq!(found, expected, "{access:x?}");
        kinds[expected.map_or(0, |(_, size)| 1 + usize::from(size != 0))] += 1;
    }
    assert!(kinds.iter().all(|kind| *kind > 10_000), "{kinds:?}");
}

/// Values that the tests of AMD's emulator (`rocjitsu`) say were seen on a gfx1100 and a gfx1201: where an index, the lane's number,
/// and the scalar offset go. The manuals have them otherwise.
#[test]
fn buffer_addresses_are_those_of_devices() {
    // Swizzling, by lane, indexed, index, offset, scalar offset, lane, and the place.
    let seen = [
        (1, true, true, 1, 4, 4, 5, 40),
        (1, true, false, 0, 4, 4, 5, 56),
        (1, false, false, 0, 4, 4, 5, 8),
        (3, false, true, 1, 4, 4, 5, 24),
        (1, true, false, 0, 0, 0, 63, 1820),
        (0, true, true, 1, 4, 4, 5, 40),
        (0, true, false, 0, 4, 4, 5, 168),
    ];
    let folder = tempfile::tempdir().unwrap();
    for family in [GFX11, GFX12] {
        let accesses = seen.map(
            |(swizzle, by_lane, indexed, index, offset, scalar, lane, _)| Access {
                descriptor: Descriptor {
                    swizzle,
                    by_lane,
                    stride: 32,
                    records: 1,
                    check: 2,
                    ..Descriptor::default()
                },
                scalar_offset: scalar,
                index,
                offset,
                flags: family | u32::from(indexed),
                bytes: 4,
                lane,
                ..Access::default()
            },
        );
        let expected = seen.map(|row| Some((row.7, 4)));
        assert_eq!(worked_out(folder.path(), &accesses), expected);
    }
}

/// Writes down what `buffer_arguments` says.
struct Listed(ToolFile, Arc<Mutex<Vec<String>>>);

impl Tool for Listed {
    fn info(&self) -> ToolInfo<'_> {
        ToolInfo::new(&self.0)
    }

    fn instrument(&self, kernel: &Kernel<'_>, _: &mut Edit<'_>) -> Result<()> {
        let mut listed = self.1.lock().unwrap();
        for arguments in kernel
            .instructions()
            .filter_map(|inst| inst.buffer_arguments())
        {
            let arguments = arguments.iter().map(|argument| match argument {
                Argument::Register(reg) if reg.kind == RegKind::Sgpr => format!("s{}", reg.index),
                Argument::Register(reg) => format!("v{}", reg.index),
                Argument::Constant(value) => format!("{:#x}", *value as u32),
                other => panic!("{other:?}"),
            });
            listed.push(arguments.collect::<Vec<_>>().join(" "));
        }
        Ok(())
    }

    fn finish(&self, _: &Results<'_>) -> Result<String> {
        Ok(String::new())
    }
}

/// Instructions of a target, and their arguments.
type Forms = (&'static str, &'static [(&'static str, &'static str)]);

#[rustfmt::skip]
const FORMS: [Forms; 4] = [
    ("gfx90a", &[
        ("buffer_load_dwordx4 v[4:7], v1, s[8:11], s3 offen offset:52",        "s8 s9 s10 s11 s3 0x0 v1 0x34 0x0"),
        ("buffer_store_dword v4, v[2:3], s[8:11], 5 idxen offen",              "s8 s9 s10 s11 0x5 v2 v3 0x0 0x1"),
        ("buffer_atomic_add v4, off, s[8:11], -3 offset:4095",                 "s8 s9 s10 s11 0xfffffffd 0x0 0x0 0xfff 0x20"),
        ("buffer_load_format_xy v[4:5], v1, s[8:11], s3 idxen",                "s8 s9 s10 s11 s3 v1 0x0 0x0 0x11"),
        ("tbuffer_load_format_x v4, off, s[8:11], 0 format:[BUF_DATA_FORMAT_16_16]", "s8 s9 s10 s11 0x0 0x0 0x0 0x0 0x510"),
    ]),
    ("gfx1030", &[
        ("buffer_load_dword v4, v1, s[8:11], null idxen offset:52",            "s8 s9 s10 s11 0x0 v1 0x0 0x34 0x3"),
        ("tbuffer_load_format_x v4, off, s[8:11], 0 format:[BUF_FMT_32_32_FLOAT]", "s8 s9 s10 s11 0x0 0x0 0x0 0x0 0x4012"),
    ]),
    ("gfx1100", &[
        ("buffer_load_b128 v[4:7], v1, s[8:11], s3 offen offset:52",           "s8 s9 s10 s11 s3 0x0 v1 0x34 0x6"),
        ("buffer_load_b32 v4, v1, s[12:15], 64 idxen offset:4095",             "s12 s13 s14 s15 0x40 v1 0x0 0xfff 0x7"),
        ("buffer_store_b8 v4, v[2:3], s[8:11], null idxen offen offset:52",    "s8 s9 s10 s11 0x0 v2 v3 0x34 0x7"),
        ("buffer_atomic_add_u32 v4, off, s[8:11], s3",                         "s8 s9 s10 s11 s3 0x0 0x0 0x0 0x26"),
        ("buffer_load_d16_format_xy v4, off, s[8:11], s3 offset:4",            "s8 s9 s10 s11 s3 0x0 0x0 0x4 0x16"),
        ("tbuffer_store_format_xy v[4:5], v1, s[8:11], s3 format:[BUF_FMT_32_FLOAT] offen", "s8 s9 s10 s11 s3 0x0 v1 0x0 0x1616"),
    ]),
    ("gfx1200", &[
        ("buffer_load_b128 v[4:7], v1, s[8:11], s3 offen offset:52",           "s8 s9 s10 s11 s3 0x0 v1 0x34 0xe"),
        ("buffer_load_b32 v4, v1, s[12:15], null idxen offset:8388607",        "s12 s13 s14 s15 0x0 v1 0x0 0x7fffff 0xf"),
        ("buffer_store_b8 v4, v[2:3], s[8:11], s3 idxen offen offset:52",      "s8 s9 s10 s11 s3 v2 v3 0x34 0xf"),
        ("buffer_atomic_add_u32 v4, off, s[8:11], s3",                         "s8 s9 s10 s11 s3 0x0 0x0 0x0 0x2e"),
        ("buffer_load_d16_format_xy v4, off, s[8:11], s3 offset:4",            "s8 s9 s10 s11 s3 0x0 0x0 0x4 0x1e"),
        ("tbuffer_store_format_xy v[4:5], v1, s[8:11], s3 format:[BUF_FMT_32_FLOAT] offen", "s8 s9 s10 s11 s3 0x0 v1 0x0 0x161e"),
    ]),
];

#[test]
fn tools_know_every_form_of_buffer_instructions() {
    let folder = tempfile::tempdir().unwrap();
    let targets = FORMS.map(|(target, _)| target);
    let ready = ["mem-trace", "mem-coalesce"];
    let ready = ready.map(|name| ready_tool(folder.path(), name, &targets));
    for (target, forms) in FORMS {
        let text: Vec<&str> = forms.iter().map(|form| form.0).collect();
        let source = format!(
            "extern \"C\" __attribute__((global)) void work() {{ asm volatile(\"{}\" ::: \"memory\", \"v1\", \"v2\", \"v3\", \
             \"v4\", \"v5\", \"v6\", \"v7\", \"s3\", \"s8\", \"s9\", \"s10\", \"s11\", \"s12\", \"s13\", \"s14\", \"s15\"); }}",
            text.join("\\n")
        );
        let original = object(folder.path(), &source, target, &[]);
        let listed = Arc::default();
        let tool = Listed(ready[0].clone(), Arc::clone(&listed));
        let engine = Engine::new(vec![Box::new(tool)], "", None).unwrap();
        engine.instrument_object(&original, None).unwrap();
        let expected: Vec<&str> = forms.iter().map(|form| form.1).collect();
        assert_eq!(*listed.lock().unwrap(), expected, "{target}");
        for file in &ready {
            let tool = vec![tools::with_host_code(file.clone())];
            let engine = Engine::new(tool, "", None).unwrap();
            let done = engine.instrument_object(&original, None).unwrap();
            let report = done.kernels[0].result.as_ref().unwrap();
            assert!(report.notes.is_empty(), "{target}: {:?}", report.notes);
        }
    }
}
