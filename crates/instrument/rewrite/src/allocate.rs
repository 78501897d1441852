//! The second step for a hook: registers for its groups, and for what is saved around it.
//!
//! Registers that no instruction of the kernel names come first, then registers that are dead at the place, then live ones, which
//! are spilled.

use crate::Refusal;
use crate::bind::Dword;
use crate::frame::Frame;
use crate::lower::{HookSite, Lowering};
use crate::registers::{FileMask, FreeRegisters, Home};
use gfx::Family;
use lift::registers::{AGPR_BASE, RegisterSet, SGPR_COUNT, Span};
use template::{RegisterFile, Template};

/// The choice of registers for one splice.
#[derive(Clone)]
pub(crate) struct Allocation<'a> {
    pub hook: &'a str,
    pub template: &'a Template,
    pub place: &'a HookSite<'a>,
    pub first: Vec<Option<u16>>,
    pub free: FreeRegisters,
    pub dead_given: bool,
    /// Lane of the spill register, SGPR.
    pub saved: Vec<(u16, u16)>,
    /// The VGPR of those lanes.
    pub spill: Option<u16>,
    /// VGPR whose lane 0 is spilled, SGPR that has it.
    pub saved_lanes: Vec<(u16, u16)>,
    /// The VGPR of those lanes, or of what the entry left, where the application needs all.
    pub frame: Option<Frame>,
    /// VGPRs that are spilled in scratch.
    pub in_scratch: Vec<u16>,
    /// SGPRs that cannot be spilled here.
    pub in_use: FileMask,
    /// VGPRs that are not free here even if dead.
    pub in_use_vectors: FileMask,
    pub inputs: RegisterSet,
    /// All that were chosen so far.
    pub used: RegisterSet,
    pub wanted: RegisterRequest,
}

/// The values that need registers besides the template's groups.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RegisterRequest {
    /// To save these in.
    pub scc: bool,
    pub vcc: bool,
    pub m0: bool,
    pub exec: bool,
    pub mode: bool,
    /// To compute the address that lanes access with.
    pub address: bool,
    /// For a value on its way to a VGPR that is in a lane or in MODE.
    pub through: bool,
    /// To load values that the kernel's entry left in scratch.
    pub stored: bool,
    /// A VGPR for saved registers before anything else.
    pub frame: bool,
    /// The hook reads SCC as the application left it, or leaves something there.
    pub keeps_scc: bool,
    pub writes_scc: bool,
}

/// Registers for one hook at one place.
#[derive(Debug)]
pub(crate) struct Allocated {
    /// The first register of each group.
    pub first: Vec<u16>,
    pub scc: Option<u16>,
    pub vcc: Option<u16>,
    pub m0: Option<u16>,
    pub exec: Option<u16>,
    pub mode: Option<u16>,
    pub through: Option<u16>,
    pub address: Option<AddressRegisters>,
    pub frame: Option<Frame>,
    /// Live registers that are spilled, and where.
    pub spills: Spills,
    /// The registers of the hook's inputs and all chosen registers, as far as they are the application's.
    pub registers: RegisterSet,
}

/// Registers to compute an address with: a constant, carries of the lanes, the sum.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AddressRegisters {
    pub constant: u16,
    pub carry: u16,
    pub sum: u16,
}

/// Live registers that are put aside around a hook.
#[derive(Debug, Default)]
pub(crate) struct Spills {
    /// Lane of the VGPR, SGPR that goes there.
    pub scalars: Vec<(u16, u16)>,
    pub lanes_of: Option<u16>,
    /// VGPR of which lane 0 goes to an SGPR.
    pub first_lanes: Vec<(u16, u16)>,
    /// VGPRs that go to scratch, and the SGPR for the address there.
    pub scratch: Option<(u16, Vec<u16>)>,
}

impl Allocation<'_> {
    pub fn use_up(&mut self, file: RegisterFile, first: u16, width: u16) {
        match file {
            RegisterFile::Sgpr => {
                self.used.insert(Span::Scalar(first, width));
                self.in_use.insert_range(first, width);
            }
            RegisterFile::Vgpr => {
                self.used.insert(Span::Vector(first, width));
                self.in_use_vectors.insert_range(first, width);
            }
            RegisterFile::Agpr => self.used.insert(Span::Vector(AGPR_BASE + first, width)),
        }
    }

    /// Binds groups that hold nothing but inputs to the registers where these are.
    fn bind_in_place(&mut self, dwords: &[Vec<Dword>], copy_scalars: bool) {
        self.in_use.unite(&self.inputs.scalars.resized());
        self.in_use_vectors.unite(&self.inputs.vectors.resized());
        for (index, group) in self.template.groups.iter().enumerate() {
            let mut first = None;
            let mut covered = 0;
            let mut possible = true;
            for (port, dwords) in self.template.ports.iter().zip(dwords) {
                for (place, dword) in port.dwords.iter().zip(dwords) {
                    let Some((_, offset)) = place.filter(|place| usize::from(place.0) == index)
                    else {
                        continue;
                    };
                    covered += 1;
                    let number = match *dword {
                        Dword::Application(file, number) if file == group.file => {
                            possible &= !group.written || port.written;
                            possible &= !(copy_scalars && file == RegisterFile::Sgpr);
                            number
                        }
                        Dword::Kept(Home::Scalar(number)) if group.file == RegisterFile::Sgpr => {
                            possible &= !group.written;
                            number
                        }
                        _ => {
                            possible = false;
                            continue;
                        }
                    };
                    let Some(start) = number.checked_sub(offset) else {
                        possible = false;
                        continue;
                    };
                    possible &= *first.get_or_insert(start) == start;
                }
            }
            let Some(start) = first.filter(|_| possible && covered == group.width) else {
                continue;
            };
            if start % group.alignment.max(1) == 0
                && start + group.width <= group.limit
                && !self.would_overwrite(index, start)
            {
                self.first[index] = Some(start);
                self.use_up(group.file, start, group.width);
            }
        }
    }

    /// Returns `true` if this group at `start` shares a register with a bound one and the template writes one of the two. The template may write a
    /// result before it has read the last input, and even use the result's register for other values until then.
    fn would_overwrite(&self, index: usize, start: u16) -> bool {
        let group = &self.template.groups[index];
        let bound = self.template.groups.iter().zip(&self.first);
        bound
            .filter_map(|(other, first)| Some((other, (*first)?)))
            .any(|(other, first)| {
                other.file == group.file
                    && (other.written || group.written)
                    && start < first + other.width
                    && first < start + group.width
            })
    }

    /// Adds the registers that are dead here.
    pub fn give_dead(&mut self, allocated: (u16, u16)) {
        let live = &self.place.live;
        let dead = |allocated, live: FileMask, in_use| {
            FileMask::below(allocated).without(&live).without(in_use)
        };
        let scalars = dead(allocated.0, live.scalars.resized(), &self.in_use);
        let vectors = dead(allocated.1, live.active.resized(), &self.in_use_vectors);
        self.free.give(RegisterFile::Sgpr, &scalars);
        self.free.give(RegisterFile::Vgpr, &vectors);
    }

    /// The refusal for a place where `width` registers in a row are not free.
    pub fn none_free(&self, file: RegisterFile, width: u16) -> Refusal {
        Refusal::NoRegisters {
            hook: self.hook.to_owned(),
            pc: self.place.pc,
            file,
            width,
        }
    }

    /// Registers of which no lane is live.
    pub fn wholly_free(&self) -> FreeRegisters {
        let mut free = self.free;
        free.withhold_vectors(&self.place.live.inactive.resized());
        free
    }
}

impl<'p> Lowering<'_, 'p> {
    /// Registers for everything that a hook wants at a place. `inputs`: registers that hold its inputs.
    pub fn allocate(
        &mut self,
        hook: &str,
        template: &Template,
        place: &HookSite<'_>,
        dwords: &[Vec<Dword>],
        inputs: RegisterSet,
        wanted: RegisterRequest,
    ) -> Result<Allocated, Refusal> {
        let (needed, most) = (template.vector_registers(), self.supply.most_vectors());
        if needed > most {
            return Err(Refusal::TooLarge {
                hook: hook.to_owned(),
                pc: place.pc,
                needed,
                most,
            });
        }
        if self.scratch.is_none() || wanted.stored {
            return self.allocate_once(hook, template, place, dwords, inputs, wanted);
        }
        let before = self.report.clone();
        let first = self.allocate_once(hook, template, place, dwords, inputs, wanted);
        if first.is_ok() {
            return first;
        }
        // A frame needs one scalar register that is dead, and the hook may have taken all of those.
        *self.report = before;
        let wanted = RegisterRequest {
            frame: true,
            ..wanted
        };
        self.allocate_once(hook, template, place, dwords, inputs, wanted)
    }

    fn allocate_once(
        &mut self,
        hook: &str,
        template: &Template,
        place: &HookSite<'_>,
        dwords: &[Vec<Dword>],
        inputs: RegisterSet,
        wanted: RegisterRequest,
    ) -> Result<Allocated, Refusal> {
        let wide = u16::from(place.wave_size / 32);
        let mut chosen = self.nothing_yet(hook, template, place, inputs, wanted);
        chosen.bind_in_place(dwords, self.codes.target.family >= Family::Gfx12);
        if (wanted.stored || wanted.frame)
            && self.choose_frame(&mut chosen, wanted.stored).is_none()
        {
            return Err(chosen.none_free(RegisterFile::Sgpr, 1));
        }
        for (index, group) in template.groups.iter().enumerate() {
            if chosen.first[index].is_none() {
                let (width, limit) = (group.width, group.limit);
                let (alignment, all_lanes) = (group.alignment, group.all_lanes);
                let first =
                    self.take(&mut chosen, group.file, width, alignment, limit, all_lanes)?;
                chosen.first[index] = Some(first);
            }
        }
        let mut scalars = |wanted: bool, width: u16| {
            let mut take = || {
                let (file, limit) = (RegisterFile::Sgpr, SGPR_COUNT);
                self.take(&mut chosen, file, width, width, limit, false)
            };
            wanted.then(&mut take).transpose()
        };
        let scc = scalars(wanted.scc, 1)?;
        let vcc = scalars(wanted.vcc, wide)?;
        let m0 = scalars(wanted.m0, 1)?;
        let exec = scalars(wanted.exec, wide)?;
        let mode = scalars(wanted.mode, 1)?;
        let constant = scalars(wanted.address, 1)?;
        let carry = scalars(wanted.address, wide)?;
        let through = scalars(wanted.through, 1)?;
        let address = match (constant, carry) {
            (Some(constant), Some(carry)) => Some(AddressRegisters {
                constant,
                carry,
                sum: self.take(&mut chosen, RegisterFile::Vgpr, 2, 2, 256, false)?,
            }),
            _ => None,
        };
        let saves = chosen.frame.is_some_and(|frame| frame.saves);
        self.report.saved_vectors += u32::from(saves);
        let in_scratch = chosen.in_scratch.clone();
        let scratch = (!in_scratch.is_empty())
            .then(|| self.take(&mut chosen, RegisterFile::Sgpr, 1, 1, SGPR_COUNT, false))
            .transpose()?
            .map(|register| (register, in_scratch));
        let mut registers = inputs;
        // A load may still be on its way to a register that is dead.
        registers.unite(&chosen.used);
        Ok(Allocated {
            first: chosen.first.into_iter().flatten().collect(),
            scc,
            vcc,
            m0,
            exec,
            mode,
            through,
            address,
            frame: chosen.frame,
            spills: Spills {
                lanes_of: chosen.spill,
                scalars: chosen.saved,
                first_lanes: chosen.saved_lanes,
                scratch,
            },
            registers,
        })
    }

    /// Nothing is chosen yet.
    fn nothing_yet<'c>(
        &self,
        hook: &'c str,
        template: &'c Template,
        place: &'c HookSite<'c>,
        inputs: RegisterSet,
        wanted: RegisterRequest,
    ) -> Allocation<'c> {
        Allocation {
            hook,
            template,
            place,
            first: vec![None; template.groups.len()],
            free: self.supply.all(),
            dead_given: false,
            saved: Vec::new(),
            spill: None,
            saved_lanes: Vec::new(),
            frame: None,
            in_scratch: Vec::new(),
            in_use: self.supply.kept_scalars,
            in_use_vectors: self.supply.kept_vectors,
            inputs,
            used: RegisterSet::default(),
            wanted,
        }
    }

    /// Borrows `scalars` SGPRs from an even number on, and `vectors` VGPRs, at a place where no register of the application is live.
    pub fn borrow_at_end(&mut self, scalars: u16, vectors: u16) -> Result<(u16, u16), Refusal> {
        let mut free = self.supply.all_at_end();
        let mut borrow = |file, width| {
            let first = free.take(file, width, 2, 256);
            first.ok_or_else(|| Refusal::Registers {
                what: "adding counters to memory",
                reason: format!("no {width} {file:?} registers are free"),
            })
        };
        let first = (
            borrow(RegisterFile::Sgpr, scalars)?,
            borrow(RegisterFile::Vgpr, vectors)?,
        );
        self.supply.use_up(RegisterFile::Sgpr, first.0 + scalars);
        self.supply.use_up(RegisterFile::Vgpr, first.1 + vectors);
        Ok(first)
    }
}
