//! The tables, and the page of the documentation with them.

use std::fmt::Write;

use crate::{
    compile, machine,
    published::Published,
    rounds::{Row, Times},
};

/// Programs by targets.
pub fn times(targets: &[&str], rows: &[Row]) -> String {
    let mut head = vec!["program".to_owned(), "CPU".to_owned()];
    head.extend(targets.iter().map(|target| (*target).to_owned()));
    head.extend(targets.iter().map(|target| format!("CPU / {target}")));
    let mut table = vec![head];
    for row in rows {
        let (of, unit, seconds) = match &row.program.share {
            Some(share) => (share.of, share.unit, share.seconds),
            None => (1.0, "ms", 1e-3),
        };
        let told = |processor: f64| format!("{:.1} {unit}", processor / of / seconds);
        let ratio = |cpu: f64, times: &Times| format!("{:.2}", cpu / times.best.processor);
        let mut cells = vec![row.program.name.to_owned()];
        cells.push(row.cpu.map_or(String::new(), told));
        cells.extend(row.targets.iter().map(|times| told(times.best.processor)));
        cells.extend(
            row.targets
                .iter()
                .map(|times| row.cpu.map_or(String::new(), |cpu| ratio(cpu, times))),
        );
        table.push(cells);
    }
    aligned(&table)
}

/// A table of Markdown whose columns are as wide as their widest cell.
fn aligned(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for (index, row) in rows.iter().enumerate() {
        for (cell, &width) in row.iter().zip(&widths) {
            let _ = write!(text, "| {cell:width$} ");
        }
        text.push_str("|\n");
        if index == 0 {
            text.push_str(&"|---".repeat(columns));
            text.push_str("|\n");
        }
    }
    text
}

fn published(shapes: &[(&'static Published, Times)]) -> String {
    let head = [
        "kernel",
        "target",
        "Luthier",
        "rocjitsu, as published",
        "ratio",
    ];
    let mut table = vec![head.map(str::to_owned).to_vec()];
    for (shape, times) in shapes {
        table.push(vec![
            shape.name.to_owned(),
            shape.target.to_owned(),
            format!("{:.1} ms", 1e3 * times.best.processor),
            format!("{:.0} ms ({})", 1e3 * shape.seconds, shape.host),
            format!("{:.0}", shape.seconds / times.best.processor),
        ]);
    }
    let mut text = aligned(&table);
    text.push('\n');
    for (shape, _) in shapes {
        let Published {
            name,
            source,
            differences,
            ..
        } = shape;
        let _ = writeln!(text, "* {name} (`{source}`): {differences}.");
    }
    text
}

/// The page `docs/emulator/speed.md`.
pub fn whole(targets: &[&str], rows: &[Row], shapes: &[(&'static Published, Times)]) -> String {
    format!(
        "# Speed

<!-- Written by the command below. Do not edit. -->

`cargo bench -p emulate -- --page docs/emulator/speed.md` has measured this page: {machine}.

## Against one CPU thread

The same programs as kernels (`clang -O2` for each target) and in C (`clang {flags}`). One host thread each, processor time, the best turn. The
contestants take turns, so that other load on the machine meets all of them. `CPU / gfx90a` is the speed of the emulated GPU as a share of
the CPU's.

{times}
* sgemm: the CPU's program takes up to three times as long from one start to the next, on the same machine. Its share is rough.
* radix sort: the CPU sorts by 8 bits at a time, the kernels by 4, so they do twice as many passes.
* reduce: each work-item reads memory in steps of 1 MiB, the CPU in order.
* mandelbrot: clang does not vectorise the loop of the CPU's program.
* 64 work-items that do nothing: a wave of CDNA, two waves of RDNA.
* launch of 256 work-items: of a kernel that does nothing, without HIP.

## Against AMD's emulator

AMD publishes times of two kernels for rocjitsu ([ROCm/rocm-systems](https://github.com/ROCm/rocm-systems), folder `emulation/rocjitsu`). Both
columns are for one thread of the emulator. The machines differ, and so do the programs around the kernels: read the ratios as orders of magnitude.

{published}",
        machine = machine::description(&compile::clang()),
        flags = compile::HOST_FLAGS,
        times = times(targets, rows),
        published = published(shapes),
    )
}
