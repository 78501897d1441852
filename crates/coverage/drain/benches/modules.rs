//! Time to take in and drain many modules, on a runtime made of bytes, so that only our own work is measured.

#[allow(dead_code, reason = "tests use the rest")]
#[path = "../tests/mock/mod.rs"]
mod mock;

use std::time::Instant;

use drain::{Collector, Config};
use mock::{Mock, SOURCE, compile};

const BASE: u64 = 0x7f12_0000_0000;

fn main() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let image = compile(directory.path(), SOURCE, "gfx90a", &[]);
    let pattern = directory
        .path()
        .join("x.profraw")
        .to_string_lossy()
        .into_owned();
    println!(
        "{:>8}  {:>12}  {:>12}  {:>12}",
        "modules", "load", "drain", "drain again"
    );
    for modules in [100u64, 1000, 10_000] {
        let (config, _) =
            Config::read(|name| (name == drain::config::FILE).then(|| pattern.clone()));
        let mut collector = Collector::new(config);
        let gpu = Mock::new(&["gfx90a"]);
        let executables: Vec<_> = (0..modules)
            .map(|at| gpu.load(0, &image, BASE + at * 0x10_0000))
            .collect();
        let start = Instant::now();
        executables
            .iter()
            .for_each(|&executable| collector.loaded(&gpu, executable));
        let loaded = start.elapsed();
        let report = collector.dump(Some(&gpu));
        let drained = start.elapsed() - loaded;
        collector.dump(Some(&gpu));
        let again = start.elapsed() - loaded - drained;
        assert_eq!(report.drained as u64, modules);
        println!("{modules:>8}  {loaded:>12.1?}  {drained:>12.1?}  {again:>12.1?}");
    }
}
