//! Insertions into a kernel, and changes of its instructions.

use crate::{
    Block, Instruction, Launch, Module, Result,
    abi::{
        HookValue, OWN_MODULE, constants,
        structures::{RawArgument, RawChange, RawCount, RawInsertion},
    },
    host::{Error, api, c_string, check, symbol},
};

/// An argument of a hook: `luthier_arg_kind` of `include/luthier.h`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    Constant(u64),
    /// The first of as many registers as the parameter has dwords.
    Sgpr(u32),
    Vgpr(u32),
    Agpr(u32),
    /// The address of a `__device__` variable of the tool.
    Variable(String),
    /// The address of a variable of a module.
    ModuleVariable(Module, String),
    /// A value that Luthier supplies at each place: `HookValue::EffectiveAddress.into()`.
    Value(HookValue),
}

impl From<HookValue> for Argument {
    fn from(value: HookValue) -> Argument {
        Argument::Value(value)
    }
}

impl From<u32> for Argument {
    fn from(value: u32) -> Argument {
        Argument::Constant(value.into())
    }
}

impl From<u64> for Argument {
    fn from(value: u64) -> Argument {
        Argument::Constant(value)
    }
}

impl Argument {
    fn raw(&self) -> Result<RawArgument> {
        let address = |module, name: &str| -> Result<u64> {
            Ok(symbol(module, constants::REGISTERED_VARIABLE, name)?.0 as u64)
        };
        let (kind, value) = match self {
            Argument::Constant(value) => (constants::ARG_CONSTANT, *value),
            Argument::Sgpr(first) => (constants::ARG_SGPR, (*first).into()),
            Argument::Vgpr(first) => (constants::ARG_VGPR, (*first).into()),
            Argument::Agpr(first) => (constants::ARG_AGPR, (*first).into()),
            Argument::Variable(name) => (constants::ARG_VARIABLE, address(OWN_MODULE, name)?),
            Argument::ModuleVariable(module, name) => {
                (constants::ARG_VARIABLE, address(module.0, name)?)
            }
            Argument::Value(value) => {
                let row = value.row();
                let row = row.ok_or_else(|| Error::new(format!("no place has {value:?}")))?;
                let kind = row.argument.map(|(number, _)| number);
                let alone = || Error::new(format!("{value:?} is for hooks alone, and no argument"));
                let dimension = row.dimension.unwrap_or_default();
                (kind.ok_or_else(alone)?, dimension.into())
            }
        };
        Ok(RawArgument {
            kind,
            reserved: 0,
            value,
        })
    }
}

impl Launch<'_> {
    /// Whenever the instruction is about to run.
    pub fn before(&self, instruction: &Instruction) -> Place<'_> {
        self.place(constants::IPOINT_BEFORE, instruction.index, 0)
    }

    /// When the instruction has run and control goes on to the next one.
    pub fn after(&self, instruction: &Instruction) -> Place<'_> {
        self.place(constants::IPOINT_AFTER, instruction.index, 0)
    }

    /// The place at the beginning of a block.
    pub fn at_block(&self, block: &Block) -> Place<'_> {
        self.place(constants::IPOINT_BLOCK, block.index, 0)
    }

    /// On the way from a block to a successor.
    pub fn on_edge(&self, from: &Block, to: usize) -> Place<'_> {
        self.place(constants::IPOINT_EDGE, from.index, to)
    }

    fn place(&self, point: u32, place: usize, to: usize) -> Place<'_> {
        Place {
            launch: self,
            point,
            place,
            to,
            once: false,
        }
    }

    /// Takes the instruction out.
    pub fn remove(&self, instruction: &Instruction) -> Result<()> {
        self.change(constants::CHANGE_REMOVE, instruction, "")
    }

    /// Puts other instructions in its place, in the assembler's language.
    pub fn replace(&self, instruction: &Instruction, code: &str) -> Result<()> {
        self.change(constants::CHANGE_REPLACE, instruction, code)
    }

    /// More instructions in front of one. Nothing is saved around them.
    pub fn add_before(&self, instruction: &Instruction, code: &str) -> Result<()> {
        self.change(constants::CHANGE_ADD_BEFORE, instruction, code)
    }

    /// The same behind it.
    pub fn add_after(&self, instruction: &Instruction, code: &str) -> Result<()> {
        self.change(constants::CHANGE_ADD_AFTER, instruction, code)
    }

    fn change(&self, kind: u32, instruction: &Instruction, code: &str) -> Result<()> {
        let code = c_string(code)?;
        let change = RawChange {
            struct_size: size_of::<RawChange>(),
            kind,
            reserved: 0,
            place: instruction.index,
            text: code.as_ptr(),
        };
        // SAFETY: a structure of the size that it says, with a string.
        check(unsafe { (api()?.change)(self.object(), &raw const change) })
    }
}

/// A place in the kernel, for one insertion or several.
#[derive(Clone, Copy)]
pub struct Place<'l> {
    launch: &'l Launch<'l>,
    point: u32,
    place: usize,
    to: usize,
    once: bool,
}

impl Place<'_> {
    /// Hooks from here on run in lane 0 alone, whatever EXEC is: for what happens once a wave.
    pub fn once(mut self) -> Self {
        self.once = true;
        self
    }

    /// Inserts a hook of the tool.
    pub fn call(self, hook: &str, arguments: &[Argument]) -> Result<Self> {
        self.insert(OWN_MODULE, hook, arguments)
    }

    /// Inserts a hook of a module.
    pub fn call_module(self, module: Module, hook: &str, arguments: &[Argument]) -> Result<Self> {
        self.insert(module.0, hook, arguments)
    }

    fn insert(self, module: u64, hook: &str, arguments: &[Argument]) -> Result<Self> {
        let (hook, _) = symbol(module, constants::REGISTERED_FUNCTION, hook)?;
        let raw = arguments.iter().map(Argument::raw);
        let raw: Vec<RawArgument> = raw.collect::<Result<_>>()?;
        let insertion = RawInsertion {
            struct_size: size_of::<RawInsertion>(),
            point: self.point,
            once: self.once.into(),
            place: self.place,
            to: self.to,
            hook,
            arguments: raw.as_ptr(),
            count: raw.len(),
        };
        // SAFETY: a structure of the size that it says, with as many arguments.
        check(unsafe { (api()?.insert)(self.launch.object(), &raw const insertion) })?;
        Ok(self)
    }

    /// Adds to a counter of the kernel, by number from 0, once for the wave, also when no lane is active; see [`crate::counted`].
    pub fn count(self, counter: usize, amount: u32) -> Result<Self> {
        let count = RawCount {
            struct_size: size_of::<RawCount>(),
            point: self.point,
            amount,
            place: self.place,
            to: self.to,
            counter,
        };
        // SAFETY: a structure of the size that it says.
        check(unsafe { (api()?.count)(self.launch.object(), &raw const count) })?;
        Ok(self)
    }
}
