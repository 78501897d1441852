//! The report as JSON, written as objects are found.

use crate::{Error, Options, Part, stream::stream};
use serde::ser::{Error as _, Serialize, SerializeSeq, SerializeStruct, Serializer};
use std::cell::{Cell, RefCell};

/// Gives `serializer` what [`crate::inspect`] would return, with the same fields in the same order, without holding it.
///
/// `reached` is told how many bytes of the file have been read. The outer error is the serializer's; the inner one is that of [`crate::inspect`], after which what was serialized is of no use.
pub fn write_json<S: Serializer>(
    bytes: &[u8],
    name: &str,
    options: &Options,
    reached: &mut dyn FnMut(u64),
    serializer: S,
) -> Result<Result<S::Ok, Error>, S::Error> {
    let streamed = Streamed {
        bytes,
        name,
        options,
        reached: RefCell::new(reached),
        others: RefCell::default(),
        problems: RefCell::default(),
        failed: Cell::new(None),
    };
    let done = streamed.serialize(serializer);
    match streamed.failed.take() {
        Some(error) => Ok(Err(error)),
        None => done.map(Ok),
    }
}

struct Streamed<'a> {
    bytes: &'a [u8],
    name: &'a str,
    options: &'a Options,
    /// Told how much of the file has been read.
    reached: RefCell<&'a mut dyn FnMut(u64)>,
    /// Known when all objects have been written, behind which they stand.
    others: RefCell<Vec<(String, u64)>>,
    problems: RefCell<Vec<(String, String)>>,
    failed: Cell<Option<Error>>,
}

impl Serialize for Streamed<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut report = serializer.serialize_struct("Report", 5)?;
        report.serialize_field("file", self.name)?;
        report.serialize_field("size", &self.bytes.len())?;
        report.serialize_field("objects", &Objects(self))?;
        report.serialize_field("others", &*self.others.borrow())?;
        report.serialize_field("problems", &*self.problems.borrow())?;
        report.end()
    }
}

struct Objects<'a, 's>(&'s Streamed<'a>);

impl Serialize for Objects<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let streamed = self.0;
        let mut objects = serializer.serialize_seq(None)?;
        let mut refused = None;
        let found = stream(
            streamed.bytes,
            streamed.name,
            streamed.options,
            &mut |part| {
                match part {
                    Part::Object(object) => refused = objects.serialize_element(&object).err(),
                    Part::Other(id, size) => streamed.others.borrow_mut().push((id, size)),
                    Part::Problem(place, reason) => {
                        streamed.problems.borrow_mut().push((place, reason))
                    }
                    Part::Reached(offset) => (streamed.reached.borrow_mut())(offset),
                }
                refused.is_none()
            },
        );
        if let Some(error) = refused {
            return Err(error);
        }
        if let Err(error) = found {
            let text = error.to_string();
            streamed.failed.set(Some(error));
            return Err(S::Error::custom(text));
        }
        objects.end()
    }
}
