//! The pass that reserves registers and memory for values that a wave keeps for its whole life, and writes the code which sets them
//! up. These are values of the kernel's entry, counters, addresses that are overwritten, variables of hooks, and the registers
//! with which computed jumps are translated.

use crate::Refusal;
use crate::addresses::KeptAddresses;
use crate::counting::Counting;
use crate::entry;
use crate::jumps;
use crate::required_values::RequiredValues;
use crate::rewriting::Rewriting;
use crate::storage::Storage;
use template::RegisterFile;

/// The SGPRs that are not VCC, FLAT_SCRATCH or XNACK_MASK on any target.
const GENERAL_SGPRS: u16 = 102;

pub(crate) fn run(rewriting: &mut Rewriting<'_, '_>) -> Result<(), Refusal> {
    jumps::reserve(rewriting);
    let mut storage = Storage::new(rewriting.plan);
    if rewriting.spills_vectors {
        let application = rewriting.scratch_size().ok_or(Refusal::DynamicStack)?;
        rewriting.spill_slots = storage.spill_slots();
        let (with_room, start) = storage.with_room_for_spills(application);
        (storage, rewriting.scratch) = (with_room, Some(start));
        // FLAT_SCRATCH has to be among the SGPRs of the wave.
        let named = rewriting.named.scalars.iter();
        let highest = named.filter(|number| *number < GENERAL_SGPRS).max();
        let end = highest.map_or(0, |number| number + 1);
        rewriting.supply.use_up(RegisterFile::Sgpr, end);
    }
    let (entry, mut prologue) = entry::keep(
        RequiredValues::new(rewriting.plan),
        &storage,
        rewriting.scratch,
        rewriting.codes,
        &mut rewriting.supply,
        &mut rewriting.descriptor,
        rewriting.metadata,
    )?;
    let wave_size = rewriting.function().wave_size;
    let counting = Counting::new(
        rewriting.plan,
        rewriting.module,
        &rewriting.functions,
        &mut rewriting.supply,
        wave_size,
    )?;
    counting.prologue(wave_size, &mut prologue);
    (rewriting.entry, rewriting.counting) = (entry, counting);
    // Last, for places without them are left out alone.
    let (plan, module) = (rewriting.plan, rewriting.module);
    rewriting.addresses = KeptAddresses::new(plan, module, &mut rewriting.supply);
    rewriting.prologue = prologue;
    Ok(())
}
