//! Publishes how many records came, while the application runs (`luthier run --live`).

use std::{
    fs::{File, OpenOptions},
    io::{self, Seek, Write},
    os::unix::fs::FileExt,
    path::PathBuf,
    time::{Duration, Instant},
};

use guest::{Keeper, Kept};

/// The reader does not look more often.
const OFTEN: Duration = Duration::from_millis(100);
static KEEPER: Keeper = Keeper::new("luthier-told");

/// A word in a file that all sessions of a run share; each has its own.
pub(crate) struct Told {
    word: Kept<Word>,
    records: u64,
    /// How many the file has.
    said: u64,
    at: Instant,
}

struct Word {
    file: File,
    at: u64,
}

impl Told {
    pub fn new(path: PathBuf) -> io::Result<Told> {
        let word = Kept::make(&KEEPER, move || Word::new(path))??;
        Ok(Told {
            word,
            records: 0,
            said: 0,
            at: Instant::now(),
        })
    }

    /// Adds `records`. Errors are not reported, because the number is only shown on a terminal.
    pub fn add(&mut self, records: u64) {
        self.records += records;
        if self.records == self.said || self.at.elapsed() < OFTEN {
            return;
        }
        let all = self.records;
        let _ = self
            .word
            .with(move |word| word.file.write_at(&all.to_le_bytes(), word.at));
        (self.said, self.at) = (all, Instant::now());
    }
}

impl Word {
    fn new(path: PathBuf) -> io::Result<Word> {
        // Appending gives each process a place of its own. But a file that is open for appending cannot be written elsewhere, so it is
        // opened again.
        let mut appended = OpenOptions::new().append(true).open(&path)?;
        appended.write_all(&0_u64.to_le_bytes())?;
        Ok(Word {
            at: appended.stream_position()? - 8,
            file: OpenOptions::new().write(true).open(&path)?,
        })
    }
}
