//! Files and directories that are trusted, and those that are refused.

use std::{
    fs::{self, Permissions},
    os::unix::fs::{PermissionsExt, chown, symlink},
    process::Command,
    time::{Duration, Instant},
};

use outputs::trusted::Directory;

#[test]
fn modes_do_not_depend_on_the_umask() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a/b");
    // SAFETY: only this test of the process looks at modes.
    let before = unsafe { libc::umask(0) };
    let directory = Directory::create(&path).unwrap();
    directory.write("entry", b"text").unwrap();
    let secret = directory.secret().unwrap();
    // SAFETY: only this test of the process depends on the umask.
    unsafe { libc::umask(before) };
    let mode = |name: &str| fs::metadata(path.join(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode("."), 0o700);
    assert_eq!(mode("entry"), 0o600);
    assert_eq!(mode("secret"), 0o600);
    assert_eq!(Directory::open(&path).unwrap().secret().unwrap(), secret);
    assert_eq!(directory.read("entry", 4).unwrap(), b"text");
    // Permissions that an older program left open are removed.
    fs::set_permissions(&path, Permissions::from_mode(0o777)).unwrap();
    Directory::open(&path).unwrap();
    assert_eq!(mode("."), 0o700);
}

#[test]
fn what_others_can_have_made_is_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let directory = Directory::open(folder.path()).unwrap();
    let path = |name: &str| folder.path().join(name);
    for name in ["good", "open", "theirs", "large", "target"] {
        directory.write(name, b"12345").unwrap();
    }
    assert!(directory.read("good", 5).is_ok());
    fs::set_permissions(path("open"), Permissions::from_mode(0o622)).unwrap();
    symlink("target", path("link")).unwrap();
    assert!(
        Command::new("mkfifo")
            .arg(path("fifo"))
            .status()
            .unwrap()
            .success()
    );
    fs::create_dir(path("directory")).unwrap();
    let sparse = fs::File::create(path("sparse")).unwrap();
    sparse.set_len(1 << 40).unwrap();
    let mut bad = vec!["open", "link", "fifo", "directory", "sparse"];
    if chown(path("theirs"), Some(12345), None).is_ok() {
        bad.push("theirs");
    }
    let began = Instant::now();
    for name in bad {
        assert!(directory.read(name, 1 << 20).is_err(), "{name}");
    }
    assert!(directory.read("large", 4).is_err());
    assert!(began.elapsed() < Duration::from_secs(1));
}

#[test]
fn a_secret_that_is_damaged_or_planted_is_made_anew() {
    let folder = tempfile::tempdir().unwrap();
    let directory = Directory::open(folder.path()).unwrap();
    let first = directory.secret().unwrap();
    fs::write(folder.path().join("secret"), b"short").unwrap();
    let second = directory.secret().unwrap();
    assert_ne!(first, second);
    if chown(folder.path().join("secret"), Some(12345), None).is_ok() {
        assert_ne!(directory.secret().unwrap(), second);
    }
    if chown(folder.path(), Some(12345), None).is_ok() {
        assert!(Directory::open(folder.path()).is_err());
    }
}
