//! The answers of compilers about themselves. Nearly every test wants to know it, and hipcc takes a third of a second for an answer, so that each
//! question is asked once in a process.

use std::{
    collections::BTreeMap,
    process::Command,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

/// A compiler's standard output; None if it is not there or failed.
type Answer = Option<Arc<[u8]>>;

/// The answer of a compiler that is started with these arguments.
pub fn asked(compiler: &str, arguments: &[&str]) -> Answer {
    static ANSWERS: Mutex<BTreeMap<Vec<String>, Arc<OnceLock<Answer>>>> =
        Mutex::new(BTreeMap::new());
    let question = [&[compiler], arguments].concat();
    let question = question.into_iter().map(str::to_owned).collect();
    let mut answers = ANSWERS.lock().unwrap_or_else(PoisonError::into_inner);
    let answer = Arc::clone(answers.entry(question).or_default());
    // Other questions need not wait for this one.
    drop(answers);
    let ask = || {
        let output = Command::new(compiler).args(arguments).output().ok()?;
        output.status.success().then(|| output.stdout.into())
    };
    answer.get_or_init(ask).clone()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs, os::unix::fs::PermissionsExt};

    #[test]
    fn a_question_is_asked_once() {
        let folder = std::env::temp_dir().join(format!("programs-asked.{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let (compiler, count) = (folder.join("compiler"), folder.join("count"));
        let text = format!("#!/bin/sh\necho >> {}\necho said $1\n", count.display());
        fs::write(&compiler, text).unwrap();
        fs::set_permissions(&compiler, fs::Permissions::from_mode(0o755)).unwrap();
        let name = compiler.to_str().unwrap();
        for _ in 0..3 {
            assert_eq!(asked(name, &["a"]).as_deref(), Some(&b"said a\n"[..]));
            assert_eq!(asked(name, &["b"]).as_deref(), Some(&b"said b\n"[..]));
        }
        assert_eq!(fs::read(&count).unwrap().len(), 2);
        assert_eq!(asked("/nonexistent/compiler", &[]), None);
        fs::remove_dir_all(&folder).unwrap();
    }
}
