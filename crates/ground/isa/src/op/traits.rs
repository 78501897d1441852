//! The properties that follow from a mnemonic, one bit each.

bitflags::bitflags! {
    /// The properties of an instruction that follow from its mnemonic alone, beside [`crate::Effects`].
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
    pub struct Traits: u64 {
        /// Its result is an address of code: `s_getpc_b64`.
        const READS_PC = 1 << 0;
        /// Lanes that go another way wait, until a join (gfx9).
        const FORKS = 1 << 1;
        /// Lanes that waited at a fork go on (gfx9).
        const JOINS = 1 << 2;
        /// Says that the wave has arrived at a barrier.
        const ARRIVES = 1 << 3;
        /// A message that is answered in a register.
        const ANSWERED = 1 << 4;
        /// Reads a clock.
        const CLOCK = 1 << 5;
        /// Other waves of the device wait for it, or it for them: the global wave sync.
        const GWS = 1 << 6;
        /// Waits until other waves of the device come.
        const WAITS_FOR_DEVICE = 1 << 7;
        /// Only time passes, or instructions behind it keep together.
        const PAUSES = 1 << 23;

        /// Leaves some of what it writes as it was, or all of it in some cases, and does not list it as read.
        const KEEPS = 1 << 8;
        /// Moves values between lanes. Whether a lane that is off is read differs between instructions and families.
        const CROSS_LANE = 1 << 9;
        /// A vector register's value in one lane, to a scalar register.
        const LANE_TO_SCALAR = 1 << 10;
        /// An operand says which lane.
        const SELECTS_LANE = 1 << 11;
        /// M0 is added to the number of a scalar register.
        const INDEXES_SCALARS = 1 << 12;
        /// M0 is added to the number of a vector register.
        const INDEXES_VECTORS = 1 << 13;
        /// Compares lane by lane.
        const COMPARES = 1 << 14;
        /// Compares lane by lane, and leaves the result in EXEC.
        const COMPARES_TO_EXEC = 1 << 15;
        /// The result is one of the sources, a part of one, or says whether something is true: an address that goes in is not
        /// computed with.
        const SELECTS = 1 << 16;
        /// The result has 16 bits: since gfx10 the other half of the register stays, before with op_sel only.
        const RESULT_16 = 1 << 17;
        /// Writes 16 bits and keeps the other half on gfx9 already.
        const WRITES_HALF = 1 << 18;
        /// `v_div_fmas`: VCC is a source that it does not name.
        const DIVIDES_BY_VCC = 1 << 19;
        /// `v_accvgpr_read`.
        const READS_ACCUMULATOR = 1 << 20;
        /// A source is a mask of lanes: VCC, or scalar registers that it names last.
        const READS_MASK = 1 << 21;
        /// Moves values between lanes of vector registers.
        const PERMUTES = 1 << 22;

        /// Reads a hardware register.
        const READS_HARDWARE = 1 << 24;
        /// Writes a hardware register.
        const WRITES_HARDWARE = 1 << 25;
        /// May change MODE: rounding, denormals, exceptions.
        const WRITES_MODE = 1 << 26;
        /// Changes how registers are indexed (gfx9).
        const INDEX_MODE = 1 << 27;
        /// Needs a wait state behind the scalar instruction that writes M0 (gfx9), beside GDS and loads to LDS.
        const NEEDS_M0 = 1 << 28;

        /// Maintains caches.
        const CACHE = 1 << 32;
        /// The encoding is one of vector or scalar memory or LDS, but the instruction accesses no data there.
        const NO_DATA = 1 << 33;
        /// Later reads of the wave see what other waves have written.
        const INVALIDATES = 1 << 34;
        /// Later reads of other waves see what the wave has written.
        const WRITES_BACK = 1 << 35;
        /// M0 has the address or the size on every family.
        const LDS_BY_M0 = 1 << 36;
        /// A plain store to LDS, which LLVM calls an atomic operation without result.
        const PLAIN_STORE = 1 << 37;
        /// An atomic operation, whatever LLVM's flags say.
        const ATOMIC = 1 << 38;
        /// An atomic counter in LDS or GDS, which returns its old value.
        const LDS_COUNTER = 1 << 39;
        /// Takes a sampler.
        const SAMPLER = 1 << 40;
        /// Returns through the sampler: samplecnt counts it since gfx12.
        const SAMPLE_COUNTER = 1 << 41;
        /// Intersects rays: bvhcnt counts it since gfx12.
        const RAY_COUNTER = 1 << 42;
        /// FLAT or GLOBAL: memory by address.
        const BY_ADDRESS = 1 << 43;
        /// An atomic operation of vector memory on floats.
        const FLOAT_ATOMIC = 1 << 44;
    }
}
