//! One call of `luthier_at_hsa_event`: what the tool looks at and what it asks for.

use crate::{table::RawArgument, variables::Variables};
use isa::{Reg, RegKind};
use luthier::{Argument, Code};
use std::{ffi::CString, sync::Arc};

/// `luthier_ipoint_t`.
const AFTER: i32 = 1;

/// An instruction as the tool sees it.
pub struct Seen {
    pub pc: u64,
    pub size: u32,
    pub mnemonic: CString,
    pub text: CString,
}

/// A hook at an instruction.
#[derive(Clone, Debug)]
pub struct Call {
    pub index: usize,
    pub hook: String,
    pub after: bool,
    pub arguments: Vec<Argument>,
}

/// What the launch is to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// As the launches before.
    Same,
    Original,
    Variant(String),
}

/// See the module.
pub struct Visit {
    pub kernel_object: u64,
    pub code: Code,
    /// Kept for later launches once the tool has asked for them.
    pub instructions: Option<Arc<Vec<Seen>>>,
    /// Names of the variants that there are.
    pub variants: Vec<String>,
    pub hooks: Arc<Vec<(String, usize)>>,
    pub variables: Arc<Variables>,
    pub calls: Vec<Call>,
    pub wanted: Wanted,
}

type Result<T> = std::result::Result<T, String>;

impl Visit {
    /// The instructions of the kernel and everything it may call.
    pub fn instructions(&mut self) -> Result<Arc<Vec<Seen>>> {
        if let Some(known) = &self.instructions {
            return Ok(Arc::clone(known));
        }
        let text = |text: String| CString::new(text).unwrap_or_default();
        let seen = self.code.with(|kernel| {
            let instructions = kernel.instructions().map(|instruction| Seen {
                pc: instruction.pc(),
                size: instruction.decoded().size.into(),
                mnemonic: text(instruction.mnemonic().to_owned()),
                text: text(instruction.text()),
            });
            Arc::new(instructions.collect::<Vec<_>>())
        });
        let seen = seen.map_err(|error| error.to_string())?;
        Ok(Arc::clone(self.instructions.insert(seen)))
    }

    pub fn insert(
        &mut self,
        index: usize,
        hook: usize,
        point: i32,
        arguments: &[RawArgument],
    ) -> Result<()> {
        let count = self.instructions()?.len();
        if index >= count {
            return Err(format!(
                "there is no instruction {index}: the kernel has {count}"
            ));
        }
        let name = self.variables.hook(hook).ok_or_else(|| {
            format!("no hook has the handle {hook:#x}: is it named with LUTHIER_EXPORT_FUNC, in this library?")
        })?;
        let known = self.hooks.iter().find(|(known, _)| known == name);
        let Some((name, parameters)) = known else {
            return Err(format!("hook {name} is not in the tool's device code"));
        };
        if *parameters != arguments.len() {
            return Err(format!(
                "hook {name} has {parameters} parameters, and {} arguments are given",
                arguments.len()
            ));
        }
        let arguments = arguments.iter().map(|raw| self.argument(raw));
        let arguments = arguments.collect::<Result<_>>()?;
        self.calls.push(Call {
            index,
            hook: name.clone(),
            after: point == AFTER,
            arguments,
        });
        Ok(())
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
            0 => Argument::Constant(raw.value),
            1 => register(RegKind::Sgpr)?,
            2 => register(RegKind::Vgpr)?,
            3 => Argument::Exec,
            4 => Argument::Pc,
            5 => Argument::Site,
            6 => Argument::Variable(self.variables.name(raw.value as usize)?.to_owned(), 0),
            7 => Argument::EffectiveAddress,
            8 => Argument::AccessSize,
            9 => Argument::AccessKind,
            10 => Argument::DispatchId,
            11 if raw.value < 3 => Argument::WorkgroupId(raw.value as u8),
            11 => return Err(format!("a workgroup has no dimension {}", raw.value)),
            kind => return Err(format!("there are no arguments of kind {kind}")),
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
        self.wanted = Wanted::Variant(variant);
        Ok(())
    }
}
