//! Whether a program waits for input: a thread of it is in a system call that waits for files, and all other threads sleep.
//!
//! Linux says so in `/proc`. A thread that sleeps for a time or for another thread waits for no input, but does not prevent it either.

use std::fs;

/// System calls in which a thread waits for input, by their numbers.
#[cfg(target_arch = "x86_64")]
const CALLS: [u32; 9] = [
    0,   // read
    7,   // poll
    19,  // readv
    23,  // select
    45,  // recvfrom
    232, // epoll_wait
    270, // pselect6
    271, // ppoll
    281, // epoll_pwait
];
#[cfg(target_arch = "aarch64")]
const CALLS: [u32; 6] = [
    22,  // epoll_pwait
    63,  // read
    65,  // readv
    72,  // pselect6
    73,  // ppoll
    207, // recvfrom
];

/// True if one of the processes waits for input and no thread of any of them runs.
pub fn wait_for_input(pids: impl IntoIterator<Item = u32>) -> bool {
    let mut reads = false;
    for pid in pids {
        let Ok(threads) = fs::read_dir(format!("/proc/{pid}/task")) else {
            continue; // It has ended.
        };
        for thread in threads.flatten() {
            let file = |name: &str| fs::read_to_string(thread.path().join(name)).ok();
            match file("stat").as_deref().and_then(state) {
                // (Where the system hides the call, a thread that sleeps is taken to read.)
                Some('S') => reads |= file("syscall").as_deref().is_none_or(is_reading),
                Some('Z' | 'X') | None => {}
                Some(_) => return false,
            }
        }
    }
    reads
}

/// The state of a process or thread. It stands after the name, which is in parentheses and may contain anything.
pub fn state(stat: &str) -> Option<char> {
    stat.rsplit_once(") ")?.1.chars().next()
}

/// `NUMBER ARGUMENTS...` if the thread is in a system call.
fn is_reading(call: &str) -> bool {
    let number = call.split_whitespace().next();
    number.is_some_and(|number| number.parse().is_ok_and(|number| CALLS.contains(&number)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    #[test]
    fn names_of_programs_may_contain_parentheses() {
        assert_eq!(state("7 (a) R (b)) S 1 7"), Some('S'));
        assert_eq!(state("nothing"), None);
    }

    /// `cat` waits for input, `sleep` does not.
    #[test]
    fn a_reading_program_is_told_from_a_sleeping_one() {
        let start = |program: &str, argument: &[&str]| {
            let mut command = Command::new(program);
            command.args(argument).stdin(Stdio::piped());
            command.spawn().unwrap()
        };
        let (mut cat, mut sleep) = (start("cat", &[]), start("sleep", &["100"]));
        let begun = Instant::now();
        // Both have to get there: a program that still starts runs.
        while !wait_for_input([cat.id(), sleep.id()]) {
            assert!(begun.elapsed() < Duration::from_secs(60));
            std::thread::sleep(Duration::from_millis(1));
        }
        assert!(wait_for_input([cat.id()]));
        assert!(!wait_for_input([sleep.id()]));
        for child in [&mut cat, &mut sleep] {
            child.kill().unwrap();
            child.wait().unwrap();
        }
        assert!(!wait_for_input([cat.id()]));
    }
}
