//! The last pass: items to bytes.

use crate::bind::half;
use crate::encode::Encodings;
use crate::instruction::{Instruction, Op, SourceOperand};
use crate::ir::{Address, Addressed, BoundTemplate, Code, Item, Label, Literal};
use crate::islands::{IslandPool, hop};
use crate::layout::{ALIGNMENT, LONGEST_NOP, Layout};
use crate::rewriting::Rewriting;
use crate::{HookVariants, Refusal, Relocation, Symbol};
use lift::Function;
use template::bind_into;

/// Bytes behind the last instruction that the prefetcher may read.
const PREFETCH: usize = 256;

/// New code as bytes.
#[derive(Debug, Default)]
pub(crate) struct Text {
    pub bytes: Vec<u8>,
    /// By offset.
    pub relocations: Vec<Relocation>,
    /// Bytes of code, without what is behind the last instruction.
    pub end: usize,
}

pub(crate) fn run(rewriting: &mut Rewriting<'_, '_>) -> Result<(), Refusal> {
    let Rewriting {
        module,
        plan,
        code,
        codes,
        layout,
        ..
    } = rewriting;
    let mut emission = Emission {
        codes,
        code,
        layout,
        hooks: &plan.hooks,
        globals: &plan.globals,
        text: Text::default(),
        islands: 0,
        pools: &layout.pools,
    };
    let mut function = None;
    for item in &code.items {
        if let Item::Function(index) = *item {
            emission.align();
            function = Some(&module.functions[index]);
        }
        if let Some(function) = function {
            emission.item(item, function)?;
        }
    }
    emission.put_islands(u64::MAX)?;
    let mut text = emission.text;
    text.end = text.bytes.len();
    let padding = Instruction::fixed(Op::EndPadding);
    while text.bytes.len() < text.end + PREFETCH
        || !text.bytes.len().is_multiple_of(ALIGNMENT as usize)
    {
        codes.encode(&padding, &mut text.bytes);
    }
    rewriting.text = text;
    Ok(())
}

struct Emission<'e, 'p> {
    codes: &'e Encodings,
    code: &'e Code<'p>,
    layout: &'e Layout,
    hooks: &'e [HookVariants<'p>],
    /// [`crate::Plan::globals`]
    globals: &'e [String],
    text: Text,
    /// Bytes of islands so far.
    islands: u64,
    /// The groups of islands that are still to come.
    pools: &'e [IslandPool],
}

impl Emission<'_, '_> {
    fn offset(&self) -> u64 {
        self.text.bytes.len() as u64
    }

    /// The offset that it would be without islands.
    fn offset_alone(&self) -> u64 {
        self.offset() - self.islands
    }

    fn align(&mut self) {
        while !self.offset_alone().is_multiple_of(ALIGNMENT) {
            let padding = Instruction::fixed(Op::EndPadding);
            self.codes.encode(&padding, &mut self.text.bytes);
        }
    }

    fn item(&mut self, item: &Item<'_>, function: &Function) -> Result<(), Refusal> {
        // Islands within a run are put in with the run.
        if !matches!(item, Item::Original { .. }) {
            self.put_islands(self.offset_alone() + 1)?;
        }
        match *item {
            Item::Original { from, to, .. } => self.original(function.code(from..to))?,
            Item::Copy(inst) => {
                let bytes = function.code(inst..inst + 1);
                self.text.bytes.extend_from_slice(bytes);
            }
            Item::Given(bytes) => self.text.bytes.extend_from_slice(bytes),
            Item::Moved(inst, to) => {
                let word = function.insts.at(inst as usize).words[0].to_le_bytes();
                self.text.bytes.extend(word);
                self.displace(to)?;
            }
            Item::Branch { op, to } => {
                self.instruction(&Instruction::fixed(op));
                self.displace(to)?;
            }
            Item::Ours(instruction) => self.instruction(&instruction),
            Item::Template(index) => self.template(&self.code.bound[index as usize])?,
            Item::Enter(index) => {
                let seam = &self.code.seams[index as usize];
                self.padding(seam.padding.entry, seam.padding.entry_vector);
                for wait in seam.padding.settles.iter().chain(&seam.waits) {
                    self.instruction(&Instruction::fixed(*wait));
                }
            }
            Item::Leave(index) => {
                let padding = &self.code.seams[index as usize].padding;
                self.padding(padding.exit, padding.exit_vector);
                for wait in padding.settles {
                    self.instruction(&Instruction::fixed(*wait));
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn instruction(&mut self, instruction: &Instruction) {
        let address = self.codes.encode(instruction, &mut self.text.bytes);
        if let Some(index) = address {
            let Address { half, of, addend } = &self.code.addresses[index.0 as usize];
            let symbol = match of {
                Addressed::Symbol(symbol) => symbol.clone(),
                Addressed::Label(label) => Symbol::Text(self.layout.now(*label)),
            };
            self.text.relocations.push(Relocation {
                offset: self.offset() - 4,
                half: *half,
                symbol,
                addend: *addend,
            });
        }
    }

    fn padding(&mut self, states: u32, vector: bool) {
        let mut left = states;
        while left > 0 {
            let states = SourceOperand::Constant(left.min(LONGEST_NOP) - 1);
            self.instruction(&Instruction::new(Op::SNop, 0, &[states]));
            left = left.saturating_sub(LONGEST_NOP);
        }
        if vector && self.codes.has(Op::WaitVector) {
            self.instruction(&Instruction::fixed(Op::WaitVector));
        }
    }

    fn template(&mut self, bound: &BoundTemplate<'_>) -> Result<(), Refusal> {
        let start = self.offset();
        let template = bound.template;
        bind_into(template, &bound.binding, &mut self.text.bytes).map_err(|error| {
            Refusal::Bind {
                hook: self.hooks[bound.hook].name.clone(),
                pc: bound.pc,
                reason: error.to_string(),
            }
        })?;
        for (relocation, literal) in template.relocations.iter().zip(&bound.literals) {
            let offset = start + u64::from(relocation.offset);
            let (half, symbol, addend) = match *literal {
                Literal::Number(number) => {
                    let at = offset as usize;
                    // Waits at the end, which may be left out, have no literals.
                    if let Some(bytes) = self.text.bytes.get_mut(at..at + 4) {
                        bytes.copy_from_slice(&number.to_le_bytes());
                    }
                    continue;
                }
                Literal::Address(global, half, addend) => {
                    let name = self.globals.get(global).ok_or(Refusal::BadPlan {
                        what: "global",
                        index: global,
                    })?;
                    (half, name, addend)
                }
                Literal::Relocated => (half(relocation), &relocation.symbol, relocation.addend),
            };
            self.text.relocations.push(Relocation {
                offset,
                half,
                symbol: Symbol::Tool(symbol.clone()),
                addend,
            });
        }
        Ok(())
    }

    /// Instructions of the original, with islands that lie between them.
    fn original(&mut self, mut code: &[u8]) -> Result<(), Refusal> {
        while let Some(pool) = self.pools.first() {
            let before = pool.at.saturating_sub(self.offset_alone()) as usize;
            let Some((part, rest)) = code
                .split_at_checked(before)
                .filter(|(_, rest)| !rest.is_empty())
            else {
                break;
            };
            self.text.bytes.extend_from_slice(part);
            code = rest;
            self.put_islands(pool.at + 1)?;
        }
        self.text.bytes.extend_from_slice(code);
        Ok(())
    }

    /// The displacement of the branch that was written last.
    fn displace(&mut self, to: Label) -> Result<(), Refusal> {
        let at = self.offset() - 4;
        let layout = self.layout;
        let goal = hop(&layout.pools, &layout.moves, at, layout.now(to), to);
        self.displace_to(goal)
    }

    fn displace_to(&mut self, goal: u64) -> Result<(), Refusal> {
        let at = self.offset() - 4;
        let dwords = (goal as i64 - at as i64 - 4) / 4;
        let field = i16::try_from(dwords).map_err(|_| Refusal::BranchRange { offset: at })?;
        let at = at as usize;
        self.text.bytes[at..at + 2].copy_from_slice(&field.to_le_bytes());
        Ok(())
    }

    /// Groups of islands before an offset, as it would be without islands: a branch over each, then one per target.
    fn put_islands(&mut self, before: u64) -> Result<(), Refusal> {
        while let Some((pool, rest)) = self
            .pools
            .split_first()
            .filter(|(pool, _)| pool.at < before)
        {
            self.pools = rest;
            let start = self.offset();
            let branch = Instruction::new(Op::SBranch, 0, &[]);
            self.instruction(&branch);
            self.displace_to(start + pool.size())?;
            let mut targets: Vec<_> = pool.targets.iter().collect();
            targets.sort_by_key(|(_, index)| **index);
            for (label, _) in targets {
                self.instruction(&branch);
                self.displace(*label)?;
            }
            self.islands += pool.size();
        }
        Ok(())
    }
}
