//! Instructions of a template and how control passes between them.

use crate::VerifyError;
use isa::{Decoder, Effects, Inst};

/// Decoded code with the successors of every instruction; `instructions.len()` stands for the end.
pub(crate) struct Flow {
    pub instructions: Vec<Inst>,
    pub successors: Vec<Vec<usize>>,
    pub has_loop: bool,
}

impl Flow {
    pub fn new(decoder: &Decoder, code: &[u8]) -> Result<Flow, VerifyError> {
        let mut instructions = Vec::new();
        let mut pc = 0;
        while pc < code.len() {
            let inst =
                decoder
                    .decode(&code[pc..], pc as u64)
                    .map_err(|error| VerifyError::Decode {
                        offset: pc as u64,
                        reason: error.to_string(),
                    })?;
            pc += usize::from(inst.size);
            instructions.push(inst);
        }
        let end = pc as u64;
        let index_of = |target: u64| {
            if target == end {
                return Some(instructions.len());
            }
            instructions
                .binary_search_by_key(&target, |inst: &Inst| inst.pc)
                .ok()
        };
        let mut successors = Vec::new();
        let mut has_loop = false;
        for (index, inst) in instructions.iter().enumerate() {
            let mut next = Vec::new();
            if !inst.effects.contains(Effects::BRANCH)
                || inst.effects.contains(Effects::CONDITIONAL)
            {
                next.push(index + 1);
            }
            // Indirect jumps are refused by name, not for where they may lead.
            if inst.effects.contains(Effects::BRANCH) && !inst.effects.contains(Effects::INDIRECT) {
                let target = inst.target().and_then(index_of);
                let target = target.ok_or_else(|| VerifyError::Forbidden {
                    offset: inst.pc,
                    instruction: decoder.print(inst),
                    reason: "branches out of the code or into an instruction",
                })?;
                has_loop |= target <= index;
                next.push(target);
            }
            successors.push(next);
        }
        Ok(Flow {
            instructions,
            successors,
            has_loop,
        })
    }

    /// Forward analysis to a fixed point: the state before every instruction and, last, at the end.
    pub fn solve<State: Clone + PartialEq>(
        &self,
        entry: State,
        join: impl Fn(&State, &State) -> State,
        step: impl Fn(usize, &Inst, &State) -> State,
    ) -> Vec<Option<State>> {
        let mut states: Vec<Option<State>> = vec![None; self.instructions.len() + 1];
        states[0] = Some(entry);
        let mut work = vec![0];
        while let Some(index) = work.pop() {
            let (Some(inst), Some(state)) = (self.instructions.get(index), &states[index]) else {
                continue;
            };
            let after = step(index, inst, state);
            for &next in &self.successors[index] {
                let joined = match &states[next] {
                    Some(before) => join(before, &after),
                    None => after.clone(),
                };
                if states[next].as_ref() != Some(&joined) {
                    states[next] = Some(joined);
                    work.push(next);
                }
            }
        }
        states
    }
}
