//! Answers two questions that `hipcc` asks its compiler before it starts it: the version, and the host's target.
//!
//! Each answer takes a tenth of a second of processor time, because the compiler is in large shared libraries, and a gate on a clean machine
//! starts `hipcc` some five hundred times. Here a script asks once. All that `hipcc` wants compiled goes to its compiler, unchanged.

use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, ensure};

/// The variable with the folder of `hipcc`'s compiler.
pub const VARIABLE: &str = "HIP_CLANG_PATH";
/// The questions.
const QUESTIONS: [&str; 2] = ["--version", "-print-target-triple"];

/// Makes such a script in `folder` for the compiler of Debian's `hipcc`. Returns the folder for [`VARIABLE`], or none if `hipcc` is another
/// one, or is not there.
pub fn answers(folder: &Path) -> Result<Option<PathBuf>> {
    let Ok(script) = fs::read_to_string("/usr/bin/hipcc.pl") else {
        return Ok(None);
    };
    let name = script.split(['/', '"']).find(|word| is_compiler(word));
    let real = name.map(|name| Path::new("/usr/bin").join(name));
    match real.filter(|real| real.exists()) {
        Some(real) if std::env::var_os(VARIABLE).is_none() => Ok(Some(script_for(&real, folder)?)),
        _ => Ok(None),
    }
}

/// `clang++-15`, say.
fn is_compiler(word: &str) -> bool {
    let version = word.strip_prefix("clang++-");
    version.is_some_and(|version| version.parse::<u32>().is_ok())
}

/// Makes the script in the folder `bin`. `hipcc` looks for headers in the folder `lib` beside it.
fn script_for(real: &Path, folder: &Path) -> Result<PathBuf> {
    let bin = folder.join("bin");
    fs::create_dir_all(&bin).with_context(|| format!("cannot make {}", bin.display()))?;
    let prefix = real
        .ancestors()
        .nth(2)
        .context("a compiler lies in a folder")?;
    let lib = prefix.join("lib");
    symlink(&lib, folder.join("lib")).with_context(|| format!("cannot link {}", lib.display()))?;
    let mut text = String::from("#!/bin/sh\ncase \"$*\" in\n");
    for question in QUESTIONS {
        let answer = Command::new(real).arg(question).output();
        let answer = answer.with_context(|| format!("cannot run {}", real.display()))?;
        ensure!(
            answer.status.success(),
            "{} {question} failed",
            real.display()
        );
        let answer = String::from_utf8(answer.stdout).context("an answer is no text")?;
        text += &format!("{question}) cat <<'ANSWER'\n{answer}ANSWER\nexit ;;\n");
    }
    text += &format!("esac\nexec '{}' \"$@\"\n", real.display());
    let path = bin.join(real.file_name().context("a compiler has a name")?);
    fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
    Ok(bin)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The command that `hipcc` starts for a program, and its output.
    fn compiled(hipcc: &mut Command, folder: &Path) -> (String, Vec<u8>) {
        let output = folder.join("program.o");
        let hipcc = hipcc.env("HIPCC_VERBOSE", "1");
        let hipcc = hipcc
            .args(["-c", "--offload-arch=gfx90a", "-o"])
            .arg(&output);
        let said = hipcc.arg(folder.join("program.hip")).output().unwrap();
        assert!(said.status.success(), "{said:?}");
        (
            String::from_utf8(said.stdout).unwrap(),
            fs::read(output).unwrap(),
        )
    }

    #[test]
    fn the_compiler_is_asked_nothing_and_compiles_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        if !prerequisite::program("hipcc", "hipcc") {
            return;
        }
        fs::write(
            folder.join("program.hip"),
            "#include <hip/hip_runtime.h>\n__global__ void kernel() {}\n",
        )
        .unwrap();
        let (plain, expected) = compiled(Command::new("hipcc").env_remove(VARIABLE), folder);
        // A compiler that notes how it is started.
        let noting = folder.join("noting/bin/clang++-15");
        fs::create_dir_all(noting.parent().unwrap()).unwrap();
        symlink("/usr/lib", folder.join("noting/lib")).unwrap();
        let starts = folder.join("starts");
        let text = format!(
            "#!/bin/sh\necho \"$1\" >> {}\nexec /usr/bin/clang++-15 \"$@\"\n",
            starts.display()
        );
        fs::write(&noting, text).unwrap();
        fs::set_permissions(&noting, fs::Permissions::from_mode(0o755)).unwrap();
        let bin = script_for(&noting, &folder.join("answers")).unwrap();
        let asked = fs::read_to_string(&starts).unwrap();
        assert_eq!(asked.lines().collect::<Vec<_>>(), QUESTIONS);
        fs::remove_file(&starts).unwrap();

        let (other, output) = compiled(Command::new("hipcc").env(VARIABLE, &bin), folder);
        assert_eq!(other.replace(bin.to_str().unwrap(), "/usr/bin"), plain);
        assert!(output == expected, "the object differs");
        assert_eq!(fs::read_to_string(&starts).unwrap().lines().count(), 1);
    }
}
