//! One JSON object a line.

use crate::{Error, Layout, Sink, Value, whole_file::WholeFile};
use serde_json::{Map, Number};
use std::path::Path;

pub(crate) struct JsonSink {
    file: WholeFile,
    layout: Layout,
    written: u64,
}

impl JsonSink {
    pub fn create(path: &Path, layout: &Layout) -> Result<JsonSink, Error> {
        Ok(JsonSink {
            file: WholeFile::create(path)?,
            layout: layout.clone(),
            written: 0,
        })
    }
}

impl Sink for JsonSink {
    fn write(&mut self, records: &[u8]) -> Result<(), Error> {
        for record in self.layout.records(records)? {
            let fields = self.layout.fields.iter().map(|field| {
                let value = match field.value(record) {
                    Value::Unsigned(value) => value.into(),
                    Value::Signed(value) => value.into(),
                    // JSON has no infinities and no NaN.
                    Value::Float(value) => {
                        Number::from_f64(value).map_or(serde_json::Value::Null, Into::into)
                    }
                };
                (field.name.clone(), value)
            });
            let object = serde_json::Value::Object(fields.collect::<Map<_, _>>());
            self.file.write(format!("{object}\n").as_bytes())?;
            self.written += 1;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<u64, Error> {
        self.file.finish()?;
        Ok(self.written)
    }
}
