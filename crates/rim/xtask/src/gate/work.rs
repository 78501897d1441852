//! Processor time and memory, as the system counts them.

use std::{fs, time::Duration};

/// Linux counts in this unit for programs, whatever it counts in itself.
const TICK: Duration = Duration::from_millis(10);

/// Returns the processor time of a process and of its children that were waited for. `process` is its number or `self`. A process
/// that is not there has used none.
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

/// The time that all processors of the machine have worked since it started.
pub fn of_machine() -> Option<Duration> {
    read_machine(&fs::read_to_string("/proc/stat").ok()?)
}

/// `cpu  1 2 3 4 5 6 7 8 9 10`, in ticks: programs, programs that give way, the system, idle, waiting for disks, interrupts of two kinds, and
/// the share of other machines on the host. The last two numbers are part of the first two.
fn read_machine(text: &str) -> Option<Duration> {
    let fields = text.lines().next()?.strip_prefix("cpu ")?;
    let fields: Vec<u64> = fields
        .split_whitespace()
        .map(|field| field.parse().ok())
        .collect::<Option<_>>()?;
    let [user, nice, system, _, _, hard, soft, taken, ..] = fields[..] else {
        return None;
    };
    let ticks = user + nice + system + hard + soft + taken;
    // A machine of many processors has more ticks in a week than 32 bits hold.
    Some(Duration::from_millis(TICK.as_millis() as u64 * ticks))
}

/// Bytes of memory that programs can get without swapping.
pub fn free_memory() -> u64 {
    let text = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    read_memory(&text).unwrap_or_default()
}

/// `MemAvailable:   12345 kB`
fn read_memory(text: &str) -> Option<u64> {
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let number: u64 = line.strip_suffix("kB")?.trim().parse().ok()?;
    Some(number << 10)
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

    #[test]
    fn the_machine_s_work_has_no_idle_time() {
        let text = "cpu  100 20 30 9999 500 4 5 6 7 8\ncpu0 1 2 3 4 5 6 7 8 9 10\n";
        assert_eq!(read_machine(text), Some(TICK * 165));
        let week = "cpu  6000000000 0 0 0 0 0 0 0 0 0\n";
        assert_eq!(read_machine(week), Some(Duration::from_secs(60_000_000)));
        assert_eq!(read_machine("cpu0 1 2 3 4 5 6 7 8\n"), None);
        assert_eq!(read_machine("cpu  1 2 3\n"), None);
        let before = of_machine().unwrap();
        assert!(of_machine().unwrap() >= before && before > Duration::ZERO);
    }

    #[test]
    fn free_memory_is_what_is_available() {
        let text = "MemTotal:  24000000 kB\nMemFree:  10 kB\nMemAvailable:    3072 kB\n";
        assert_eq!(read_memory(text), Some(3 << 20));
        assert_eq!(read_memory("MemFree: 10 kB\n"), None);
        assert!(free_memory() > 0);
    }
}
