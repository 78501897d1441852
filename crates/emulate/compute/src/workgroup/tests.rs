//! Waves start as [`Dispatch::initial_state`] says, whatever the waves that had their buffers before have left there.

use std::{ops, sync::atomic::AtomicBool};

use aql::KernelDispatchPacket;
use gfx::Target;
use gpu::{
    Fill, Job,
    dispatch::{Descriptor, LDS_APERTURE_BASE, Origin, SCRATCH_APERTURE_BASE, Scratch},
};
use wave::{AddressSpace, Counts, Host, Program, Range};

use super::*;
use crate::pool::config;

/// The code can be read, and nothing else.
struct OnlyCode(ops::Range<u64>);

impl AddressSpace for OnlyCode {
    fn generation(&self) -> u64 {
        0
    }
    fn find(&self, address: u64) -> Option<Range> {
        self.0.contains(&address).then_some(Range {
            start: self.0.start,
            end: self.0.end,
            writable: false,
        })
    }
}

struct Silent;

impl Host for Silent {
    fn send_message(&self, _: u32, _: u32) {}
    fn real_time(&self, _: &Target, _: u64) -> u64 {
        0
    }
    fn core_time(&self, _: &Target, _: u64) -> u64 {
        0
    }
}

/// Leaves values in registers of all kinds.
const CODE: &str = "v_mov_b32_e32 v1, v0
    v_mov_b32_e32 v3, 7
    s_mov_b32 s20, 9
    s_mov_b32 s0, 9
    s_mov_b32 vcc_hi, 7
    s_mov_b32 m0, 3
    s_mov_b32 exec_lo, 5
    s_cmp_eq_u32 s20, 9
    s_endpgm";

/// A kernel that asks for all that there is in registers; its last workgroups are smaller than the others.
fn dispatch(target: &'static Target, wave32: bool, scratch: u64, lds: u32) -> Dispatch {
    let packet = KernelDispatchPacket {
        setup: 3,
        workgroup_size: [36, 5, 1],
        grid_size: [100, 8, 3],
        kernel_object: 0x1000,
        kernarg_address: 0x7fff_0000_1000,
        private_segment_size: 16,
        group_segment_size: lds,
        ..Default::default()
    };
    let origin = Origin {
        packet_address: 0x1_0000_0040,
        queue_address: 0x2_0000_0080,
        dispatch_id: 5,
        ..Default::default()
    };
    let descriptor = Descriptor {
        entry_offset: 256,
        rsrc1: 0x00af_0040,
        // Scratch, 16 user SGPRs, the workgroup's ids and information, three ids of work-items.
        rsrc2: 1 | 16 << 1 | 0xf << 7 | 2 << 11,
        properties: 0x7f | u16::from(wave32) << 10,
        ..Default::default()
    };
    let dispatch = Dispatch::prepare(target, origin, packet, descriptor).unwrap();
    Dispatch {
        scratch: Scratch {
            base: scratch,
            slots: 64,
            ..dispatch.scratch
        },
        ..dispatch
    }
}

fn run_of(dispatch: Dispatch) -> Run {
    let config = config(&dispatch);
    let decoder =
        isa::Decoder::with_features(dispatch.target, dispatch.wave_size as u8, "").unwrap();
    let program = Arc::new(Program::new(config, decoder));
    let answer = Box::new(|_| ());
    let job = Job::new(Arc::new(dispatch), Arc::new(AtomicBool::new(false)), answer);
    let rows = config.vector_rows as usize;
    Run::new(job, program, rows, Vec::new(), 64, 1, false)
}

/// Wave `index` of workgroup `workgroup`, a new one whose registers are set one by one.
fn expected(
    run: &Run,
    segment: &Arc<Segment>,
    (workgroup, index): (u64, u32),
    (slots, elapsed): (u32, u64),
    fill: Fill,
) -> Wave {
    let dispatch = &run.dispatch;
    let id = dispatch.workgroup(workgroup);
    let state = dispatch.initial_state(id, index, slots + index, &run.kernarg);
    let mut wave = Wave::new(segment.clone(), run.rows, dispatch.wave_size, state.mode);
    if !fill.is_zero() {
        wave.fill(fill.words(workgroup << LARGEST_WAVES | u64::from(index + 1)));
    }
    for (row, lanes) in state.vgprs.iter().enumerate() {
        wave.set_vgpr_row(row, lanes);
    }
    for (register, value) in state.sgprs.iter().enumerate() {
        wave.set_sgpr(register, *value);
    }
    for (register, value) in (115..).zip([state.ttmp7, state.ttmp8, state.ttmp9]) {
        wave.set_sgpr(register, value);
    }
    if ["gfx942", "gfx950"].contains(&dispatch.target.name) {
        wave.set_sgpr(102, state.scratch_address as u32);
        wave.set_sgpr(103, (state.scratch_address >> 32) as u32);
    }
    wave.set_exec(state.exec);
    wave.begin_at(elapsed);
    wave.index_in_workgroup = index;
    wave.slot = slots + index;
    wave.compute_die = dispatch.compute_die(workgroup);
    wave.shared_aperture = LDS_APERTURE_BASE;
    wave.private_aperture = SCRATCH_APERTURE_BASE;
    wave.scratch_base = state.scratch_address;
    wave.scratch_bytes_per_lane = dispatch.scratch.wave_bytes / dispatch.wave_size;
    wave.lds_bytes = dispatch.packet.group_segment_size;
    wave
}

/// The whole state as a text, without what waves do not show: lanes that they do not have, registers that are noted as written.
fn shown(wave: &Wave) -> String {
    let mut wave = wave.clone();
    for row in 0..wave.vector_rows() {
        wave.set_vgpr(row, 0, wave.vgpr(row, 0));
        for lane in wave.wave_size() as usize..wave::LANES {
            wave.set_vgpr(row, lane, 0);
        }
    }
    wave.slice_left = 0;
    format!("{wave:?}")
}

/// The surroundings of waves that can read their code.
fn environment<'e>(run: &'e Run, space: &'e OnlyCode) -> Env<'e> {
    Env {
        memory: wave::Memory::new(space),
        lds: Vec::new(),
        barrier: Default::default(),
        races: None,
        shadow: None,
        program: &run.program,
        host: &Silent,
        counts: Counts::new(),
        watch: None,
    }
}

/// Starts the workgroups of a dispatch in this order, with what others left behind; returns how many came to the place of one like them.
fn check_dispatch(
    run: &Run,
    indices: impl Iterator<Item = u64>,
    fill: Fill,
    spare: &mut WorkgroupBuffers,
) -> usize {
    let memory = Memory::new(Default::default());
    memory.fill_with(fill);
    let target = run.dispatch.target;
    let assembler = isa::Assembler::new(target).unwrap();
    let code = assembler.assemble(CODE).unwrap();
    let pc = code.as_ptr().expose_provenance() as u64;
    let space = OnlyCode(pc..pc + code.len() as u64);
    let mut env = environment(run, &space);
    let segment = run.program.segment(&mut env.memory, pc).unwrap();
    let mut sizes = std::collections::BTreeSet::new();
    let (mut settled, mut longer) = (0, None);
    spare.next_dispatch(run);
    for index in indices {
        let (slots, elapsed) = (index as u32 / 3 * 7 % 20, 1000 + index);
        let begin = (index, elapsed);
        let shape = run.dispatch.workgroup_shape(run.dispatch.workgroup(index));
        let like = |used: &UsedWaves| used.of == Some((Slots(slots), shape));
        settled += usize::from(spare.waves.last().is_some_and(like) && spare.shape == Some(shape));
        let mut workgroup = Workgroup::start(run, &segment, begin, Slots(slots), &memory, spare);
        sizes.insert(workgroup.waves.len());
        for (at, (wave, state)) in (0..).zip(&mut workgroup.waves) {
            assert_eq!(*state, State::Ready);
            let expected = expected(run, &segment, (index, at), (slots, elapsed), fill);
            let place = format!("{} {fill}: {index}, {at}", target.name);
            assert_eq!(shown(wave), shown(&expected), "{place}");
            assert_eq!(wave::run(wave, &mut env, 100), Stop::End, "{place}");
        }
        // Some workgroups end after the next one.
        if index % 4 == 1 {
            longer = Some(workgroup);
            continue;
        }
        workgroup.recycle(spare);
        let longer: Option<Workgroup> = longer.take();
        longer.into_iter().for_each(|longer| longer.recycle(spare));
    }
    assert!(sizes.len() > 1, "partial workgroups");
    settled
}

/// Two dispatches. The second begins in the place of the last workgroup of the first.
fn check(target: &'static Target, wave32: bool, fill: Fill) {
    let [first, second] = [(0x7abc_1234_5000, 0), (0x7abd_0000_0000, 10240)]
        .map(|(scratch, lds)| run_of(dispatch(target, wave32, scratch, lds)));
    let mut spare = WorkgroupBuffers::default();
    let all = 0..first.dispatch.workgroup_count();
    let settled = [
        check_dispatch(&first, all.clone(), fill, &mut spare),
        check_dispatch(&second, all.rev(), fill, &mut spare),
    ];
    let some = settled.iter().all(|settled| *settled > 1);
    assert!(some, "workgroups in the places of others like them");
}

#[test]
fn a_used_buffer_starts_like_a_new_one() {
    let sizes = [false, true];
    for target in gfx::TARGETS {
        for wave32 in sizes {
            let executes = gpu::dispatch::executes(target);
            if !executes || wave32 && !target.supports_wave32() {
                continue;
            }
            for fill in [Fill::Zero, Fill::Random(3), Fill::Word(0x7fc0_0001)] {
                check(target, wave32, fill);
            }
        }
    }
}

#[test]
fn later_turns_grow_while_no_workgroup_ends() {
    let later = |fruitless| Slice::USUAL.later(fruitless);
    assert_eq!(later(0), Slice::LATER);
    assert_eq!(later(Slice::PATIENT).branches, 2 * Slice::LATER.branches);
    assert_eq!(later(u32::MAX), Slice::USUAL);
    assert_eq!(Slice::MOMENT.later(u32::MAX), Slice::MOMENT);
}

/// Waits for ever, for a word of its own code.
const POLLS: &str = "s_getpc_b64 s[20:21]
    wait:
    s_load_dword s22, s[20:21], 0x0
    s_waitcnt lgkmcnt(0)
    s_cmp_lg_u32 s22, 0
    s_cbranch_scc1 wait
    s_endpgm";

#[test]
fn a_workgroup_that_worked_before_it_waits_says_so_once() {
    let target = Target::find("gfx90a").unwrap();
    let run = run_of(dispatch(target, false, 0x7abc_1234_5000, 0));
    let memory = Memory::new(Default::default());
    let assembler = isa::Assembler::new(target).unwrap();
    let code = assembler.assemble(POLLS).unwrap();
    let pc = code.as_ptr().expose_provenance() as u64;
    let space = OnlyCode(pc..pc + code.len() as u64);
    let mut env = environment(&run, &space);
    let segment = run.program.segment(&mut env.memory, pc).unwrap();
    let mut spare = WorkgroupBuffers::default();
    spare.next_dispatch(&run);
    // The second one has the waves of the first one.
    for round in 0..2 {
        let mut workgroup = Workgroup::start(&run, &segment, (0, 0), Slots(0), &memory, &mut spare);
        let pauses =
            [(); 3].map(
                |()| match workgroup.turn(&mut env, None, &run.epoch, Slice::USUAL) {
                    Turn::Again(pause) => pause,
                    _ => panic!("{round}: the turn ends"),
                },
            );
        assert_eq!(pauses, [Pause::Came, Pause::Waits, Pause::Waits], "{round}");
        workgroup.recycle(&mut spare);
    }
}
