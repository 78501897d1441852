//! Time to bind one template to one site's registers: `cargo bench -p hook`.

use hook::{Arg, Binding, ToolRequest, bind_into, build_tool};
use std::{hint::black_box, path::Path, time::Instant};

const ROUNDS: u32 = 200_000;

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let hooks: &[(&str, &[Arg])] = &[
        ("count", &[Arg::Constant(3)]),
        ("trace", &[Arg::Constant(7)]),
    ];
    let request = ToolRequest {
        source: &root.join("tests/hooks/five.hip"),
        include: &root.join("../../../include"),
        hooks: &|_| {
            Ok(hooks
                .iter()
                .map(|(hook, arguments)| ((*hook).to_owned(), arguments.to_vec()))
                .collect())
        },
        targets: &["gfx90a", "gfx1100", "gfx1200"],
        clang: "clang-22",
    };
    let bundle = build_tool(&request).unwrap_or_else(|error| panic!("{error}"));
    for (hook, _) in hooks {
        for target in request.targets {
            let wave_size = gfx::Target::find(target).expect("a known target").wave_size;
            let template = bundle
                .find(hook, target, wave_size, false, false)
                .expect("built above");
            let binding = Binding::identity(template);
            let mut code = Vec::new();
            let start = Instant::now();
            for _ in 0..ROUNDS {
                code.clear();
                bind_into(black_box(template), black_box(&binding), &mut code).expect("binds");
                black_box(&code);
            }
            let nanoseconds = start.elapsed().as_nanos() / u128::from(ROUNDS);
            let (bytes, patches) = (template.code.len(), template.patches.len());
            println!("{hook:8} {target:8} {bytes:4} bytes {patches:3} patches {nanoseconds:5} ns");
        }
    }
}
