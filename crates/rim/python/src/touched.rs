//! Finds the cache lines that kernels touch, in bounded memory. Accesses are gathered as rows, sorted and merged. Rows that do not fit go
//! to a temporary file as a sorted run, and at the end all runs are read side by side.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BinaryHeap, HashMap},
    fs::File,
    io::{self, BufWriter, Write},
    os::unix::fs::FileExt,
};

/// Rows that may wait unsorted, however few lines there are.
const FEW: usize = 1 << 18;
/// Bytes of a row in the file.
const ROW: usize = 24;
/// Bytes that are read of a run at a time, at most and at least.
const READ: (usize, usize) = (1 << 20, 64 * ROW);

/// One access of a lane to global memory.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    pub kernel: u32,
    pub dispatch: u32,
    pub workgroup: u32,
    pub address: u64,
    pub size: u64,
    pub stored: bool,
}

/// The cache lines that a kernel touched in all.
#[derive(Clone, Copy, Debug, Default)]
pub struct Total {
    pub accesses: u64,
    pub bytes: u64,
    pub launches: u64,
    pub lines: u64,
    /// Lines of the launch that touched most.
    pub most: u64,
}

/// Lines that as many workgroups of a launch touched.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shared {
    pub lines: u64,
    pub stored: u64,
    pub accesses: u64,
}

/// Accesses of a workgroup to a line, in the order of the fields that tell rows apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Row {
    kernel: u32,
    line: u64,
    dispatch: u32,
    workgroup: u32,
    /// Twice the accesses, and 1 if one of them stores.
    weight: u32,
}

impl Row {
    fn key(&self) -> (u32, u64, u32, u32) {
        (self.kernel, self.line, self.dispatch, self.workgroup)
    }

    fn accesses(&self) -> u64 {
        u64::from(self.weight >> 1)
    }

    fn stored(&self) -> bool {
        self.weight & 1 != 0
    }

    /// Takes another row of the same key in, unless the number would become too large: then there are two rows of one key.
    fn absorbs(&mut self, other: &Row) -> bool {
        let both = (self.key() == other.key())
            .then(|| (self.weight & !1).checked_add(other.weight & !1))
            .flatten();
        both.inspect(|sum| self.weight = sum | (self.weight | other.weight) & 1)
            .is_some()
    }

    fn to_bytes(self) -> [u8; ROW] {
        let mut bytes = [0; ROW];
        bytes[..8].copy_from_slice(&self.line.to_le_bytes());
        let words = [self.kernel, self.dispatch, self.workgroup, self.weight];
        for (place, word) in bytes[8..].as_chunks_mut::<4>().0.iter_mut().zip(words) {
            *place = word.to_le_bytes();
        }
        bytes
    }

    fn from_bytes(bytes: &[u8; ROW]) -> Row {
        let words = bytes.as_chunks::<4>().0;
        let word = |at: usize| u32::from_le_bytes(words[at]);
        Row {
            line: u64::from(word(0)) | u64::from(word(1)) << 32,
            kernel: word(2),
            dispatch: word(3),
            workgroup: word(4),
            weight: word(5),
        }
    }
}

/// A sorted stretch of the file that was not read yet.
struct Run {
    at: u64,
    end: u64,
    rows: std::vec::IntoIter<Row>,
}

impl Run {
    fn next(&mut self, file: &File, bytes: usize) -> io::Result<Option<Row>> {
        if self.rows.len() == 0 && self.at < self.end {
            let left = usize::try_from(self.end - self.at).unwrap_or(usize::MAX);
            let mut piece = vec![0; left.min(bytes / ROW * ROW)];
            file.read_exact_at(&mut piece, self.at)?;
            self.at += piece.len() as u64;
            let rows: Vec<Row> = piece
                .as_chunks::<ROW>()
                .0
                .iter()
                .map(Row::from_bytes)
                .collect();
            self.rows = rows.into_iter();
        }
        Ok(self.rows.next())
    }
}

/// Accesses of one process.
pub struct Touched {
    /// The bytes of a cache line are two to the power of it.
    shift: u32,
    /// Rows in memory at most.
    capacity: usize,
    /// Rows after which they are merged.
    merge_at: usize,
    rows: Vec<Row>,
    file: Option<File>,
    /// Begin and end of each run.
    runs: Vec<(u64, u64)>,
    /// Accesses and bytes of kernels.
    sums: BTreeMap<u32, (u64, u64)>,
}

impl Touched {
    /// For lines of so many bytes, a power of two; `memory` bounds the bytes of rows in memory.
    pub fn new(line: u64, memory: usize) -> Touched {
        let capacity = (memory / size_of::<Row>()).max(1 << 12);
        Touched {
            shift: line.trailing_zeros(),
            capacity,
            merge_at: FEW.min(capacity),
            rows: Vec::new(),
            file: None,
            runs: Vec::new(),
            sums: BTreeMap::new(),
        }
    }

    /// An access counts in its first line, and touches its last.
    pub fn add(&mut self, access: Access) -> io::Result<()> {
        let sum = self.sums.entry(access.kernel).or_default();
        *sum = (sum.0 + 1, sum.1 + access.size);
        let first = access.address >> self.shift;
        let last = (access.address + access.size - 1) >> self.shift;
        let row = Row {
            kernel: access.kernel,
            line: first,
            dispatch: access.dispatch,
            workgroup: access.workgroup,
            weight: 2 | u32::from(access.stored),
        };
        self.push(row)?;
        if first != last {
            let weight = row.weight & 1;
            self.push(Row {
                line: last,
                weight,
                ..row
            })?;
        }
        Ok(())
    }

    /// (Lanes that lie together touch the same line.)
    fn push(&mut self, row: Row) -> io::Result<()> {
        if self.rows.last_mut().is_some_and(|last| last.absorbs(&row)) {
            return Ok(());
        }
        if self.rows.len() == self.merge_at {
            self.merge();
            if self.rows.len() > self.capacity / 2 {
                self.spill()?;
            }
            let room = (2 * self.rows.len()).clamp(FEW.min(self.capacity), self.capacity);
            self.merge_at = room;
            self.rows.reserve_exact(room - self.rows.len());
        }
        self.rows.push(row);
        Ok(())
    }

    fn merge(&mut self) {
        self.rows.sort_unstable_by_key(Row::key);
        self.rows.dedup_by(|next, kept| kept.absorbs(next));
    }

    fn spill(&mut self) -> io::Result<()> {
        let start = self.runs.last().map_or(0, |(_, end)| *end);
        let file = match &self.file {
            Some(file) => file,
            None => self.file.insert(tempfile::tempfile()?),
        };
        let mut writer = BufWriter::with_capacity(READ.0, file);
        for row in &self.rows {
            writer.write_all(&row.to_bytes())?;
        }
        writer.flush()?;
        drop(writer);
        self.runs
            .push((start, start + (self.rows.len() * ROW) as u64));
        self.rows.clear();
        Ok(())
    }

    /// All rows by kernel, line, launch and workgroup; of one key there may be several.
    fn each(&mut self, mut take: impl FnMut(&Row)) -> io::Result<()> {
        self.merge();
        let Some(file) = &self.file else {
            self.rows.iter().for_each(take);
            return Ok(());
        };
        // (What is read is there twice for a moment, besides the rows that did not go to the file.)
        let bytes = (self.capacity * ROW / 4 / self.runs.len()).clamp(READ.1, READ.0);
        let mut runs: Vec<Run> = self
            .runs
            .iter()
            .map(|&(at, end)| Run {
                at,
                end,
                rows: Vec::new().into_iter(),
            })
            .collect();
        runs.push(Run {
            at: 0,
            end: 0,
            rows: std::mem::take(&mut self.rows).into_iter(),
        });
        let mut heads = BinaryHeap::new();
        for (number, run) in runs.iter_mut().enumerate() {
            heads.extend(run.next(file, bytes)?.map(|row| Reverse((row, number))));
        }
        while let Some(mut head) = heads.peek_mut() {
            let Reverse((row, number)) = *head;
            take(&row);
            match runs[number].next(file, bytes)? {
                Some(next) => *head = Reverse((next, number)),
                None => drop(std::collections::binary_heap::PeekMut::pop(head)),
            }
        }
        Ok(())
    }

    /// By kernel.
    pub fn totals(mut self) -> io::Result<BTreeMap<u32, Total>> {
        let mut launches: HashMap<(u32, u32), u64> = HashMap::new();
        let mut lines: BTreeMap<u32, u64> = BTreeMap::new();
        let mut last: Option<Row> = None;
        self.each(|row| {
            let line = |row: &Row| (row.kernel, row.line);
            if last.is_none_or(|last| line(&last) != line(row)) {
                *lines.entry(row.kernel).or_default() += 1;
            }
            if last.is_none_or(|last| (line(&last), last.dispatch) != (line(row), row.dispatch)) {
                *launches.entry((row.kernel, row.dispatch)).or_default() += 1;
            }
            last = Some(*row);
        })?;
        let mut totals: BTreeMap<u32, Total> = BTreeMap::new();
        for (kernel, lines) in lines {
            let (accesses, bytes) = self.sums[&kernel];
            totals.insert(
                kernel,
                Total {
                    accesses,
                    bytes,
                    lines,
                    ..Total::default()
                },
            );
        }
        for ((kernel, _), lines) in launches {
            let total = totals.entry(kernel).or_default();
            total.launches += 1;
            total.most = total.most.max(lines);
        }
        Ok(totals)
    }

    /// By kernel and number of workgroups.
    pub fn sharing(mut self) -> io::Result<BTreeMap<(u32, u64), Shared>> {
        let mut shared: BTreeMap<(u32, u64), Shared> = BTreeMap::new();
        // The last row, and what is known of its line in its launch.
        let mut open: Option<(Row, u64, Shared)> = None;
        let mut close = |(row, workgroups, line): (Row, u64, Shared)| {
            let sum = shared.entry((row.kernel, workgroups)).or_default();
            sum.lines += 1;
            sum.stored += line.stored.min(1);
            sum.accesses += line.accesses;
        };
        self.each(|row| {
            let place = |row: &Row| (row.kernel, row.line, row.dispatch);
            let (workgroups, line) = match open.take() {
                Some((last, workgroups, line)) if place(&last) == place(row) => {
                    let other = last.workgroup != row.workgroup;
                    (workgroups + u64::from(other), line)
                }
                done => {
                    done.into_iter().for_each(&mut close);
                    (1, Shared::default())
                }
            };
            let line = Shared {
                lines: 1,
                stored: line.stored + u64::from(row.stored()),
                accesses: line.accesses + row.accesses(),
            };
            open = Some((*row, workgroups, line));
        })?;
        open.into_iter().for_each(close);
        Ok(shared)
    }
}
