//! Costs of instructions: the tables behind the presets.
//!
//! A preset is a contract. Changing any row of an existing one changes the totals of programs that were built with it,
//! so a row is never edited: a new preset is added and [`Preset::table_version`] names the difference.

/// The class of an IR instruction, by which it is priced. The LLVM side classifies, this side prices.
///
/// The numbers cross a C interface (`shim/bridge.h`), where a test compares them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Kind {
    /// Debug records, lifetime markers, assumptions, pseudo probes: text for the optimiser, no work.
    Marker = 0,
    /// Arithmetic, comparisons, loads and stores through computed addresses, everything without a row of its own.
    Work = 1,
    /// Branch, switch, return, resume, invoke's own jump.
    Terminator = 2,
    /// `alloca`.
    StackSlot = 3,
    /// Value casts.
    Cast = 4,
    /// `getelementptr`.
    Address = 5,
    /// `phi`.
    Phi = 6,
    /// `freeze`.
    Freeze = 7,
    /// `extractvalue`, `insertvalue`.
    Aggregate = 8,
    /// Load or store whose address is an `alloca` of the same function, or a fixed place in one.
    LocalAccess = 9,
    /// `llvm.memcpy`/`llvm.memmove` whose length is a constant: how a by-value aggregate travels in many ABIs.
    CopyFixed = 10,
    /// `llvm.memcpy`/`llvm.memmove` with a length known only at run time.
    CopySized = 11,
    /// `llvm.memset` with a constant length.
    FillFixed = 12,
    /// `llvm.memset` with a length known only at run time.
    FillSized = 13,
    /// A call of a function, or of an intrinsic without a row of its own.
    Call = 14,
    /// A call of the counter's own interface (`luthier_count_*`): looking must not change what is seen.
    CounterCall = 15,
    /// `catchswitch`: its block can hold no code at all, so no preset may charge it.
    CatchSwitch = 16,
    /// One C++ ABI needs it and another does not, in guards of static variables and pointers to member functions.
    OneAbi = 17,
}

impl Kind {
    /// All kinds, in the order of their numbers.
    #[rustfmt::skip]
    pub const ALL: [Kind; 18] = [
        Kind::Marker, Kind::Work, Kind::Terminator, Kind::StackSlot, Kind::Cast, Kind::Address, Kind::Phi, Kind::Freeze,
        Kind::Aggregate, Kind::LocalAccess, Kind::CopyFixed, Kind::CopySized, Kind::FillFixed, Kind::FillSized,
        Kind::Call, Kind::CounterCall, Kind::CatchSwitch, Kind::OneAbi,
    ];

    /// The kind with this number, if there is one.
    pub fn from_number(number: u8) -> Option<Kind> {
        Kind::ALL.get(usize::from(number)).copied()
    }
}

/// A price: a fixed part and, for bulk memory operations, a part per bytes moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Price {
    /// Charged whenever the instruction executes.
    pub fixed: u64,
    /// Charged besides: `bytes >> shift`, computed at run time.
    pub bytes_shift: Option<u8>,
}

/// Constant-length copies up to this many bytes are free under `portable-1`: they are how ABIs pass aggregates, and ABIs
/// differ in which aggregates travel that way.
pub const FREE_COPY_BYTES: u64 = 1024;

/// `portable-1` charges bulk memory operations one unit per 16 bytes.
pub const PORTABLE_BYTES_SHIFT: u8 = 4;

/// A named cost table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Preset {
    /// Every real instruction costs 1.
    #[default]
    Article,
    /// Instructions that differ between ABIs cost 0, and bulk memory operations cost by size: totals are equal on x86-64 and aarch64.
    Portable1,
}

impl Preset {
    /// Every preset.
    pub const ALL: [Preset; 2] = [Preset::Article, Preset::Portable1];

    /// The name on command lines and in objects.
    pub fn name(self) -> &'static str {
        match self {
            Preset::Article => "article",
            Preset::Portable1 => "portable-1",
        }
    }

    /// The preset of this name.
    pub fn from_name(name: &str) -> Option<Preset> {
        Preset::ALL.into_iter().find(|preset| preset.name() == name)
    }

    /// The version of the cost table, recorded in every object.
    pub fn table_version(self) -> u32 {
        1
    }

    /// The price of one instruction; `constant_bytes` is the length of a fixed-size copy or fill, 0 otherwise.
    pub fn price(self, kind: Kind, constant_bytes: u64) -> Price {
        // Columns: article, portable-1. `Scaled` rows are resolved below.
        use Kind::*;
        #[rustfmt::skip]
        let (article, portable) = match kind {
            Marker      => (Row::Free, Row::Free),
            CounterCall => (Row::Free, Row::Free),
            CatchSwitch => (Row::Free, Row::Free),
            Work        => (Row::One,  Row::One),
            Terminator  => (Row::One,  Row::One),
            Call        => (Row::One,  Row::One),
            StackSlot   => (Row::One,  Row::Free),
            Cast        => (Row::One,  Row::Free),
            OneAbi      => (Row::One,  Row::Free),
            Address     => (Row::One,  Row::Free),
            Phi         => (Row::One,  Row::Free),
            Freeze      => (Row::One,  Row::Free),
            Aggregate   => (Row::One,  Row::Free),
            LocalAccess => (Row::One,  Row::Free),
            CopyFixed   => (Row::One,  Row::BigCopy),
            FillFixed   => (Row::One,  Row::ByConstant),
            CopySized   => (Row::One,  Row::ByLength),
            FillSized   => (Row::One,  Row::ByLength),
        };
        let row = match self {
            Preset::Article => article,
            Preset::Portable1 => portable,
        };
        let fixed = |fixed| Price {
            fixed,
            bytes_shift: None,
        };
        match row {
            Row::Free => fixed(0),
            Row::One => fixed(1),
            Row::ByConstant => fixed(1 + (constant_bytes >> PORTABLE_BYTES_SHIFT)),
            Row::BigCopy if constant_bytes <= FREE_COPY_BYTES => fixed(0),
            Row::BigCopy => fixed(1 + (constant_bytes >> PORTABLE_BYTES_SHIFT)),
            Row::ByLength => Price {
                fixed: 1,
                bytes_shift: Some(PORTABLE_BYTES_SHIFT),
            },
        }
    }
}

#[derive(Clone, Copy)]
enum Row {
    Free,
    One,
    ByConstant,
    BigCopy,
    ByLength,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_numbered_in_order() {
        for (number, kind) in Kind::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, number);
            assert_eq!(Kind::from_number(number as u8), Some(kind));
        }
        assert_eq!(Kind::from_number(Kind::ALL.len() as u8), None);
    }

    #[test]
    fn article_charges_every_real_instruction_one() {
        let free = [Kind::Marker, Kind::CounterCall, Kind::CatchSwitch];
        for kind in Kind::ALL {
            let expected = if free.contains(&kind) { 0 } else { 1 };
            assert_eq!(
                Preset::Article.price(kind, 4096),
                Price {
                    fixed: expected,
                    bytes_shift: None
                },
                "{kind:?}"
            );
        }
    }

    #[test]
    fn portable_charges_copies_by_size_but_not_abi_copies() {
        let price = |kind, bytes| Preset::Portable1.price(kind, bytes);
        assert_eq!(price(Kind::CopyFixed, 24).fixed, 0);
        assert_eq!(price(Kind::CopyFixed, 1024).fixed, 0);
        assert_eq!(price(Kind::CopyFixed, 4096).fixed, 257);
        assert_eq!(
            price(Kind::CopySized, 0),
            Price {
                fixed: 1,
                bytes_shift: Some(4)
            }
        );
        assert_eq!(price(Kind::LocalAccess, 0).fixed, 0);
        assert_eq!(price(Kind::Work, 0).fixed, 1);
    }

    #[test]
    fn names_round_trip() {
        for preset in Preset::ALL {
            assert_eq!(Preset::from_name(preset.name()), Some(preset));
        }
        assert_eq!(Preset::from_name("portable-2"), None);
    }
}
