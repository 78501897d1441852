//! Runs that never were.

use report::{
    Code, KernelRow, Run, Timeline, Trace,
    model::{Block, Edge, Frame, Function, Metric},
};
use serde_json::json;

/// Kernels with a loop each; kernel N runs N + 1 times as often.
pub fn run(kernels: usize, instructions: usize) -> Run {
    let mut run = Run::default();
    run.overview.title = "made up".to_owned();
    for number in 0..kernels {
        let code = code(instructions, number as u64 + 1);
        run.overview.kernels.push(row(number, &code));
        run.codes.insert(number, code);
    }
    run.overview.sources = vec!["/src/made_up.hip".to_owned()];
    run.sources = vec![(1..=40).map(|line| format!("line {line};\n")).collect()];
    run.overview.inexact = Some(vec![(
        "approximate".to_owned(),
        "kernel_0".to_owned(),
        "v_rcp_f32".to_owned(),
        7,
    )]);
    run.overview.reached = Some(vec![(
        "kernel_0".to_owned(),
        "branch".to_owned(),
        "s_cbranch_vccz made_up.hip:9".to_owned(),
        "v_rcp_f32 made_up.hip:7".to_owned(),
        2,
    )]);
    run.overview.reasons = [("approximate", "not published")]
        .map(|(name, meaning)| (name.to_owned(), meaning.to_owned()))
        .into();
    run.overview.mix = vec![("vector arithmetic".to_owned(), 10, 640)];
    let trace = Trace {
        accesses: 8,
        regions: vec![(0x1000, 64, 4), (0x9000, 64, 4)],
        piece: 64,
        pieces: 2,
        columns: 8,
        rows: 2,
        cells: [[1, 0], [0, 1]].repeat(4).concat(),
        writes: [[0, 0], [0, 1]].repeat(4).concat(),
        written: vec![0, 4],
        named: vec!["in".to_owned(), "out + 0x40".to_owned()],
        strides: vec![(Some(4), 6), (None, 1)],
        ..Trace::default()
    };
    run.traces.insert(0, trace);
    run.timeline = Some(Timeline {
        rows: vec!["process 1, device 0, queue 1".to_owned()],
        row: vec![0; 30],
        names: vec!["kernel_0".to_owned()],
        name: vec![0; 30],
        start: (0..30).map(|launch| 500 + launch * 1000).collect(),
        duration: vec![700; 30],
        detail: (0..30).map(|launch| format!("launch {launch}")).collect(),
        threads: vec![("process 1".to_owned(), "producer (7)".to_owned())],
        // The thread of the last launch is unknown.
        enqueued: (0..30)
            .map(|launch| (launch < 29).then_some((0, launch * 1000 / 2)))
            .collect(),
        left_out: 0,
    });
    run
}

/// Many kernels, the first one with much code.
pub fn large(kernels: usize, instructions: usize) -> Run {
    let mut run = run(1, instructions);
    for number in 1..kernels {
        let code = code(10, 1);
        run.overview.kernels.push(row(number, &code));
        run.codes.insert(number, code);
    }
    run
}

fn row(number: usize, code: &Code) -> KernelRow {
    KernelRow {
        name: format!("kernel_{number}"),
        full: format!("void kernel_{number}(float*)"),
        symbol: format!("_Z8kernel_{number}Pf"),
        target: "gfx90a".to_owned(),
        launches: 1,
        status: "instrumented".to_owned(),
        before: Some(Box::new([128, 32, 0, 0, 4])),
        after: Some(Box::new([136, 48, 0, 0, 3])),
        limit: Some("VGPRs".to_owned()),
        waves: Some(code.waves.iter().flatten().sum()),
        lanes: Some(code.lanes.iter().flatten().sum()),
        wave_size: Some(64),
        code: true,
        instructions: code.pc.len() as u64,
        ..KernelRow::default()
    }
}

/// Entry, a condition with two sides, and a block that goes back to itself before it ends; line 9 on, four instructions a line.
fn code(instructions: usize, waves: u64) -> Code {
    let part = |share: usize| (instructions * share / 5) as u32;
    let frame = |line: u32, function: &str| Frame {
        file: "/src/made_up.hip".to_owned(),
        line,
        column: 5,
        function: function.to_owned(),
    };
    let lines = (instructions / 4).clamp(1, 30) as u32;
    let places = (0..lines).map(|line| vec![frame(8 + line + 1, "inner"), frame(2, "outer")]);
    let edges = [
        (0, 1, 3),
        (0, 2, 4),
        (1, 3, 3),
        (2, 3, 4),
        (3, 3, 7),
        (3, 4, 7),
    ];
    let edges = edges.map(|(from, to, count)| Edge {
        from,
        to,
        waves: Some(count * waves),
    });
    Code {
        functions: vec![Function {
            name: "kernel".to_owned(),
            first: 0,
            end: instructions as u32,
        }],
        pc: (0..instructions as u64).map(|at| 0x1000 + 4 * at).collect(),
        text: (0..instructions)
            .map(|at| match at % 8 {
                3 => "global_load_dword v1, v[2:3], off".to_owned(),
                at => format!("v_add_f32_e32 v{at}, v1, v2"),
            })
            .collect(),
        what: Vec::new(),
        kind: (0..instructions)
            .map(|at| if at % 8 == 3 { 1 } else { 0 })
            .collect(),
        kinds: vec!["vector arithmetic".to_owned(), "vector memory".to_owned()],
        place: (0..instructions as u32)
            .map(|at| 1 + (at / 4) % lines)
            .collect(),
        places: std::iter::once(Vec::new()).chain(places).collect(),
        waves: vec![Some(7 * waves); instructions],
        lanes: vec![Some(7 * 48 * waves); instructions],
        live: (0..instructions)
            .map(|at| Some([(at % 30) as u16, 0, 4]))
            .collect(),
        blocks: (0..5)
            .map(|block| Block {
                first: part(block),
                end: part(block + 1),
                exit: "falls".to_owned(),
            })
            .collect(),
        edges: edges.to_vec(),
        metrics: vec![Metric {
            tool: "mem-coalesce".to_owned(),
            names: ["accesses", "lanes", "lines"].map(str::to_owned).to_vec(),
            at: (0..instructions as u32).filter(|at| at % 8 == 3).collect(),
            values: (0..instructions)
                .filter(|at| at % 8 == 3)
                .map(|_| vec![7, 448, 14])
                .collect(),
        }],
        facts: json!({
            "entry": 4096, "code_size": 4 * instructions, "wave_size": 64, "arguments": [], "kernarg_size": 8, "max_workgroup_size": 1024,
            "registers": { "vgprs": 120, "agprs": 0, "sgprs": 30, "allocated_vgprs": 128, "allocated_sgprs": 32, "vgpr_spills": 0, "sgpr_spills": 0 },
            "occupancy": { "waves_per_simd": 4, "max_waves_per_simd": 8, "limited_by": "VGPRs",
                "what_if": [{ "of": "VGPRs", "now": 64, "waves_per_simd": 4, "less": 56, "waves_with_less": 4 }] }, "dynamic_stack": false, "initial_sgprs": [],
        }),
    }
}
