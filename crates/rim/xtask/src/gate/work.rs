//! Processor time, as the system counts it.

use std::{fs, time::Duration};

/// Linux counts in this unit for programs, whatever it counts in itself.
const TICK: Duration = Duration::from_millis(10);

/// What a process and its children that were waited for have used: `process` is its number or `self`. Nothing if it is not there.
pub fn of(process: &str) -> Duration {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    read(&text).unwrap_or_default()
}

/// `2871 (a name) R 1 ...`: fields 14 to 17 are the process's own time as a program and in the system, and its children's.
fn read(text: &str) -> Option<Duration> {
    // The name may have spaces and brackets in it.
    let (_, fields) = text.rsplit_once(')')?;
    let fields = fields.split_whitespace().skip(11).take(4);
    let ticks: Vec<u32> = fields
        .map(|field| field.parse().ok())
        .collect::<Option<_>>()?;
    (ticks.len() == 4).then(|| TICK * ticks.iter().sum())
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn own_time_and_that_of_children_count() {
        let line =
            "2871 (a) b) (c) S 1 2871 2871 0 -1 4194560 100 200 0 0 7 3 50 40 20 0 1 0 55 66";
        assert_eq!(read(line), Some(Duration::from_secs(1)));
        assert_eq!(read("2871 (a) S 1 2"), None);
        assert_eq!(read(""), None);
    }

    #[test]
    fn a_process_that_has_ended_is_known_until_it_is_waited_for() {
        // It starts one that works, and waits for it.
        let script = "sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done'; :";
        let mut child = Command::new("sh")
            .args(["-c", script])
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let mut text = String::new();
        std::io::Read::read_to_string(child.stdout.as_mut().unwrap(), &mut text).unwrap();
        let time = of(&child.id().to_string());
        child.wait().unwrap();
        assert!(time >= TICK, "{time:?}");
        assert_eq!(of(&child.id().to_string()), Duration::ZERO);
    }
}
