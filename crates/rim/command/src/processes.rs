//! Processes of this machine, and the environment that each was started with.

use std::fs;

/// The numbers of all processes.
pub fn all() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// Returns `true` if the process was started with this entry, `NAME=value`, in its environment. One that has ended has none.
pub fn has_entry(pid: u32, entry: &[u8]) -> bool {
    let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    environment.split(|byte| *byte == 0).any(|one| one == entry)
}

/// A process, those that it has started, and those that they have.
pub fn with_descendants(pid: u32) -> Vec<u32> {
    let mut all = vec![pid];
    let mut next = 0;
    while let Some(pid) = all.get(next) {
        let threads = fs::read_dir(format!("/proc/{pid}/task"));
        for thread in threads.into_iter().flatten().flatten() {
            let children = fs::read_to_string(thread.path().join("children"));
            let children = children.unwrap_or_default();
            all.extend(children.split_whitespace().flat_map(str::parse::<u32>));
        }
        next += 1;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn a_process_is_found_by_an_entry_of_its_environment() {
        let mut child = Command::new("sleep")
            .arg("1000")
            .env("MARKED_BY", "a test")
            .spawn()
            .unwrap();
        let has = |entry: &str| has_entry(child.id(), entry.as_bytes());
        // Until the child executes its program, its environment is this process's.
        while !has("MARKED_BY=a test") {
            std::thread::yield_now();
        }
        assert!(!has("MARKED_BY=a") && !has("MARKED_BY"));
        assert!(all().any(|pid| pid == child.id()));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!has_entry(child.id(), b"MARKED_BY=a test"));
    }
}
