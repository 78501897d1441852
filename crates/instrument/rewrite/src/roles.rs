//! The roles of instructions in the rules of hazards: of the original's, of templates', of those that we emit.

use crate::Refusal;
use crate::encode::Encodings;
use crate::instruction::{Instruction, Op, SourceOperand};
use gfx::Target;
use hazard::{Node, RULES, Rule, Unit};
use isa::{Decoded, Decoder, Effects, Inst};
use lift::WordHash;
use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use template::Template;

/// The roles of an instruction in the rules, one bit per rule.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Role {
    pub produces: u64,
    pub consumes: u64,
    pub states: u32,
    /// VALU or matrix.
    pub vector: bool,
    pub branches: bool,
}

impl Role {
    /// How far the instruction takes one away from a rule's other.
    pub fn pass(&self, rule: &Rule) -> u32 {
        match rule.unit {
            Unit::States => self.states,
            Unit::Vector => u32::from(self.vector),
            Unit::Until(..) | Unit::AcrossBranch(..) => 0,
        }
    }
}

/// The words of an instruction, of which the first two tell most apart.
#[derive(PartialEq, Eq)]
struct InstWords([u32; 5]);

impl Hash for InstWords {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(u64::from(self.0[0]) | u64::from(self.0[1]) << 32);
    }
}

/// Instructions whose roles are remembered; then all are forgotten.
const MOST: usize = 1 << 18;

/// The roles of all instructions that were met, for one target and wave size.
pub(crate) struct Roles {
    target: &'static Target,
    wave_size: u8,
    pub rules: Vec<&'static Rule>,
    decoder: Decoder,
    originals: HashMap<InstWords, Role, WordHash>,
    templates: HashMap<Vec<u8>, Arc<[Role]>>,
    /// Roles by the kind of an instruction that we emit.
    ours: Vec<Role>,
    move_to_m0: Role,
}

impl Roles {
    /// The approximate number of instructions that are remembered.
    pub fn remembered(&self) -> usize {
        const OF_A_TEMPLATE: usize = 8;
        self.originals.len() + OF_A_TEMPLATE * self.templates.len()
    }

    /// For the target's code.
    pub fn decoder(&self) -> &Decoder {
        &self.decoder
    }

    pub fn new(codes: &Encodings) -> Result<Roles, Refusal> {
        let (target, wave_size) = (codes.target, codes.wave_size);
        let decoder = Decoder::with_features(target, wave_size, "");
        let decoder = decoder.map_err(|error| Refusal::Assembler {
            target: target.name.to_owned(),
            reason: error.to_string(),
        })?;
        let mut roles = Roles {
            target,
            wave_size,
            // The others ask for an instruction of some kind, which padding is not.
            rules: (RULES.iter())
                .filter(|rule| (rule.applies)(target) && rule.unit.is_distance())
                .collect(),
            decoder,
            originals: HashMap::default(),
            templates: HashMap::new(),
            ours: vec![Role::default(); Op::EndPadding as usize + 1],
            move_to_m0: Role::default(),
        };
        let of = |instruction: &Instruction| {
            let mut code = Vec::new();
            codes.encode(instruction, &mut code);
            roles.of_code(&code).first().copied().unwrap_or_default()
        };
        let ours: Vec<(Op, Role)> = codes
            .all()
            .map(|op| (op, of(&Instruction::fixed(op))))
            .collect();
        let zero = SourceOperand::Constant(0);
        roles.move_to_m0 = of(&Instruction::new(Op::SMovB32, codes.m0(), &[zero]));
        for (op, role) in ours {
            roles.ours[op as usize] = role;
        }
        Ok(roles)
    }

    /// The role of an instruction.
    fn role(&self, inst: Inst<&Decoded>) -> Role {
        let node = Node::new(inst, self.target, self.wave_size);
        let bits = |test: fn(&Rule) -> fn(&Node) -> bool| {
            let rules = self.rules.iter().enumerate();
            rules
                .filter(|(_, rule)| test(rule)(&node))
                .fold(0u64, |bits, (index, _)| bits | 1 << index)
        };
        Role {
            produces: bits(|rule| rule.producer),
            consumes: bits(|rule| rule.consumer),
            states: node.states,
            vector: node.is_valu() || node.is_matrix(),
            branches: inst.effects.contains(Effects::BRANCH),
        }
    }

    fn of_code(&self, code: &[u8]) -> Vec<Role> {
        let mut roles = Vec::with_capacity(code.len() / 4);
        let mut at = 0;
        while at < code.len() {
            let Ok(inst) = self.decoder.decode(&code[at..], at as u64) else {
                at += 4;
                continue;
            };
            roles.push(self.role(inst.by_reference()));
            at += usize::from(inst.size);
        }
        roles
    }

    /// The role of an instruction of the original.
    pub fn original(&mut self, inst: Inst<&Decoded>) -> Role {
        if self.originals.len() > MOST {
            self.originals.clear();
        }
        if let Some(role) = self.originals.get(&InstWords(inst.words)) {
            return *role;
        }
        let role = self.role(inst);
        self.originals.insert(InstWords(inst.words), role);
        role
    }

    /// The role of an instruction that we emit. No rule asks for general registers alone, so operands do not matter otherwise.
    pub fn ours(&self, instruction: &Instruction, codes: &Encodings) -> Role {
        let role = self.ours[instruction.op as usize];
        match (instruction.op, instruction.sources[0]) {
            (Op::SMovB32, _) if instruction.to == codes.m0() => self.move_to_m0,
            (Op::SNop, SourceOperand::Constant(more)) => Role {
                states: more + 1,
                ..role
            },
            _ => role,
        }
    }

    /// The roles of a template's instructions as it was compiled: binding changes general registers, which no rule asks for alone.
    pub fn template(&mut self, template: &Template) -> Arc<[Role]> {
        let tail = template.droppable_tail as usize;
        let code = &template.code[..template.code.len().saturating_sub(tail)];
        if let Some(known) = self.templates.get(code) {
            return known.clone();
        }
        let roles: Arc<[Role]> = self.of_code(code).into();
        self.templates.insert(code.to_vec(), roles.clone());
        roles
    }
}
