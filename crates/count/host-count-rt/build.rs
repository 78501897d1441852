//! With the feature `link`, compiles the runtime. It must be clang: the limit handler uses `preserve_most`.

fn main() {
    println!("cargo:rerun-if-changed=c");
    println!("cargo:rerun-if-changed=include");
    #[cfg(feature = "link")]
    cc::Build::new()
        .compiler("clang-22")
        .files([
            "c/runtime.c",
            "c/budget.c",
            "c/contracts.c",
            "c/pool.c",
            "c/spawn.c",
            "c/report.c",
            "c/watchdog.c",
            "c/interpose.c",
            "c/ends.c",
        ])
        .std("gnu11")
        .opt_level_str("s")
        .flag("-fPIC")
        .flag("-ftls-model=initial-exec")
        .compile("luthier_count_rt");
}
