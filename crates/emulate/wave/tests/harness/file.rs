//! Runs the cases of `documented` on the engine.

use std::collections::BTreeSet;

use documented::{Case, Registers, SCALARS, assemble};
use gfx::Target;

use crate::harness::Machine;

/// Numbers of special registers in scalar operand fields.
const VCC: usize = 106;
const M0: usize = 124;

/// The rows that execute it on `target`; none if that does not assemble.
pub fn rows(case: &Case, target: &'static Target, wave_size: u32) -> BTreeSet<&'static str> {
    let decoder = isa::Decoder::with_features(target, wave_size as u8, "").expect("LLVM");
    let Ok(code) = assemble(target, wave_size, &case.text) else {
        return BTreeSet::new();
    };
    let insts = decoder.decode_all(&code, 0).filter_map(Result::ok);
    insts
        .filter_map(|inst| wave::rows_of(inst.op, target))
        .flatten()
        .collect()
}

/// Runs the case everywhere it is for; what was wrong, one line each.
pub fn check(case: &Case) -> Vec<String> {
    let mut complaints = Vec::new();
    for (target, wave_size) in &case.runs {
        let complain = |what: String| format!("{target} wave{wave_size}: {what}");
        complaints.extend(check_on(case, target, *wave_size).into_iter().map(complain));
    }
    complaints
}

/// Memory begins at a multiple of so many bytes, as that of images has to.
const ALIGNED: usize = 256;

fn check_on(case: &Case, target: &str, wave_size: u32) -> Vec<String> {
    let mut machine = match Machine::assembled(target, wave_size, &case.text) {
        Ok(machine) => machine,
        Err(error) => return vec![error],
    };
    let target = Target::find(target).expect("a target");
    machine.barrier = wave::SplitBarrier::new(case.waves.max(1));
    machine.wave.index_in_workgroup = case.waves.max(1) - 1;
    machine.outside.time = case.time.into();
    machine.lds_words(case.lds.iter().copied());
    let given = case.memory.as_ref().map_or(&[][..], |buffer| &buffer.words);
    let mut around = vec![0; given.len() + ALIGNED / 4];
    let first = around.as_ptr().align_offset(ALIGNED);
    let memory = &mut around[first..first + given.len()];
    memory.copy_from_slice(given);
    let address = machine.map(memory);
    let mut scratch = vec![0_u32; (case.scratch * wave_size / 4) as usize];
    if case.scratch != 0 {
        machine.wave.scratch_base = machine.map(&mut scratch);
        machine.wave.scratch_bytes_per_lane = case.scratch;
    }
    let start = match case.start(registers(&machine), target, address) {
        Ok(start) => start,
        Err(error) => return vec![error],
    };
    set(&mut machine, &start);
    let before = registers(&machine);
    let stop = machine.stop();
    if format!("{stop:?}") != case.stop.as_deref().unwrap_or("End") {
        return vec![format!("stopped by {stop:?}")];
    }
    let mut complaints = Vec::new();
    let outside = &machine.outside;
    for (what, found, expected) in [
        ("messages", &outside.messages, &case.messages),
        ("barriers", &outside.barriers, &case.barriers),
    ] {
        let pairs = found.lock().unwrap();
        let found: Vec<u32> = pairs.iter().flat_map(|&(a, b)| [a, b]).collect();
        if found != *expected {
            complaints.push(format!("{what} are {found:x?}, not {expected:x?}"));
        }
    }
    let expected = case.memory_after();
    if memory != expected {
        complaints.push(format!("memory is {memory:x?}, not {expected:x?}"));
    }
    let lds: Vec<u32> = (0..machine.lds.len() / 4)
        .map(|index| machine.lds_word(index))
        .collect();
    let expected = case.lds_after();
    if lds != *expected {
        complaints.push(format!("LDS is {lds:x?}, not {expected:x?}"));
    }
    complaints.extend(case.check(target, &before, &registers(&machine)));
    complaints
}

/// All that the wave holds.
fn registers(machine: &Machine) -> Registers {
    let wave = &machine.wave;
    Registers {
        vectors: (0..wave.vector_rows())
            .map(|row| machine.row(row))
            .collect(),
        scalars: (0..SCALARS).map(|index| wave.sgpr(index)).collect(),
        vcc: wave.vcc(),
        exec: wave.exec(),
        scc: wave.scc(),
        m0: wave.sgpr(M0),
    }
}

/// Makes the wave hold that.
fn set(machine: &mut Machine, all: &Registers) {
    for (row, lanes) in all.vectors.iter().enumerate() {
        machine.vgpr(row, |lane| lanes[lane]);
    }
    for (index, &value) in all.scalars.iter().enumerate() {
        machine.sgpr(index, value);
    }
    // In wave32 the upper half is no part of the mask.
    if all.vcc != machine.wave.vcc() {
        machine.sgpr64(VCC, all.vcc);
    }
    machine.sgpr(M0, all.m0);
    machine.wave.set_scc(all.scc);
    machine.exec(all.exec);
}
