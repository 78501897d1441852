//! The disk cache, alone and through sessions.

use std::{
    fs,
    path::Path,
    sync::Arc,
    time::{Duration, SystemTime},
};

use crate::common::{config, launch, object, start, variant};
use session::{
    Content, Global, Identity, MemoryKind, Variant,
    cache::{Cache, Found, Key},
    summary::Status,
};

fn sample(size: usize) -> Variant {
    let object: Vec<u8> = (0..size).map(|byte| byte as u8).collect();
    Variant {
        object,
        kernel_symbol: "k.kd".into(),
        patches: Vec::new(),
        private_segment_size: 8,
        group_segment_size: 16,
        fit: session::Fit::default(),
        report: session::Report::default(),
        tool_data: vec![1, 2, 3],
        globals: vec![Global {
            name: "counters".into(),
            size: 8,
            content: Content::Memory {
                kind: MemoryKind::Device,
                initial: vec![1],
            },
        }],
    }
}

fn files(directory: &Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(directory).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths
        .filter(|path| path.file_name().unwrap() != "secret")
        .collect()
}

#[test]
fn keys_differ_in_every_part() {
    let base = Key::new(&[1; 32], "k", "gfx90a", b"tool");
    assert_eq!(base, Key::new(&[1; 32], "k", "gfx90a", b"tool"));
    for other in [
        Key::new(&[2; 32], "k", "gfx90a", b"tool"),
        Key::new(&[1; 32], "kg", "fx90a", b"tool"),
        Key::new(&[1; 32], "k", "gfx90at", b"ool"),
        Key::new(&[1; 32], "k", "gfx90a", b"tool2"),
    ] {
        assert_ne!(base, other);
    }
}

#[test]
fn what_was_put_is_found_whole() {
    let directory = tempfile::tempdir().unwrap();
    let cache = Cache::new(directory.path().join("deep/er"), 1 << 20);
    let key = Key::new(&[0; 32], "k", "gfx90a", b"");
    assert!(matches!(cache.get(&key), Found::Nothing));
    cache.put(&key, Ok(&sample(5000))).unwrap();
    let Found::Variant(found) = cache.get(&key) else {
        panic!("not found")
    };
    assert_eq!(*found, sample(5000));
    assert_eq!(files(&directory.path().join("deep/er")).len(), 1);
    let refusal = session::Refusal::Resources("too many registers".into());
    cache.put(&key, Err(&refusal)).unwrap();
    let Found::Refused(found) = cache.get(&key) else {
        panic!("not found")
    };
    assert_eq!(found, refusal);
}

#[test]
fn every_damaged_byte_is_noticed() {
    let directory = tempfile::tempdir().unwrap();
    let cache = Cache::new(directory.path().into(), 1 << 20);
    let key = Key::new(&[0; 32], "k", "gfx90a", b"");
    cache.put(&key, Ok(&sample(100))).unwrap();
    let path = files(directory.path()).remove(0);
    let good = fs::read(&path).unwrap();
    for at in 0..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 0x40;
        fs::write(&path, bad).unwrap();
        assert!(matches!(cache.get(&key), Found::Damaged(_)), "byte {at}");
        fs::write(&path, &good[..at]).unwrap();
        assert!(matches!(cache.get(&key), Found::Damaged(_)), "cut at {at}");
    }
}

#[test]
fn the_least_recently_used_go_first() {
    let directory = tempfile::tempdir().unwrap();
    let cache = Cache::new(directory.path().into(), 7500);
    let key = |name: &str| Key::new(&[0; 32], name, "gfx90a", b"");
    let present = |name: &str| matches!(cache.get(&key(name)), Found::Variant(_));
    cache.put(&key("old"), Ok(&sample(2000))).unwrap();
    cache.put(&key("older"), Ok(&sample(2000))).unwrap();
    // Files of an hour ago, the second used again since.
    for path in files(directory.path()) {
        let file = fs::File::options().append(true).open(path).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(3600))
            .unwrap();
    }
    assert!(present("older"));
    cache.put(&key("new"), Ok(&sample(2000))).unwrap();
    assert!(present("older") && present("new") && !present("old"));
    // An entry larger than the whole cache is not kept.
    cache.put(&key("huge"), Ok(&sample(9000))).unwrap();
    assert!(!present("huge") && present("new"));
}

#[test]
fn limits_hold_without_a_look_at_the_directory_for_each_file() {
    const LIMIT: u64 = 1 << 20;
    let directory = tempfile::tempdir().unwrap();
    let cache = Cache::new(directory.path().into(), LIMIT);
    // Looks at the directory leave a trace: they remove the files that crashed writers left.
    let left = directory.path().join("1.1.unfinished");
    let mut looks = 0;
    for number in 0..2000 {
        let file = fs::File::create(&left).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
        let key = Key::new(&[0; 32], &number.to_string(), "gfx90a", b"");
        cache.put(&key, Ok(&sample(1000))).unwrap();
        assert!(matches!(cache.get(&key), Found::Variant(_)));
        looks += usize::from(!left.exists());
        let sizes = files(directory.path());
        let sizes = sizes.iter().map(|path| fs::metadata(path).unwrap().len());
        assert!(sizes.sum::<u64>() <= LIMIT, "file {number}");
    }
    assert!((2..1000).contains(&looks), "{looks}");
}

#[test]
fn unfinished_files_of_others_are_left_alone() {
    let directory = tempfile::tempdir().unwrap();
    let process = std::process::id();
    let others = (0..5000).map(|number| format!("{process}.{number}.unfinished"));
    let others: Vec<_> = others.map(|name| directory.path().join(name)).collect();
    let held = others.iter().map(|other| {
        let file = fs::File::create(other).unwrap();
        file.lock().unwrap();
        file
    });
    let held: Vec<_> = held.collect();
    let cache = Cache::new(directory.path().into(), 1 << 20);
    let key = Key::new(&[0; 32], "k", "gfx90a", b"");
    cache.put(&key, Ok(&sample(100))).unwrap();
    assert!(matches!(cache.get(&key), Found::Variant(_)));
    assert!(others.iter().all(|other| other.exists()));
    // Their writers are killed, and the next run removes what they left.
    drop(held);
    let cache = Cache::new(directory.path().into(), 1 << 20);
    cache.put(&key, Ok(&sample(100))).unwrap();
    assert!(!others.iter().any(|other| other.exists()));
}

/// The entry has the right key, but another user made it while the directory was open to all.
#[test]
fn entries_of_others_are_not_believed() {
    let directory = tempfile::tempdir().unwrap();
    let (ours, theirs) = (
        directory.path().join("ours"),
        directory.path().join("theirs"),
    );
    let key = |name: &str| Key::new(&[0; 32], name, "gfx90a", b"");
    let cache = Cache::new(ours.clone(), 1 << 20);
    cache.put(&key("a"), Ok(&sample(100))).unwrap();
    let other = Cache::new(theirs.clone(), 1 << 20);
    other.put(&key("a"), Ok(&sample(200))).unwrap();
    other.put(&key("b"), Ok(&sample(200))).unwrap();
    let entry = |of: &Path| files(of).remove(0);
    let own = fs::read(entry(&ours)).unwrap();
    for path in files(&theirs) {
        fs::copy(&path, ours.join(path.file_name().unwrap())).unwrap();
    }
    for name in ["a", "b"] {
        let found = cache.get(&key(name));
        assert!(
            matches!(&found, Found::Damaged(why) if why.contains("user")),
            "{found:?}"
        );
    }
    // Nor is an own entry under another key's name.
    cache.put(&key("b"), Ok(&sample(100))).unwrap();
    for path in files(&ours) {
        fs::write(path, &own).unwrap();
    }
    let good = ["a", "b"].map(|name| matches!(cache.get(&key(name)), Found::Variant(_)));
    assert_eq!(good, [true, false]);
    // A FIFO or a file that is all hole is refused at once.
    let path = ours.join(entry(&ours).file_name().unwrap());
    fs::remove_file(&path).unwrap();
    fs::File::create(&path).unwrap().set_len(1 << 19).unwrap();
    let is_refused = || {
        ["a", "b"]
            .iter()
            .any(|name| matches!(cache.get(&key(name)), Found::Damaged(_)))
    };
    assert!(is_refused());
    fs::remove_file(&path).unwrap();
    assert!(
        std::process::Command::new("mkfifo")
            .arg(&path)
            .status()
            .unwrap()
            .success()
    );
    assert!(is_refused());
}

/// If the directory is at fault, the message names the directory.
#[test]
fn problems_name_what_they_are_about() {
    let directory = tempfile::tempdir().unwrap();
    let key = Key::new(&[0; 32], "a", "gfx90a", b"");
    let file = directory.path().join("file");
    fs::write(&file, b"").unwrap();
    let cache = Cache::new(file.clone(), 1 << 20);
    let begins = |said: &str| said.starts_with(&format!("{}: ", file.display()));
    let found = cache.get(&key);
    assert!(
        matches!(&found, Found::Damaged(why) if begins(why)),
        "{found:?}"
    );
    let why = cache.put(&key, Ok(&sample(1))).unwrap_err().to_string();
    assert!(begins(&why), "{why}");
}

#[test]
fn sessions_share_variants_and_survive_damage() {
    let directory = tempfile::tempdir().unwrap();
    let settings = [("LUTHIER_CACHE", directory.path().to_str().unwrap())];
    let bytes = object(&[]);
    let run = || {
        let (session, _) = start(&bytes, config(&settings), Arc::new(Identity));
        assert!(variant(session.dispatch(&launch(&bytes, "scale"))).is_some());
        let summary = session.summary();
        let Status::Instrumented(done) = &summary.kernels[0].status else {
            panic!("{:?}", summary.kernels)
        };
        (done.from_cache, summary.notes)
    };
    assert_eq!(run(), (false, vec![]));
    assert_eq!(run(), (true, vec![]));
    fs::write(files(directory.path()).remove(0), b"LUTHIERV").unwrap();
    let (from_cache, notes) = run();
    assert!(
        !from_cache && notes[0].starts_with("cache entry ignored: "),
        "{notes:?}"
    );
    assert_eq!(run(), (true, vec![]));
}

/// Refuses, and counts how often it was asked.
struct Refusing(session::Refusal, std::sync::atomic::AtomicU32);

impl session::Instrumenter for Refusing {
    fn name(&self) -> String {
        "refusing".into()
    }
    fn fingerprint(&self) -> Vec<u8> {
        Vec::new()
    }
    fn instrument(&self, _: &session::Request<'_>) -> Result<Variant, session::Refusal> {
        self.1.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        Err(self.0.clone())
    }
}

/// How often a tool that refuses is asked by sessions of these builds, one after the other.
fn asked(refusal: session::Refusal, builds: &[&str]) -> Vec<u32> {
    let directory = tempfile::tempdir().unwrap();
    let bytes = object(&[]);
    let tool = Arc::new(Refusing(refusal.clone(), Default::default()));
    let asked = builds.iter().map(|build| {
        let settings = [("LUTHIER_CACHE", directory.path().to_str().unwrap())];
        let mut config = config(&settings);
        config.build = build.to_string();
        let (session, _) = start(&bytes, config, tool.clone());
        assert!(variant(session.dispatch(&launch(&bytes, "scale"))).is_none());
        let summary = session.summary();
        assert_eq!(summary.kernels[0].status, Status::Refused(refusal.clone()));
        tool.1.load(std::sync::atomic::Ordering::Relaxed)
    });
    asked.collect()
}

#[test]
fn refusals_are_not_worked_out_again_except_by_another_build() {
    let refusal = session::Refusal::Code("not this one".into());
    assert_eq!(asked(refusal, &["a", "a", "b", "a"]), [1, 1, 2, 2]);
}

/// A tool that crashed in one process works in the next.
#[test]
fn what_happened_to_a_tool_is_not_kept() {
    let refusal = session::Refusal::ToolFailed("it crashed".into());
    assert_eq!(asked(refusal, &["a", "a"]), [1, 2]);
}
