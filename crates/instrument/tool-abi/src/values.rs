//! The values that hooks can ask every place for.
//!
//! A row of [`HOOK_VALUES`] is all that languages and documentation know of a value. Where the value comes from stands in `rewrite`, in
//! matches over [`HookValue`].

/// How hooks in C++ get a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// As an argument alone.
    Never,
    /// Functions of `luthier_device.h` ask for it.
    ByHeader,
    /// With a function of its name.
    Function,
    /// The same, which returns `bool`.
    Bit,
}

/// A value.
#[derive(Clone, Copy, Debug)]
pub struct HookValueRow {
    pub value: HookValue,
    /// Its meaning, line by line.
    pub about: &'static [&'static str],
    /// Name of the port, and of the function in `luthier_device.h`.
    pub name: &'static str,
    /// Word in descriptions of tools; empty where hooks alone ask for it.
    pub word: &'static str,
    /// For host code, number and name of the kind of arguments.
    pub argument: Option<(u32, &'static str)>,
    /// 0, 1 or 2, for a value that has dimensions.
    pub dimension: Option<u8>,
    /// Dwords as the hook sees the value.
    pub dwords: u8,
    /// Dwords that a parameter must have to take it, see [`HookValueRow::least`].
    least: u8,
    /// It has a bit for each lane of a wave.
    is_mask: bool,
    /// Lanes have values of their own.
    pub per_lane: bool,
    pub asked: Asked,
    /// The effect when a hook sets it; `None` if hooks cannot.
    pub written: Option<&'static [&'static str]>,
}

impl HookValueRow {
    const EMPTY: HookValueRow = HookValueRow {
        value: HookValue::Site,
        about: &[],
        name: "",
        word: "",
        argument: None,
        dimension: None,
        dwords: 1,
        least: 1,
        is_mask: false,
        per_lane: false,
        asked: Asked::Function,
        written: None,
    };

    /// A value of this many bits; a parameter must take all of them.
    const fn bits(bits: u8) -> HookValueRow {
        let dwords = bits / 32;
        HookValueRow {
            dwords,
            least: dwords,
            ..Self::EMPTY
        }
    }

    /// A value of this many bits; a parameter may take the low ones.
    const fn low_bits(bits: u8) -> HookValueRow {
        HookValueRow {
            dwords: bits / 32,
            ..Self::EMPTY
        }
    }

    /// It has a bit for each lane. A parameter must take as many bits as the wave has lanes.
    const fn mask() -> HookValueRow {
        HookValueRow {
            is_mask: true,
            ..Self::low_bits(64)
        }
    }

    /// Dwords that a parameter must have to take the value of a wave with so many lanes.
    pub fn least(&self, wave_size: u8) -> u8 {
        match self.is_mask {
            true => wave_size / 32,
            false => self.least,
        }
    }

    const fn per_lane(self) -> Self {
        HookValueRow {
            per_lane: true,
            ..self
        }
    }

    const fn word(self, word: &'static str) -> Self {
        HookValueRow { word, ..self }
    }

    const fn argument(self, number: u32, name: &'static str) -> Self {
        HookValueRow {
            argument: Some((number, name)),
            ..self
        }
    }

    const fn asked(self, asked: Asked) -> Self {
        HookValueRow { asked, ..self }
    }

    const fn written(self, about: &'static [&'static str]) -> Self {
        HookValueRow {
            written: Some(about),
            ..self
        }
    }
}

macro_rules! hook_values {
    (
        one {
            $($(#[doc = $about:literal])* $value:ident = $name:literal: $row:expr;)*
        }
        for_each_dimension {
            $($(#[doc = $of_three:literal])* $three:ident = $prefix:literal, $word:literal: $of_each:expr;)*
        }
    ) => {
        /// A value that every place has, or has a reason not to have.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum HookValue {
            $($(#[doc = $about])* $value,)*
            $($(#[doc = $of_three])* $three(u8),)*
        }

        /// All of them, those with dimensions once for each.
        pub const HOOK_VALUES: &[HookValueRow] = &[
            $(HookValueRow {
                value: HookValue::$value,
                about: &[$($about),*],
                name: $name,
                ..$row
            },)*
            $(
                hook_values!(@ $three, 0, concat!($prefix, "_x"), concat!($word, ".x"), [$($of_three),*], $of_each),
                hook_values!(@ $three, 1, concat!($prefix, "_y"), concat!($word, ".y"), [$($of_three),*], $of_each),
                hook_values!(@ $three, 2, concat!($prefix, "_z"), concat!($word, ".z"), [$($of_three),*], $of_each),
            )*
        ];
    };
    (@ $three:ident, $dimension:literal, $name:expr, $word:expr, [$($about:literal),*], $row:expr) => {
        HookValueRow {
            value: HookValue::$three($dimension),
            about: &[$($about),*],
            name: $name,
            word: $word,
            dimension: Some($dimension),
            ..$row
        }
    };
}

type Row = HookValueRow;

hook_values! {
    one {
        /// Number of the insertion in the kernel, counted from 0.
        Site = "site": Row::bits(32).word("site").argument(5, "LUTHIER_ARG_SITE");
        /// Offset of the instruction in its code object.
        Pc = "pc": Row::low_bits(64).word("pc").argument(4, "LUTHIER_ARG_PC");
        /// The lanes that are active at the place. luthier::exec() has those at this point of the hook.
        Exec = "exec": Row::mask().word("exec").argument(3, "LUTHIER_ARG_EXEC").asked(Asked::Never)
            .written(&[" Makes these lanes the active ones after the hook."]);
        /// The scalar condition code. It is undefined where the kernel no longer needs it.
        Scc = "scc": Row::bits(32).word("scc").argument(15, "LUTHIER_ARG_SCC").asked(Asked::Bit).written(&[]);
        /// The vector condition code, one bit per lane. It is undefined where the kernel no longer needs it.
        Vcc = "vcc": Row::mask().word("vcc").argument(14, "LUTHIER_ARG_VCC").written(&[]);
        /// The kernel's M0.
        M0 = "m0": Row::bits(32).word("m0").argument(16, "LUTHIER_ARG_M0").written(&[]);
        /// The kernel's MODE bits: rounding, denormals, exceptions. Hooks themselves round to nearest and keep denormals.
        Mode = "mode": Row::bits(32).word("mode").argument(19, "LUTHIER_ARG_MODE").written(&[
            " Sets MODE for the kernel's code after the hook: bits 0 to 9 (rounding, denormals, clamping and IEEE mode); since gfx12 bits 0 to 7,",
            " because the next two have another meaning there. The other bits keep their values.",
        ]);
        /// The address that each lane accesses, in bytes; for LDS and scratch, an offset.
        EffectiveAddress = "effective_address": Row::bits(64).per_lane().word("address").argument(7, "LUTHIER_ARG_ADDRESS");
        /// Bytes that the instruction accesses in each lane; 0 for image instructions, see image_address.
        AccessSize = "access_size": Row::bits(32).word("access.size").argument(8, "LUTHIER_ARG_ACCESS_SIZE");
        /// The access that the instruction makes, and to which memory: bits of luthier::access.
        AccessKind = "access_kind": Row::bits(32).word("access.kind").argument(9, "LUTHIER_ARG_ACCESS_KIND");
        /// Global address of the variables in memory that lane 0 of the wave has for hooks.
        Stack = "stack": Row::bits(64).asked(Asked::Never);
        /// Address of the kernel's arguments.
        KernargPointer = "kernarg_ptr": Row::bits(64).word("kernarg").argument(17, "LUTHIER_ARG_KERNARG").asked(Asked::ByHeader);
        /// Address of the dispatch packet.
        DispatchPointer = "dispatch_ptr": Row::bits(64).word("packet").argument(18, "LUTHIER_ARG_PACKET").asked(Asked::ByHeader);
        /// Address of the arguments that the compiler adds after the kernel's own.
        ImplicitArgumentPointer = "implicitarg_ptr": Row::bits(64).asked(Asked::ByHeader);
        /// Number of the launch, counted from 0 over all kernels.
        DispatchId = "dispatch_id": Row::low_bits(64).word("dispatch").argument(10, "LUTHIER_ARG_DISPATCH_ID");
    }
    for_each_dimension {
        /// Number of the workgroup in the grid, in dimension 0, 1 or 2.
        WorkgroupId = "workgroup_id", "workgroup": Row::bits(32).argument(11, "LUTHIER_ARG_WORKGROUP_ID");
        /// Number of each lane in its workgroup, in dimension 0, 1 or 2; threadIdx where HIP is included.
        WorkitemId = "workitem_id", "workitem": Row::bits(32).per_lane().argument(12, "LUTHIER_ARG_WORKITEM_ID");
    }
}

impl HookValueRow {
    /// The value of a port's name.
    pub fn named(name: &str) -> Option<&'static HookValueRow> {
        HOOK_VALUES.iter().find(|row| row.name == name)
    }

    /// The value that a description means.
    pub fn of_word(word: &str) -> Option<&'static HookValueRow> {
        HOOK_VALUES
            .iter()
            .find(|row| row.word == word && !word.is_empty())
    }

    /// The values that host code means by a kind of arguments: none, one, or one for each dimension.
    pub fn of_argument(kind: u32) -> impl Iterator<Item = &'static HookValueRow> {
        let is = move |row: &&HookValueRow| row.argument.is_some_and(|(number, _)| number == kind);
        HOOK_VALUES.iter().filter(is)
    }
}

impl HookValue {
    /// `None` for a dimension that there is not.
    pub fn row(self) -> Option<&'static HookValueRow> {
        HOOK_VALUES.iter().find(|row| row.value == self)
    }
}
