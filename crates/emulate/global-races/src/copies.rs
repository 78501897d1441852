//! Copies and fills by engines of the device, against what was accessed before.
//!
//! An engine sees memory as the whole system does: what a launch has done that ended is performed, and nothing that it reads is old.

use gpu::Transfer;

use crate::{
    GlobalRaces, Shared,
    accesses::dwords,
    cell::{Cell, RecordId},
    cells::{ROW, Spot},
    clock::Clock,
    lock,
    records::{NO_CODE, Record, Site},
    report::{Access, Copied, Copy, Found, Missing, Other, Side},
    scope::Scope,
    state::{DONE, State},
};

impl GlobalRaces {
    /// An engine is about to move a piece of memory.
    pub fn transfers(&self, piece: &Transfer<'_>) {
        let shared = &*self.shared;
        if !shared.rules.copies {
            return;
        }
        let mut state = lock(&shared.state);
        let (group, copy) = state.copies(piece);
        let mut met = Vec::new();
        for (access, start) in [(Access::Read, piece.from), (Access::Write, Some(piece.to))] {
            let Some(start) = start else { continue };
            let wave = state.groups[group as usize].first_wave;
            let (site, known) = (site(&state, group, access), (DONE, &Clock::default()));
            let records = state.records();
            let id = records.add(wave, DONE.issued, site, Some(known));
            let side = Engine {
                shared,
                piece,
                copy,
                group,
                access,
                start,
                id,
            };
            side.look(&mut state, &mut met);
        }
        drop(state);
        for found in met {
            match found {
                Met::Wave(found) => shared.sink.raced(&[found]),
                Met::Copy(found) => shared.sink.copied(&found),
            }
        }
    }
}

enum Met {
    Wave(Found),
    Copy(Copied),
}

fn site(state: &State, group: u32, access: Access) -> Site {
    Site {
        dispatch: state.dispatch(group),
        access,
        reach: Scope::System,
        says: Scope::System,
        synchronises: false,
        pc: NO_CODE,
    }
}

/// One of the two ranges that a piece accesses.
struct Engine<'a> {
    shared: &'a Shared,
    piece: &'a Transfer<'a>,
    /// All of the copy up to this piece.
    copy: Copy,
    group: u32,
    access: Access,
    start: u64,
    id: RecordId,
}

impl Engine<'_> {
    fn look(&self, state: &mut State, met: &mut Vec<Met>) {
        let end = self.start.saturating_add(self.piece.bytes);
        let mut at = self.start;
        while at < end {
            let stop = ((at / ROW + 1) * ROW).min(end);
            let spot = state.spot(at);
            if at.is_multiple_of(4)
                && stop.is_multiple_of(4)
                && let (cell, count) = state.cells.alike(spot, ((stop - at) / 4) as usize)
                && !cell.synchronises()
            {
                let bytes = 4 * count as u64;
                self.judge(state, &cell, (at, bytes, 15), met);
                state.cells.fill(spot, count, self.noted(cell, 15));
                at += bytes;
                continue;
            }
            dwords(at, stop - at, |part| {
                let place = (part.address, spot.beside(part.address), part.bytes);
                self.dword(state, place, met);
            });
            if stop - at == ROW {
                state.cells.settle(spot);
            }
            at = stop;
        }
    }

    fn dword(
        &self,
        state: &mut State,
        (address, spot, bytes): (u64, Spot, u8),
        met: &mut Vec<Met>,
    ) {
        let cell = state.cells.at(spot);
        let before = u64::from(bytes.trailing_zeros());
        let place = (address + before, u64::from(bytes.count_ones()), bytes);
        self.judge(state, &cell, place, met);
        let noted = self.noted(cell, bytes);
        if self.access == Access::Write && noted.synchronises() {
            state.wrote(address, cell.writer(), self.id, false);
        }
        state.cells.set(spot, noted);
    }

    /// Bytes of dwords that all have this cell are accessed.
    fn judge(
        &self,
        state: &State,
        cell: &Cell,
        (start, length, bytes): (u64, u64, u8),
        met: &mut Vec<Met>,
    ) {
        let before = cell.is_written(bytes).then_some(cell.writer());
        let readers = cell.reads().filter(|_| self.access == Access::Write);
        let readers = readers.filter_map(|(reader, its)| (its & bytes != 0).then_some(reader));
        for id in before.into_iter().chain(readers).chain(cell.others(bytes)) {
            self.against(
                state,
                (id, cell.synchronises()),
                (start, length, bytes),
                met,
            );
        }
    }

    /// Judges the access against an earlier one.
    fn against(
        &self,
        state: &State,
        (id, marked): (RecordId, bool),
        (start, length, _): (u64, u64, u8),
        met: &mut Vec<Met>,
    ) {
        let record = state.record(id);
        let site = state.site(record);
        let own = state.dispatch(self.group);
        let is_known = state.host.get(record.wave).issued >= record.stamp;
        if site.dispatch == own
            || state.follows(site.dispatch, own)
            || site.says >= Scope::Agent && (marked || site.synchronises)
            || is_known
        {
            return;
        }
        let is_alike = |one: &Met| match one {
            Met::Wave(found) => found.before.access == self.access && found.after.pc == site.pc,
            Met::Copy(found) => {
                site.is_copy() && (found.before.1, found.after.1) == (site.access, self.access)
            }
        };
        let certain = !self.changes_nothing(start, length);
        let known = met.iter().position(is_alike);
        match known.map(|at| &met[at]) {
            Some(Met::Wave(Found { certain: true, .. }))
            | Some(Met::Copy(Copied { certain: true, .. })) => return,
            Some(_) if !certain => return,
            _ => {}
        }
        if let Some(at) = known {
            met.swap_remove(at);
        }
        met.push(self.met(state, record, (certain, start)));
    }

    fn met(&self, state: &State, record: &Record, (certain, address): (bool, u64)) -> Met {
        let (copy, site) = (self.copy, state.site(record));
        if let Other::Copy { copy: before, .. } = state.launch(site.dispatch) {
            return Met::Copy(Copied {
                certain,
                before: (before, site.access),
                after: (copy, self.access),
                address,
            });
        }
        let group = state.group(record);
        Met::Wave(Found {
            certain,
            missing: Missing::Order,
            other: Some(Other::Copy {
                copy,
                is_later: true,
            }),
            before: Side {
                pc: NO_CODE,
                access: self.access,
                workgroup: [0; 3],
                wave: 0,
            },
            after: Side {
                pc: site.pc,
                access: site.access,
                workgroup: group.workgroup,
                wave: record.wave - group.first_wave,
            },
            lane: None,
            address,
            times: 1,
        })
    }

    /// The engine writes what is there already.
    fn changes_nothing(&self, start: u64, length: u64) -> bool {
        let Some(from) = self.piece.from.filter(|_| self.access == Access::Write) else {
            return false;
        };
        let mut both = [[0; ROW as usize]; 2];
        let addresses = [from + (start - self.start), start];
        let read = |(bytes, address): (&mut [u8; ROW as usize], u64)| {
            (self.shared.read)(address, &mut bytes[..length as usize])
        };
        both.iter_mut().zip(addresses).all(read) && both[0] == both[1]
    }

    /// The cell after the access.
    fn noted(&self, mut cell: Cell, bytes: u8) -> Cell {
        let id = self.id;
        if self.access == Access::Write {
            cell.write(id, bytes, false, false);
        } else {
            cell.read(id, bytes, |_| false, false);
        }
        cell
    }
}
