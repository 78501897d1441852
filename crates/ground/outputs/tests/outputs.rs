//! Attributes of an existing file that outputs keep.

use std::{
    fs,
    io::{Read, Write},
    os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, symlink},
    path::Path,
    process::Command,
};

use outputs::{Output, are_one_file, write_whole};

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_file_appears_whole_and_nothing_is_beside_it() {
    let folder = folder();
    let path = folder.path().join("out");
    let mut output = Output::create(&path).unwrap();
    output.write_all(b"half").unwrap();
    assert!(!path.exists());
    output.write_all(b" and half").unwrap();
    output.finish().unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"half and half");
    assert_eq!(names(folder.path()), ["out"]);
    drop(Output::create(&path).unwrap());
    assert_eq!(fs::read(&path).unwrap(), b"half and half", "given up");
    assert_eq!(names(folder.path()), ["out"]);
}

/// Files of our own beside the output are no business of the user's.
#[test]
fn errors_name_no_file_that_the_user_does_not_know() {
    let folder = folder();
    let error = Output::create(&folder.path().join("none/out")).unwrap_err();
    assert_eq!(error.raw_os_error(), Some(libc::ENOENT), "{error}");
    assert!(!error.to_string().contains("out"), "{error}");
}

#[test]
fn modes_stay_and_are_otherwise_as_the_umask_says() {
    let folder = folder();
    let path = folder.path().join("out");
    let mode = || fs::metadata(&path).unwrap().permissions().mode() & 0o7777;
    write_whole(&path, b"1").unwrap();
    let usual = fs::File::create(folder.path().join("usual")).unwrap();
    assert_eq!(mode(), usual.metadata().unwrap().mode() & 0o7777);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o751)).unwrap();
    write_whole(&path, b"2").unwrap();
    assert_eq!(mode(), 0o751);
    assert_eq!(fs::read(&path).unwrap(), b"2");
}

#[test]
fn links_are_followed_whether_or_not_they_lead_to_something() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name);
    fs::create_dir(path("deep")).unwrap();
    symlink("second", path("first")).unwrap();
    symlink("deep/file", path("second")).unwrap();
    for text in ["new", "again"] {
        write_whole(&path("first"), text.as_bytes()).unwrap();
        assert_eq!(fs::read_to_string(path("deep/file")).unwrap(), text);
        assert!(path("first").is_symlink() && path("second").is_symlink());
    }
    symlink("round", path("round")).unwrap();
    assert!(write_whole(&path("round"), b"").is_err());
    assert!(write_whole(&path("deep"), b"").is_err(), "a directory");
    assert_eq!(names(&path("deep")), ["file"]);
}

#[test]
fn devices_and_fifos_are_written_and_stay() {
    let folder = folder();
    // A node of our own, so that a mistake does not cost the machine its /dev/null.
    let node = folder.path().join("null");
    let made = Command::new("mknod")
        .arg(&node)
        .args(["c", "1", "3"])
        .output();
    let is_root = made.unwrap().status.success();
    if is_root {
        // Whether a device can be opened here is for the file system to say; it stays what it is either way.
        let _ = write_whole(&node, b"gone");
        let kind = fs::metadata(&node).unwrap().file_type();
        assert!(kind.is_char_device());
        let mut output = match Output::create(&node) {
            Ok(output) => output,
            Err(_) => Output::create(Path::new("/dev/null")).unwrap(),
        };
        let before = fs::metadata("/dev/null").unwrap().mode();
        let permissions = fs::Permissions::from_mode(0o755);
        output.set_permissions(permissions).unwrap();
        output.finish().unwrap();
        assert_eq!(fs::metadata("/dev/null").unwrap().mode(), before);
    }
    let fifo = folder.path().join("fifo");
    assert!(
        Command::new("mkfifo")
            .arg(&fifo)
            .status()
            .unwrap()
            .success()
    );
    let reader = std::thread::spawn({
        let fifo = fifo.clone();
        move || {
            let mut text = String::new();
            fs::File::open(fifo)
                .unwrap()
                .read_to_string(&mut text)
                .unwrap();
            text
        }
    });
    write_whole(&fifo, b"through").unwrap();
    assert_eq!(reader.join().unwrap(), "through");
    assert!(fs::metadata(&fifo).unwrap().file_type().is_fifo());
}

#[test]
fn descriptors_by_name_are_written_through() {
    let folder = folder();
    let path = folder.path().join("log");
    fs::write(&path, "before\n").unwrap();
    let file = fs::OpenOptions::new().append(true).open(&path).unwrap();
    let inode = file.metadata().unwrap().ino();
    let number = std::os::fd::AsRawFd::as_raw_fd(&file);
    write_whole(Path::new(&format!("/proc/self/fd/{number}")), b"after\n").unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "before\nafter\n");
    assert_eq!(fs::metadata(&path).unwrap().ino(), inode);
}

#[test]
fn nothing_remains_of_a_killed_writer() {
    let folder = folder();
    let mut output = Output::create(&folder.path().join("out")).unwrap();
    output.write_all(b"x").unwrap();
    // A SIGKILL would leave it like this.
    std::mem::forget(output);
    assert_eq!(names(folder.path()), [""; 0]);
}

#[test]
fn two_names_of_one_file_are_known() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("d")).unwrap();
    symlink(at("d"), at("link")).unwrap();
    symlink("d/a", at("dangling")).unwrap();
    for other in ["d/../d/a", "link/a", "dangling", "./d/a"] {
        assert!(are_one_file(&at("d/a"), &at(other)), "{other}");
    }
    fs::write(at("d/a"), "x").unwrap();
    fs::hard_link(at("d/a"), at("hard")).unwrap();
    for other in ["d/../d/a", "link/a", "dangling", "./d/a"] {
        assert!(are_one_file(&at("d/a"), &at(other)), "{other}");
    }
    // Renaming replaces names, not contents.
    for other in ["a", "d/b", "hard", "missing/a"] {
        assert!(!are_one_file(&at("d/a"), &at(other)), "{other}");
    }
    for both in ["/dev/null", "/dev/stdout", "/proc/self/fd/1"] {
        assert!(!are_one_file(both.as_ref(), both.as_ref()), "{both}");
    }
    let shared = Path::new("/dev/shm/luthier-no-such-file");
    assert!(are_one_file(shared, shared));
}
