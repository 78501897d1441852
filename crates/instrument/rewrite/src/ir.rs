//! The parts of new code before it becomes bytes.

use crate::instruction::{Instruction, InstructionSink, Op};
use crate::{AddressHalf, Symbol};
use lift::{BlockIndex, FunctionIndex, InstIndex, RegisterSet};
use smallvec::SmallVec;
use template::{Binding, Template};

/// A place that branches go to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Label {
    /// A block of the original, with all that is inserted before its first instruction.
    Block(FunctionIndex, BlockIndex),
    /// Code of our own.
    Own(usize),
}

/// Number of an address in [`Code::addresses`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AddressIndex(pub u32);

/// The half of an address that a literal of our code becomes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    pub half: AddressHalf,
    pub of: Addressed,
    pub addend: i64,
}

/// The thing that has an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Addressed {
    Symbol(Symbol),
    /// A place in the new code. The layout knows its offset.
    Label(Label),
}

/// A template with the registers that it is bound to.
#[derive(Clone, Debug)]
pub(crate) struct BoundTemplate<'p> {
    pub template: &'p Template,
    /// Index in the plan's hooks, and where it is for errors.
    pub hook: usize,
    pub pc: u64,
    pub binding: Binding,
    /// The values that stand in place of the template's relocations, in their order.
    pub literals: Vec<Literal>,
}

/// The value of a literal of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Literal {
    /// Half of the address that the template's relocation names.
    Relocated,
    Number(u32),
    /// Half of the address of a tool's variable, by its number in the plan, plus so many bytes.
    Address(usize, AddressHalf, i64),
}

/// A piece of new code, or a place in it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Item<'p> {
    /// All that follows is of this function.
    Function(FunctionIndex),
    /// The function's code ends here.
    FunctionEnd,
    Label(Label),
    /// Islands may be put here.
    Gap,
    /// Instructions of the original, from one to before another, as they are. Before the first `clause` of them no islands may
    /// be put.
    Original {
        from: InstIndex,
        to: InstIndex,
        clause: u32,
    },
    /// Here comes what one instruction of the original has become, up to the next [`Item::ReplacedEnd`].
    Replaced(InstIndex),
    ReplacedEnd(InstIndex),
    /// One instruction of the original as it is.
    Copy(InstIndex),
    /// A direct branch or call of the original, with another displacement.
    Moved(u32, Label),
    /// Code is inserted at this address of the original.
    Inserted(u64),
    /// Machine code that the plan gives.
    Given(&'p [u8]),
    Ours(Instruction),
    /// A branch that we insert.
    Branch {
        op: Op,
        to: Label,
    },
    /// Index in [`Code::bound`].
    Template(u32),
    /// The code that is inserted at one place begins: index in [`Code::seams`].
    Enter(u32),
    /// It ends.
    Leave(u32),
    /// To be lowered: index in [`crate::Plan::insertions`] of a call, and in [`Code::spots`].
    Hook(u32, u32),
    /// To be lowered: everything that is kept in registers to memory, before the end of the program. Index in [`Code::spots`].
    Flush(u32),
}

// There are some for each place, so large kernels have millions.
const _: () = assert!(size_of::<Item<'_>>() <= 32);

/// A place between two instructions of the original.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SplicePoint {
    /// The instruction at which code is inserted.
    pub inst: InstIndex,
    /// The instruction behind the code.
    pub next: InstIndex,
    /// The place is before instruction `position` of this block, or behind its last.
    pub block: BlockIndex,
    pub position: usize,
}

/// The part of inserted code that a hazard can reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HazardScope {
    /// All of it.
    All,
    /// The template: nothing but scalar moves is around it.
    Template(u32),
    /// All of it, but only by rules that ask for no register: those it has the application does not know.
    NoRegister,
}

/// The seam between inserted code and the application's: the instructions that have to be between them.
#[derive(Clone, Debug)]
pub(crate) struct Seam {
    pub function: FunctionIndex,
    pub spot: SplicePoint,
    pub meets: HazardScope,
    /// Registers that the inserted code reads or writes and that the application may know of.
    pub registers: RegisterSet,
    /// In front of the code; the pass of waits finds them.
    pub waits: SmallVec<[Op; 4]>,
    /// The pass of hazards finds it.
    pub padding: Padding,
}

impl Seam {
    pub fn new(
        function: FunctionIndex,
        spot: SplicePoint,
        meets: HazardScope,
        registers: RegisterSet,
    ) -> Seam {
        Seam {
            function,
            spot,
            meets,
            registers,
            waits: SmallVec::new(),
            padding: Padding::default(),
        }
    }
}

/// No-operations in front of and behind inserted code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Padding {
    /// Wait states.
    pub entry: u32,
    pub exit: u32,
    /// A wait for all vector results, where wait states do not count.
    pub entry_vector: bool,
    pub exit_vector: bool,
    /// Instructions that end hazards which wait states do not end, at both ends.
    pub settles: &'static [Op],
}

/// New code, function by function.
#[derive(Clone, Debug, Default)]
pub(crate) struct Code<'p> {
    pub items: Vec<Item<'p>>,
    pub bound: Vec<BoundTemplate<'p>>,
    pub addresses: Vec<Address>,
    pub seams: Vec<Seam>,
    /// The places where something is to be lowered.
    pub spots: Vec<SplicePoint>,
    /// Labels of our own that were given out.
    pub labels: usize,
}

impl<'p> Code<'p> {
    pub fn push(&mut self, item: Item<'p>) {
        self.items.push(item);
    }

    pub fn new_label(&mut self) -> Label {
        self.labels += 1;
        Label::Own(self.labels - 1)
    }

    pub fn branch(&mut self, op: Op, to: Label) {
        self.push(Item::Branch { op, to });
    }

    /// A literal operand that becomes half of an address.
    pub fn address(&mut self, half: AddressHalf, symbol: Symbol, addend: i64) -> AddressIndex {
        self.half_of(half, Addressed::Symbol(symbol), addend)
    }

    /// A literal operand that becomes half of the address of a place in the new code.
    pub fn label_address(&mut self, half: AddressHalf, label: Label) -> AddressIndex {
        self.half_of(half, Addressed::Label(label), 0)
    }

    fn half_of(&mut self, half: AddressHalf, of: Addressed, addend: i64) -> AddressIndex {
        self.addresses.push(Address { half, of, addend });
        AddressIndex(self.addresses.len() as u32 - 1)
    }

    /// Appends a template; `hook` and `pc` are for errors. Says which it is of [`Code::bound`].
    pub fn bind(&mut self, bound: BoundTemplate<'p>) -> u32 {
        let index = self.bound.len() as u32;
        self.push(Item::Template(index));
        self.bound.push(bound);
        index
    }

    /// The number of a place at which something is to be lowered.
    pub fn spot(&mut self, spot: SplicePoint) -> u32 {
        self.spots.push(spot);
        self.spots.len() as u32 - 1
    }

    /// Begins what is inserted at one place; [`Code::leave`] ends it.
    pub fn enter(&mut self) -> u32 {
        let number = self.seams.len() as u32;
        self.push(Item::Enter(number));
        number
    }

    pub fn leave(&mut self, number: u32, seam: Seam) {
        debug_assert_eq!(number as usize, self.seams.len());
        self.seams.push(seam);
        self.push(Item::Leave(number));
    }
}

impl InstructionSink for Code<'_> {
    fn put(&mut self, instruction: Instruction) {
        self.push(Item::Ours(instruction));
    }
}
