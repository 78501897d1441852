//! Results of programs, printed like those of Rust's test harness: `./dev test` reads them.

use std::{collections::BTreeSet, process::ExitCode, time::Duration};

/// Programs by name, and those that failed.
#[derive(Debug, Default)]
pub struct Tally {
    all: BTreeSet<String>,
    failed: BTreeSet<String>,
}

impl Tally {
    /// Notes what came of a program, on one device or with one setting of several.
    pub fn note(&mut self, program: &str, passed: bool) {
        self.all.insert(program.to_owned());
        if !passed {
            self.failed.insert(program.to_owned());
        }
    }

    /// Prints the result, with the programs that failed. Each can be run alone by its name.
    pub fn finish(&self, time: Duration) -> ExitCode {
        print!("{}", self.text(time));
        ExitCode::from(u8::from(!self.failed.is_empty()))
    }

    fn text(&self, time: Duration) -> String {
        let mut text = String::new();
        if !self.failed.is_empty() {
            text.push_str("\nfailures:\n");
            for name in &self.failed {
                text.push_str(&format!("    {name}\n"));
            }
        }
        text + &format!(
            "\ntest result: {}. {} passed; {} failed; 0 ignored; 0 measured; 0 filtered out; finished in {:.2}s\n",
            if self.failed.is_empty() {
                "ok"
            } else {
                "FAILED"
            },
            self.all.len() - self.failed.len(),
            self.failed.len(),
            time.as_secs_f64()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_fails_if_it_fails_on_one_device() {
        let mut tally = Tally::default();
        tally.note("lanes", true);
        tally.note("lds", true);
        tally.note("lds", false);
        let expected = "\nfailures:\n    lds\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.00s\n";
        assert_eq!(tally.text(Duration::from_secs(1)), expected);
    }
}
