//! Source lines and inlined frames, as llvm-symbolizer sees them.

use crate::common::{Work, compile, run};
use codeobj::CodeObject;
use codeobj::lines::SourceLines;

#[test]
fn frames_agree_with_llvm_at_every_instruction() {
    for (target, flags) in [("gfx90a", &["-g"][..]), ("gfx1200", &["-g", "-gz=zlib"])] {
        let bytes = compile("kernels.hip", target, flags);
        let object = CodeObject::parse(&bytes).unwrap();
        let lines = SourceLines::read(&object)
            .unwrap()
            .expect("debug information");
        let work = Work::new();
        let path = work.write("a.co", &bytes);
        let mut inlined = 0;
        for kernel in ["plain", "calls", "scratch"] {
            let kernel = object.kernel(kernel).unwrap();
            let addresses: Vec<u64> = (0..kernel.code_size)
                .step_by(4)
                .map(|offset| kernel.entry + offset)
                .collect();
            let texts: Vec<String> = addresses
                .iter()
                .map(|address| format!("{address:#x}"))
                .collect();
            let mut arguments = vec![
                "--obj",
                path.to_str().unwrap(),
                "--output-style=JSON",
                "--no-demangle",
            ];
            arguments.extend(texts.iter().map(String::as_str));
            let listing = run("llvm-symbolizer-22", &arguments);
            let oracle: serde_json::Value = serde_json::from_str(&listing).unwrap();
            for (entry, address) in oracle.as_array().unwrap().iter().zip(&addresses) {
                let expected: Vec<_> = entry["Symbol"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|frame| {
                        (
                            frame["FunctionName"].as_str().unwrap(),
                            frame["Line"].as_u64().unwrap(),
                        )
                    })
                    .collect();
                let ours = lines.frames(*address).unwrap();
                inlined += usize::from(ours.len() > 1);
                let ours: Vec<_> = ours
                    .iter()
                    .map(|frame| {
                        (
                            frame.function.as_deref().unwrap(),
                            u64::from(frame.line.unwrap_or(0)),
                        )
                    })
                    .collect();
                assert_eq!(ours, expected, "{target} {address:#x}");
            }
        }
        assert!(inlined > 10);
    }
}

#[test]
fn parameters_are_called_as_in_the_source() {
    let bytes = compile("kernels.hip", "gfx90a", &["-g"]);
    let object = CodeObject::parse(&bytes).unwrap();
    let lines = SourceLines::read(&object).unwrap().unwrap();
    for (kernel, expected) in [
        ("plain", &["out", "in", "n"][..]),
        ("calls", &["out", "n"]),
        ("vgprs_40", &["out", "in"]),
    ] {
        let entry = object.kernel(kernel).unwrap().entry;
        let parameters = lines.parameters(entry).unwrap();
        let names: Vec<_> = parameters.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, expected, "{kernel}");
    }
    assert_eq!(lines.parameters(0), None);
}

#[test]
fn objects_without_debug_information_have_no_lines() {
    let bytes = compile("kernels.hip", "gfx90a", &[]);
    assert!(
        SourceLines::read(&CodeObject::parse(&bytes).unwrap())
            .unwrap()
            .is_none()
    );
}

/// A caller that asks for many addresses is answered for ranges of them. The frames must be those of single addresses.
#[test]
fn stretches_have_the_frames_of_all_their_addresses() {
    for target in ["gfx90a", "gfx1200"] {
        let bytes = compile("kernels.hip", target, &["-g"]);
        let object = CodeObject::parse(&bytes).unwrap();
        let lines = || {
            SourceLines::read(&object)
                .unwrap()
                .expect("debug information")
        };
        let (alone, many) = (lines(), lines());
        let code = object.elf().section(".text").expect("code");
        let places = || (0..code.size).map(|offset| (offset, code.address + offset));
        let tables = codeobj::LineTables::read(&object).unwrap();
        assert!(tables.expect("debug information").prepare(), "{target}");
        let moved = |offset, pc, length| codeobj::Moved { offset, pc, length };
        let back_and_forth = 0..40_000;
        many.moved(back_and_forth.map(|index| moved(index, code.address + index % 2 * 64, 0)));
        for (_, address) in places() {
            assert_eq!(many.line(address).unwrap(), alone.line(address).unwrap());
        }
        let rows = many.moved(places().map(|(offset, pc)| moved(offset, pc, 0)));
        assert!(rows.len() > 20, "{target}: {}", rows.len());
        let whole = || std::iter::once(moved(0, code.address, code.size));
        assert_eq!(many.moved(whole()), rows, "{target}");
        assert_eq!(alone.moved(whole()), rows, "{target}");
        for (offset, address) in places() {
            let frames = alone.frames(address).unwrap();
            let known =
                (frames.first()).and_then(|frame| Some((frame.file.as_deref()?, frame.line?)));
            let Some((file, line)) = known else { continue };
            let row = rows.iter().rfind(|row| row.offset <= offset);
            let row = row.unwrap_or_else(|| panic!("{target}: nothing at {address:#x}"));
            assert_eq!(
                (&*row.file, row.line),
                (file, line),
                "{target} at {address:#x}"
            );
            let functions: Vec<_> = row.calls.iter().rev().map(|call| &*call.function).collect();
            let inlined = &frames[..frames.len() - 1];
            let expected: Vec<_> = inlined
                .iter()
                .filter_map(|frame| frame.function.as_deref())
                .collect();
            assert_eq!(functions, expected, "{target} at {address:#x}");
        }
    }
}
