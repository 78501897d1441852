//! Programs that run with other rights than their caller: the dynamic linker ignores our libraries in them.

use std::{
    env,
    ffi::{OsStr, OsString},
    fs,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

const SET_USER: u32 = 0o4000;
const SET_GROUP: u32 = 0o2000;

/// The message about such a program.
pub fn complaint(program: &OsStr) -> Option<String> {
    let path = found(program, env::var_os("PATH"))?;
    let file = fs::metadata(&path).ok()?;
    // The privileges of this process itself.
    let own = fs::metadata("/proc/self").ok()?;
    let (user, group) = (file.mode() & SET_USER != 0, file.mode() & SET_GROUP != 0);
    let how = if user && file.uid() != own.uid() {
        format!("as user {}", file.uid())
    } else if group && file.gid() != own.gid() {
        format!("as group {}", file.gid())
    } else {
        return None;
    };
    Some(format!(
        "{} runs {how}, whoever starts it, so the system keeps our libraries out of it: it will see no emulated GPU and no tools; run \
         a copy without that bit",
        path.display()
    ))
}

/// The file that would be started.
fn found(program: &OsStr, path: Option<OsString>) -> Option<PathBuf> {
    let named = Path::new(program);
    if named.components().count() > 1 || named.is_absolute() {
        return Some(named.to_owned());
    }
    env::split_paths(&path?)
        .map(|directory| directory.join(named))
        .find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, chown};

    #[test]
    fn only_programs_with_other_rights_are_told_of() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("program");
        fs::write(&path, "").unwrap();
        let set = |mode| fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        set(0o4755);
        assert_eq!(complaint(path.as_os_str()), None, "one's own");
        if chown(&path, Some(12345), None).is_ok() {
            set(0o755);
            assert_eq!(complaint(path.as_os_str()), None);
            set(0o4755);
            assert!(
                complaint(path.as_os_str())
                    .unwrap()
                    .contains("as user 12345")
            );
        }
    }

    #[test]
    fn programs_are_found_as_the_system_finds_them() {
        let path = Some(OsString::from("/nowhere:/bin"));
        assert_eq!(found(OsStr::new("sh"), path), Some("/bin/sh".into()));
        let given = found(OsStr::new("./sh"), None);
        assert_eq!(given, Some("./sh".into()));
    }
}
