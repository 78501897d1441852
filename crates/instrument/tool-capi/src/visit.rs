//! One call of `luthier_at_hsa_event`: what the tool looks at and what it asks for.

use crate::{
    seen::{KernelView, register_kind},
    variables::Variables,
};
use isa::{Reg, RegKind};
use luthier::{Argument, Code, Enqueued, HookValue};
use std::{ffi::CString, sync::Arc};
use tool_abi::{HookValueRow, constants, structures::RawArgument};

/// Something to be done at a place; numbers are those of [`KernelView`].
#[derive(Clone, Debug)]
pub struct Call {
    pub index: usize,
    pub point: Point,
    pub deed: VisitAction,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Point {
    Before,
    After,
    /// On the way from the instruction's block, whose last one it is, to this block.
    Edge(usize),
    /// Where the instruction's block begins, whose first one it is.
    Block,
}

#[derive(Clone, Debug)]
pub enum VisitAction {
    Hook {
        hook: String,
        /// In lane 0 alone, whatever EXEC is.
        once: bool,
        arguments: Vec<Argument>,
    },
    /// Adds to a counter of the kernel, once a wave.
    Count {
        counter: usize,
        amount: u32,
    },
    /// No hook of the kernel may be left out.
    AllOrNothing,
    Remove,
    /// By other instructions.
    Replace(String),
    /// More instructions.
    Assembly(String),
}

/// The code that the launch is to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LaunchChoice {
    /// As the launches before.
    Same,
    Original,
    Variant(String),
}

/// See the module.
pub struct Visit {
    /// The numbers of the launch, of the device and of the queue.
    pub number: u64,
    pub device: u32,
    pub queue: u64,
    /// The thread that enqueued the launch, if that is known, and the thread's name.
    pub enqueued: Option<(Enqueued, CString)>,
    pub kernel_object: u64,
    pub code: Code,
    /// Kept for later launches once the tool has asked for them.
    pub seen: Option<Arc<KernelView>>,
    /// Names of the variants that there are.
    pub variants: Vec<String>,
    pub hooks: Arc<Vec<(String, usize)>>,
    pub variables: Arc<Variables>,
    pub calls: Vec<Call>,
    pub wanted: LaunchChoice,
}

type Result<T> = std::result::Result<T, String>;

impl Visit {
    /// The kernel and everything it may call.
    pub fn seen(&mut self) -> Result<Arc<KernelView>> {
        if let Some(known) = &self.seen {
            return Ok(Arc::clone(known));
        }
        let filter = self.code.filter();
        let seen = self
            .code
            .with(|kernel| Arc::new(KernelView::new(kernel, filter)));
        let seen = seen.map_err(|error| error.to_string())?;
        Ok(Arc::clone(self.seen.insert(seen)))
    }

    /// An instruction that there is.
    fn place(&mut self, index: usize) -> Result<usize> {
        let count = self.seen()?.instructions.len();
        let missing = || format!("there is no instruction {index}: the kernel has {count}");
        (index < count).then_some(index).ok_or_else(missing)
    }

    /// The first instruction of a block.
    fn block(&mut self, index: usize) -> Result<(usize, Point)> {
        let seen = self.seen()?;
        let block = seen.blocks.get(index);
        let block = block.ok_or_else(|| format!("there is no block {index}"))?;
        Ok((block.first, Point::Block))
    }

    /// The last instruction of a block, from which control goes to another one.
    fn edge(&mut self, from: usize, to: usize) -> Result<(usize, Point)> {
        let seen = self.seen()?;
        let block = seen.blocks.get(from);
        let block = block.ok_or_else(|| format!("there is no block {from}"))?;
        if !block.successors.contains(&to) {
            return Err(format!("no edge goes from block {from} to block {to}"));
        }
        Ok((block.first + block.len - 1, Point::Edge(to)))
    }

    pub fn insert(
        &mut self,
        index: usize,
        point: Point,
        hook: usize,
        once: bool,
        arguments: &[RawArgument],
    ) -> Result<()> {
        let index = self.place(index)?;
        let (name, parameters) = self.variables.hook(hook, &self.hooks)?;
        if parameters != arguments.len() {
            return Err(format!(
                "hook {name} has {}",
                luthier::wrong_number(parameters, arguments.len())
            ));
        }
        let arguments = arguments.iter().map(|raw| self.argument(raw));
        let deed = VisitAction::Hook {
            hook: name,
            once,
            arguments: arguments.collect::<Result<_>>()?,
        };
        self.calls.push(Call { index, point, deed });
        Ok(())
    }

    /// The place of an insertion: `point` is a `luthier_ipoint_t`.
    pub fn point(&mut self, point: u32, place: usize, to: usize) -> Result<(usize, Point)> {
        match point {
            constants::IPOINT_BEFORE => Ok((place, Point::Before)),
            constants::IPOINT_AFTER => Ok((place, Point::After)),
            constants::IPOINT_EDGE => self.edge(place, to),
            constants::IPOINT_BLOCK => self.block(place),
            point => Err(format!("there is no point {point}")),
        }
    }

    pub fn count(
        &mut self,
        (index, point): (usize, Point),
        counter: usize,
        amount: u32,
    ) -> Result<()> {
        /// As many as a tool could have blocks to count, and few enough to have room on a device.
        const MOST: usize = 1 << 24;
        if counter >= MOST {
            return Err(format!(
                "a kernel has {MOST} counters, and none with the number {counter}"
            ));
        }
        let index = self.place(index)?;
        let deed = VisitAction::Count { counter, amount };
        self.calls.push(Call { index, point, deed });
        Ok(())
    }

    pub fn change(&mut self, index: usize, point: Point, deed: VisitAction) -> Result<()> {
        let index = self.place(index)?;
        self.calls.push(Call { index, point, deed });
        Ok(())
    }

    /// True if a register may be read at an instruction or later.
    pub fn is_live(&mut self, index: usize, file: u32, number: u32) -> Result<bool> {
        let index = self.place(index)?;
        let kind = register_kind(file);
        let reg = Reg {
            kind: kind.ok_or_else(|| format!("there are no registers of kind {file}"))?,
            index: u16::try_from(number)
                .ok()
                .filter(|index| *index < 256)
                .ok_or_else(|| format!("there is no register {number}"))?,
            width: 1,
            half: None,
        };
        let live = self.code.with(|kernel| {
            let mut instructions = kernel.instructions();
            instructions
                .nth(index)
                .map(|place| place.is_live_before(reg))
        });
        live.map_err(|error| error.to_string())?
            .ok_or_else(|| format!("there is no instruction {index}"))
    }

    /// `luthier_arg_kind`. Registers get as many dwords as their parameter later.
    fn argument(&self, raw: &RawArgument) -> Result<Argument> {
        let register = |kind| -> Result<Argument> {
            Ok(Argument::Register(Reg {
                kind,
                index: u16::try_from(raw.value)
                    .map_err(|_| format!("there is no register {}", raw.value))?,
                width: 1,
                half: None,
            }))
        };
        Ok(match raw.kind {
            constants::ARG_CONSTANT => Argument::Constant(raw.value),
            constants::ARG_SGPR => register(RegKind::Sgpr)?,
            constants::ARG_VGPR => register(RegKind::Vgpr)?,
            constants::ARG_AGPR => register(RegKind::Agpr)?,
            constants::ARG_VARIABLE => {
                let name = self.variables.name(raw.value as usize)?;
                Argument::Variable(name, 0)
            }
            kind => of_place(kind, raw.value)?.into(),
        })
    }

    /// Asks for a variant: the one of that name, or the one that was put together in this call.
    pub fn want(&mut self, variant: String) -> Result<()> {
        let known = self.variants.contains(&variant);
        if known && !self.calls.is_empty() {
            return Err(format!(
                "the kernel has a variant {variant:?} already; give the new one another name"
            ));
        }
        self.wanted = LaunchChoice::Variant(variant);
        Ok(())
    }
}

/// The value of the place that a kind of arguments means; `number` is the dimension, if it has one.
fn of_place(kind: u32, number: u64) -> Result<HookValue> {
    let mut rows = HookValueRow::of_argument(kind).peekable();
    if rows.peek().is_none() {
        return Err(format!("there are no arguments of kind {kind}"));
    }
    let row = rows.find(|row| row.dimension.is_none_or(|own| u64::from(own) == number));
    row.map(|row| row.value)
        .ok_or_else(|| format!("a workgroup has no dimension {number}"))
}
