//! Where a kernel accessed memory, over time, and in which strides: from the records of `mem-trace`.

use crate::{
    error::{Error, Result},
    model::{Code, Overview},
    results::{By, Results},
};
use parquet::{
    column::reader::ColumnReader,
    errors::ParquetError,
    file::reader::{FileReader, RowGroupReader, SerializedFileReader},
};
use serde::{Deserialize, Serialize};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    fs::File,
    path::Path,
};

/// Records of one run that are read, and accesses of one kernel that are looked at; the page says how many there were.
const MOST: u64 = 100_000_000;
const KEPT: usize = 1_000_000;
/// Cells of the picture.
const COLUMNS: usize = 200;
const ROWS: usize = 96;
/// Strides that are told apart.
const STRIDES: usize = 12;
/// Bits of `kind` of accesses whose address is no address in global memory: LDS, scratch, images.
const ELSEWHERE: u32 = 64 | 128 | 512 | 1024;
/// Bits of `kind` of accesses that write: stores, and atomics, which also read.
const WRITES: u32 = 2 | 4;

/// Accesses of one kernel to global memory, one for each lane.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Trace {
    pub accesses: u64,
    /// Later accesses of this kernel that were not looked at, and records of all kernels that were not even read.
    pub left_out: u64,
    pub unread: u64,
    /// Stretches of memory that were touched, with what lies between them left out: first byte, bytes, accesses.
    pub regions: Vec<(u64, u64, u64)>,
    /// For each of them how many of its accesses write, and the pointer argument at or below its first byte; empty if no tool logged any.
    #[serde(default)]
    pub written: Vec<u64>,
    #[serde(default)]
    pub named: Vec<String>,
    /// Bytes of a touched piece of memory; a row of the picture is one or several.
    pub piece: u64,
    pub pieces: u64,
    pub columns: usize,
    pub rows: usize,
    /// Accesses by time and, within that, by address.
    pub cells: Vec<u32>,
    /// The accesses that write.
    #[serde(default)]
    pub writes: Vec<u32>,
    /// Bytes from one lane's address to the next lane's in one access, and how often; most first, all others as none.
    pub strides: Vec<(Option<i64>, u64)>,
}

/// A record, as far as it is used.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Access {
    address: u64,
    pc: u64,
    dispatch: u32,
    workgroup: u32,
    lane: u32,
    kind: u32,
}

/// Traces by position of the kernel.
pub(crate) fn collect(
    results: &Results,
    codes: &BTreeMap<usize, Code>,
    overview: &Overview,
) -> Result<BTreeMap<usize, Trace>> {
    let mut kernels: BTreeMap<usize, (Vec<Access>, u64)> = BTreeMap::new();
    let mut pointers: BTreeMap<usize, BTreeMap<u64, String>> = BTreeMap::new();
    let (mut room, mut unread) = (MOST, 0);
    for (by, path) in &results.traces {
        let owner = Owner::new(*by, results, codes, overview);
        for (kernel, known) in &owner.pointers {
            pointers.entry(*kernel).or_default().extend(known.clone());
        }
        let failed = |reason| Error::Records {
            path: path.clone(),
            reason,
        };
        let all = read(path, room, |access| {
            let global = access.kind & ELSEWHERE == 0;
            if let Some(kernel) = owner.kernel(&access).filter(|_| global) {
                let (kept, more) = kernels.entry(kernel).or_default();
                match kept.len() < KEPT {
                    true => kept.push(access),
                    false => *more += 1,
                }
            }
        });
        let all = all.map_err(failed)?;
        unread += all.saturating_sub(room);
        room = room.saturating_sub(all);
    }
    let traces = kernels.into_iter().map(|(kernel, (accesses, more))| {
        let pointers = pointers.remove(&kernel).unwrap_or_default();
        let trace = Trace {
            left_out: more,
            unread,
            ..gathered(&accesses, &pointers)
        };
        (kernel, trace)
    });
    Ok(traces.collect())
}

/// The kernel that a record is from.
struct Owner {
    /// By number of the launch, where `launch-log` ran too.
    launches: HashMap<u32, usize>,
    /// By address of the instruction; `None` where several kernels have one there.
    code: HashMap<u64, Option<usize>>,
    /// Names of pointer arguments by their values, of each kernel.
    pointers: HashMap<usize, BTreeMap<u64, String>>,
}

impl Owner {
    fn new(by: By, results: &Results, codes: &BTreeMap<usize, Code>, overview: &Overview) -> Owner {
        let mut code = HashMap::new();
        for (kernel, of) in codes {
            for pc in &of.pc {
                let known = code.entry(*pc).or_insert(Some(*kernel));
                *known = known.filter(|known| known == kernel);
            }
        }
        let mut symbols: HashMap<&str, Option<usize>> = HashMap::new();
        for (number, row) in overview.kernels.iter().enumerate() {
            let known = symbols.entry(&row.symbol).or_insert(Some(number));
            *known = known.filter(|known| *known == number);
        }
        let mut launches = HashMap::new();
        let mut pointers: HashMap<usize, BTreeMap<u64, String>> = HashMap::new();
        let logs = results.tools.iter();
        for log in logs.filter(|log| log.tool == "launch-log" && log.by == by) {
            for row in log.value.as_array().into_iter().flatten() {
                let kernel = row["kernel"].as_str().and_then(|name| *symbols.get(name)?);
                let number = row["launch"]
                    .as_u64()
                    .and_then(|number| u32::try_from(number).ok());
                launches.extend(number.zip(kernel));
                for (name, value) in row["arguments"].as_object().into_iter().flatten() {
                    let digits = value.as_str().and_then(|text| text.strip_prefix("0x"));
                    let pointer = digits.and_then(|digits| u64::from_str_radix(digits, 16).ok());
                    if let (Some(kernel), Some(pointer)) = (kernel, pointer.filter(|at| *at != 0)) {
                        let known = pointers.entry(kernel).or_default();
                        known.insert(pointer, name.clone());
                    }
                }
            }
        }
        Owner {
            launches,
            code,
            pointers,
        }
    }

    fn kernel(&self, access: &Access) -> Option<usize> {
        let logged = self.launches.get(&access.dispatch).copied();
        logged.or_else(|| *self.code.get(&access.pc)?)
    }
}

/// Calls `each` for at most `most` records, in their order; says how many there are.
fn read(
    path: &Path,
    most: u64,
    mut each: impl FnMut(Access),
) -> std::result::Result<u64, ParquetError> {
    let reader = SerializedFileReader::new(
        File::open(path).map_err(|error| ParquetError::External(Box::new(error)))?,
    )?;
    let mut left = most;
    for group in 0..reader.num_row_groups() {
        if left == 0 {
            break;
        }
        let group = reader.get_row_group(group)?;
        let count = group.metadata().num_rows() as usize;
        let columns = ["address", "pc", "dispatch", "workgroup", "lane", "kind"];
        let mut values = Vec::new();
        for name in columns {
            values.push(column(group.as_ref(), name, count)?);
        }
        let rows = values
            .iter()
            .map(Vec::len)
            .min()
            .unwrap_or(0)
            .min(left as usize);
        for row in 0..rows {
            let small = |column: usize| values[column][row] as u32;
            each(Access {
                address: values[0][row],
                pc: values[1][row],
                dispatch: small(2),
                workgroup: small(3),
                lane: small(4),
                kind: small(5),
            });
        }
        left -= rows as u64;
    }
    Ok(reader.metadata().file_metadata().num_rows() as u64)
}

fn column(
    group: &dyn RowGroupReader,
    name: &str,
    count: usize,
) -> std::result::Result<Vec<u64>, ParquetError> {
    let columns = group.metadata().columns().iter();
    let index = columns
        .clone()
        .position(|column| column.column_path().string() == name);
    let index = index.ok_or_else(|| ParquetError::General(format!("there is no column {name}")))?;
    match group.get_column_reader(index)? {
        ColumnReader::Int32ColumnReader(mut reader) => {
            let mut values = Vec::with_capacity(count);
            reader.read_records(count, None, None, &mut values)?;
            Ok(values
                .into_iter()
                .map(|value| u64::from(value as u32))
                .collect())
        }
        ColumnReader::Int64ColumnReader(mut reader) => {
            let mut values = Vec::with_capacity(count);
            reader.read_records(count, None, None, &mut values)?;
            Ok(values.into_iter().map(|value| value as u64).collect())
        }
        _ => Err(ParquetError::General(format!(
            "column {name} has no integers"
        ))),
    }
}

fn gathered(all: &[Access], pointers: &BTreeMap<u64, String>) -> Trace {
    let global: Vec<&Access> = all.iter().collect();
    let touched = |piece: u64| -> BTreeSet<u64> {
        global.iter().map(|access| access.address / piece).collect()
    };
    // Pages, or cache lines where there are few pages.
    let mut piece = 4096;
    let mut pieces = touched(piece);
    if pieces.len() < ROWS {
        piece = 64;
        pieces = touched(piece);
    }
    let order: HashMap<u64, usize> = pieces
        .iter()
        .enumerate()
        .map(|(at, piece)| (*piece, at))
        .collect();
    let rows = ROWS.min(pieces.len());
    let columns = COLUMNS.min(global.len());
    let mut cells = vec![0; columns * rows];
    let mut writes = cells.clone();
    let mut counts: BTreeMap<u64, (u64, u64)> = BTreeMap::new();
    for (time, access) in global.iter().enumerate() {
        let number = access.address / piece;
        let write = access.kind & WRITES != 0;
        let count = counts.entry(number).or_default();
        *count = (count.0 + 1, count.1 + u64::from(write));
        let row = order[&number] * rows / pieces.len();
        let cell = time * columns / global.len() * rows + row;
        cells[cell] += 1;
        writes[cell] += u32::from(write);
    }
    // Buffers that touch each other are two stretches of memory.
    let begins: BTreeSet<u64> = pointers.keys().map(|pointer| pointer / piece).collect();
    let mut regions: Vec<(u64, u64, u64)> = Vec::new();
    let mut written: Vec<u64> = Vec::new();
    for (number, (count, writes)) in counts {
        match (regions.last_mut(), written.last_mut()) {
            (Some((start, size, accesses)), Some(written))
                if *start + *size == number * piece && !begins.contains(&number) =>
            {
                *size += piece;
                *accesses += count;
                *written += writes;
            }
            _ => {
                regions.push((number * piece, piece, count));
                written.push(writes);
            }
        }
    }
    Trace {
        accesses: global.len() as u64,
        left_out: 0,
        unread: 0,
        named: named(&regions, pointers),
        regions,
        written,
        piece,
        pieces: pieces.len() as u64,
        columns,
        rows,
        cells,
        writes,
        strides: strides(&global),
    }
}

/// The argument that a stretch of memory was reached by, as far as addresses tell: `in`, or `in + 0x100` if it begins behind the pointer.
fn named(regions: &[(u64, u64, u64)], pointers: &BTreeMap<u64, String>) -> Vec<String> {
    if pointers.is_empty() {
        return Vec::new();
    }
    let name = |(start, size, _): &(u64, u64, u64)| {
        let mut inside = pointers.range(start..&(start + size));
        if let Some((_, first)) = inside.next() {
            let others = inside.map(|(_, name)| name.as_str());
            return std::iter::once(first.as_str())
                .chain(others)
                .collect::<Vec<_>>()
                .join(", ");
        }
        let below = pointers.range(..start).next_back();
        below.map_or(String::new(), |(pointer, name)| {
            format!("{name} + {:#x}", start - pointer)
        })
    };
    regions.iter().map(name).collect()
}

/// Records of one access follow each other, in the order of their lanes.
fn strides(accesses: &[&Access]) -> Vec<(Option<i64>, u64)> {
    let mut counts: HashMap<i64, u64> = HashMap::new();
    for pair in accesses.windows(2) {
        let [a, b] = [pair[0], pair[1]];
        let one = (a.pc, a.dispatch, a.workgroup) == (b.pc, b.dispatch, b.workgroup);
        if one && b.lane == a.lane + 1 {
            let stride = b.address.wrapping_sub(a.address) as i64;
            *counts.entry(stride).or_default() += 1;
        }
    }
    let mut strides: Vec<_> = counts
        .into_iter()
        .map(|(stride, count)| (Some(stride), count))
        .collect();
    strides.sort_by_key(|(stride, count)| (std::cmp::Reverse(*count), *stride));
    let others: u64 = strides.iter().skip(STRIDES).map(|(_, count)| count).sum();
    strides.truncate(STRIDES);
    if others != 0 {
        strides.push((None, others));
    }
    strides
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(address: u64, lane: u32, kind: u32) -> Access {
        Access {
            address,
            pc: 8,
            dispatch: 0,
            workgroup: 0,
            lane,
            kind,
        }
    }

    #[test]
    fn strides_are_those_between_neighbouring_lanes() {
        // A store of 4 bytes a lane, then a load of every third lane's.
        let mut all: Vec<Access> = (0..4)
            .map(|lane| access(0x1000 + 4 * u64::from(lane), lane, 18))
            .collect();
        all.extend((0..4).map(|lane| access(0x9000 + 12 * u64::from(lane), lane, 17)));
        let trace = gathered(&all, &BTreeMap::new());
        assert_eq!(trace.strides, [(Some(4), 3), (Some(12), 3)]);
        assert_eq!(trace.accesses, 8);
        assert_eq!(trace.regions, [(0x1000, 64, 4), (0x9000, 64, 4)]);
        assert_eq!((trace.columns, trace.rows, trace.piece), (8, 2, 64));
        // The first region was written, the second one read.
        assert_eq!(trace.written, [4, 0]);
        assert_eq!(trace.writes[..8], trace.cells[..8]);
        assert_eq!(trace.writes[8..], [0; 8]);
        // Four times the first region, then four times the second one.
        assert_eq!(
            trace.cells,
            [1, 0, 1, 0, 1, 0, 1, 0, 0, 1, 0, 1, 0, 1, 0, 1]
        );
    }

    #[test]
    fn rare_strides_are_summed_up() {
        let mut address = 0;
        let all: Vec<Access> = (0..20)
            .map(|lane| {
                address += 4 * u64::from(lane);
                access(address, lane, 17)
            })
            .collect();
        let trace = gathered(&all, &BTreeMap::new());
        assert_eq!(trace.strides.len(), STRIDES + 1);
        assert_eq!(trace.strides.last(), Some(&(None, 19 - STRIDES as u64)));
    }

    #[test]
    fn stretches_have_the_names_of_pointers_at_or_below_them() {
        let pointers = [(0x1010, "in"), (0x1020, "more"), (0x8f00, "out")];
        let pointers = pointers.map(|(at, name)| (at, name.to_owned()));
        let regions = [(0x800, 64, 1), (0x1000, 64, 1), (0x9000, 64, 1)];
        assert_eq!(
            named(&regions, &BTreeMap::from(pointers)),
            ["", "in, more", "out + 0x100"]
        );
        assert_eq!(named(&regions, &BTreeMap::new()), [""; 0]);
    }

    #[test]
    fn buffers_that_touch_each_other_are_two_stretches() {
        let all: Vec<Access> = (0..4)
            .map(|lane| access(0x1000 + 64 * u64::from(lane), lane, 17))
            .collect();
        assert_eq!(gathered(&all, &BTreeMap::new()).regions.len(), 1);
        let pointers = BTreeMap::from([(0x1000, "in".to_owned()), (0x1080, "out".to_owned())]);
        let trace = gathered(&all, &pointers);
        assert_eq!(trace.regions, [(0x1000, 128, 2), (0x1080, 128, 2)]);
        assert_eq!(trace.named, ["in", "out"]);
    }

    #[test]
    fn nothing_makes_an_empty_picture() {
        assert_eq!(gathered(&[], &BTreeMap::new()).cells, [0; 0]);
    }
}
