//! A tool is asked once about a kernel, whatever it takes to put in what it wants.

use crate::common;

use std::{
    fmt::Write,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};

use luthier::{
    Argument, Edit, Engine, Error, HookValue, Kernel, KernelOutcome, Results, Tool, ToolFile,
    ToolInfo,
};
use session::Refusal;

/// Registers that a wave of gfx1030 can have.
const SCALARS: u32 = 106;
const VECTORS: u32 = 256;

type Instrument = fn(&Kernel<'_>, &mut Edit<'_>) -> luthier::Result<()>;

/// Does as it is told, and counts how often it is asked.
struct Asked {
    file: ToolFile,
    instrument: Instrument,
    times: Arc<AtomicU32>,
}

impl Tool for Asked {
    fn info(&self) -> ToolInfo<'_> {
        ToolInfo {
            name: "asked",
            ..ToolInfo::new(&self.file)
        }
    }

    fn instrument(&self, kernel: &Kernel<'_>, edit: &mut Edit<'_>) -> luthier::Result<()> {
        self.times.fetch_add(1, Ordering::Relaxed);
        (self.instrument)(kernel, edit)
    }

    fn finish(&self, _: &Results<'_>) -> luthier::Result<String> {
        Ok(String::new())
    }
}

/// A kernel that names all registers, so that none is free from its beginning to its end.
fn full() -> String {
    let (mut code, mut clobbers) = (String::new(), Vec::new());
    for (letter, count) in [('s', SCALARS), ('v', VECTORS)] {
        for number in 0..count {
            let _ = write!(code, "{letter}_mov_b32 {letter}{number}, 0\\n");
            clobbers.push(format!("\"{letter}{number}\""));
        }
    }
    format!(
        "extern \"C\" __attribute__((global, amdgpu_flat_work_group_size(1, 64))) void full() {{\n\
         asm volatile(\"{code}\" ::: {});\n}}\n",
        clobbers.join(", ")
    )
}

/// The kernel's result, and how often the tool was asked.
fn asked(name: &str, instrument: Instrument, strict: bool) -> (KernelOutcome, u32) {
    let folder = tempfile::tempdir().unwrap();
    let object = common::object(folder.path(), &full(), "gfx1030", &[]);
    let times = Arc::new(AtomicU32::new(0));
    let tool = Asked {
        file: common::ready_tool(folder.path(), name, &["gfx1030"]),
        instrument,
        times: Arc::clone(&times),
    };
    let engine = Engine::new(vec![Box::new(tool)], "", None).unwrap();
    let mut done = engine
        .strict(strict)
        .instrument_object(&object, None)
        .unwrap();
    (done.kernels.remove(0), times.load(Ordering::Relaxed))
}

#[test]
fn once_where_counting_in_registers_is_refused() {
    let counts: Instrument = |kernel, edit| {
        let counter = edit.counters(1).at(0);
        for block in kernel.blocks() {
            edit.at_block(&block).count(counter, 1)?;
        }
        Ok(())
    };
    let (kernel, times) = asked("bb-count", counts, true);
    let report = kernel.result.unwrap();
    let expected = "counts in memory, not in registers: an accumulator: no register is free";
    assert!(
        report.notes.iter().any(|note| note.starts_with(expected)),
        "{:?}",
        report.notes
    );
    assert_eq!(times, 1);
}

/// Hooks that are given the address of a counter add to it in memory, however many counters there are.
#[test]
fn counters_of_hooks_need_no_registers() {
    let calls: Instrument = |kernel, edit| {
        let counter = edit.counters(100).at(0);
        let exec = || Argument::Value(HookValue::Exec);
        for block in kernel.blocks() {
            let arguments = [exec(), exec(), counter.into()];
            edit.at_block(&block).call("split_32", arguments)?;
        }
        Ok(())
    };
    let (kernel, _) = asked("branch-divergence", calls, true);
    let report = kernel.result.unwrap();
    assert!(report.notes.is_empty(), "{:?}", report.notes);
}

#[test]
fn once_where_it_refuses_itself() {
    let refuses: Instrument = |_, _| Err(Error::Tool("not this kernel".to_owned()));
    for strict in [true, false] {
        let (kernel, times) = asked("bb-count", refuses, strict);
        let refusal = kernel.result.unwrap_err();
        assert_eq!(refusal, Refusal::Tool("not this kernel".to_owned()));
        assert_eq!(times, 1);
    }
}
