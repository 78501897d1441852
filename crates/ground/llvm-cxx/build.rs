//! Waits for packages that `./dev` installs beside the build. Every crate that needs one has this crate in its build script, and all the
//! others are compiled meanwhile. `LUTHIER_INSTALLING` names a file that is there as long as packages are being installed.

use std::{
    env,
    path::PathBuf,
    process::exit,
    thread,
    time::{Duration, Instant},
};

const LIMIT: Duration = Duration::from_secs(30 * 60);

fn main() {
    // (A later build without the variable has nothing to wait for, and need not run this again.)
    println!("cargo:rerun-if-changed=build.rs");
    let Some(file) = env::var_os("LUTHIER_INSTALLING").map(PathBuf::from) else {
        return;
    };
    let began = Instant::now();
    while file.exists() {
        if began.elapsed() > LIMIT {
            eprintln!(
                "{} is still there after {} minutes: packages are still being installed, or what installed them was ended; \
                 run ./dev setup, remove the file, and build again",
                file.display(),
                LIMIT.as_secs() / 60
            );
            exit(1);
        }
        thread::sleep(Duration::from_millis(200));
    }
}
