//! The executions of places that a user lets tools see: those of a workgroup, the first few, one of several.

use crate::{Error, Result};

/// The values of `--workgroup`, `--first` and `--sample`. By default tools see all executions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Executions {
    /// Number in each dimension; all ones fit any.
    pub workgroup: Option<[u32; 3]>,
    /// Only the first N executions of each place by waves, on each device.
    pub first: Option<u32>,
    /// Only the first execution of each place, and then every Nth.
    pub sample: Option<u32>,
}

impl Executions {
    /// Returns `true` if all executions are seen.
    pub fn are_all(&self) -> bool {
        *self == Executions::default()
    }

    /// Returns `true` if executions are counted, place by place.
    pub fn are_counted(&self) -> bool {
        self.first.is_some() || self.sample.is_some()
    }

    /// Adds a condition in the form of `--site`; `None` if it is about something else.
    pub fn add(&mut self, text: &str) -> Option<Result<()>> {
        let (key, value) = text.split_once('=')?;
        let understood = match key.trim() {
            "workgroup" => {
                session::workgroup::parse(value).map(|number| self.workgroup = Some(number))
            }
            "first" => at_least_one(value).map(|count| self.first = Some(count)),
            "sample" => at_least_one(value).map(|period| self.sample = Some(period)),
            _ => return None,
        };
        let text = text.to_owned();
        Some(understood.ok_or(Error::Executions(text)))
    }
}

/// (All ones would mean all.)
fn at_least_one(text: &str) -> Option<u32> {
    let number = text.trim().parse().ok()?;
    (1..u32::MAX).contains(&number).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_read() {
        let mut executions = Executions::default();
        assert!(executions.are_all());
        assert!(executions.add("kind=load").is_none());
        for text in ["workgroup=3,*", "first=100", "sample= 16 "] {
            executions.add(text).unwrap().unwrap();
        }
        let expected = Executions {
            workgroup: Some([3, session::workgroup::ANY, 0]),
            first: Some(100),
            sample: Some(16),
        };
        assert_eq!(executions, expected);
        for text in [
            "workgroup=",
            "workgroup=1,2,3,4",
            "workgroup=x",
            "first=0",
            "first=all",
            "sample=-1",
            "sample=4294967295",
        ] {
            let refused = executions.add(text).unwrap().unwrap_err().to_string();
            assert!(refused.contains(text), "{refused}");
        }
    }
}
