//! The declarations of `cxx/mc.h`, in the same order.

use std::ffi::{c_char, c_int, c_void};

#[repr(C)]
pub struct Mc {
    _opaque: [u8; 0],
}

pub type Sink = unsafe extern "C" fn(user: *mut c_void, bytes: *const c_char, length: usize);
pub type DiagnosticSink = unsafe extern "C" fn(
    user: *mut c_void,
    severity: u32,
    line: u32,
    column: u32,
    message: *const c_char,
    length: usize,
);

pub const SEVERITY_ERROR: u32 = 0;
pub const SEVERITY_WARNING: u32 = 1;

pub const OPERAND_REGISTER: u32 = 0;
pub const OPERAND_IMMEDIATE: u32 = 1;
pub const OPERAND_LITERAL: u32 = 2;

pub const MAX_OPERANDS: usize = 48;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct McOperand {
    pub value: i64,
    pub kind: u32,
    pub reserved: u32,
}

#[repr(C)]
pub struct McInst {
    pub opcode: u32,
    pub size: u32,
    pub operand_count: u32,
    pub reserved: u32,
    pub operands: [McOperand; MAX_OPERANDS],
}

#[repr(C)]
pub struct OpcodeInfo {
    pub name: *const c_char,
    pub name_length: usize,
    pub flags: u64,
    pub definitions: u32,
    pub operands: u32,
    pub implicit_definitions: u32,
    pub implicit_uses: u32,
    pub encoding_size: u32,
    pub reserved: u32,
}

#[repr(C)]
pub struct RegisterInfo {
    pub name: *const c_char,
    pub name_length: usize,
    pub encoding: u32,
    pub units: u32,
}

const _: () =
    assert!(size_of::<McOperand>() == 16 && size_of::<McInst>() == 16 + 16 * MAX_OPERANDS);
const _: () = assert!(size_of::<OpcodeInfo>() == 48 && size_of::<RegisterInfo>() == 24);

unsafe extern "C" {
    pub fn luthier_mc_create(
        cpu: *const c_char,
        cpu_length: usize,
        features: *const c_char,
        features_length: usize,
        error: Sink,
        user: *mut c_void,
    ) -> *mut Mc;
    pub fn luthier_mc_destroy(mc: *mut Mc);
    pub fn luthier_mc_made() -> u64;
    pub fn luthier_mc_opcode_count(mc: *const Mc) -> u32;
    pub fn luthier_mc_register_count(mc: *const Mc) -> u32;
    pub fn luthier_mc_opcode(mc: *const Mc, opcode: u32, out: *mut OpcodeInfo) -> c_int;
    pub fn luthier_mc_register(mc: *const Mc, reg: u32, out: *mut RegisterInfo) -> c_int;
    pub fn luthier_mc_implicit(mc: *const Mc, opcode: u32, definitions: c_int, index: u32) -> u32;
    pub fn luthier_mc_operand_is_pc_relative(mc: *const Mc, opcode: u32, index: u32) -> c_int;
    pub fn luthier_mc_operand_is_modifier(mc: *const Mc, opcode: u32, index: u32) -> c_int;
    pub fn luthier_mc_operand_tied_to(mc: *const Mc, opcode: u32, index: u32) -> c_int;
    pub fn luthier_mc_decode(
        mc: *mut Mc,
        bytes: *const u8,
        length: usize,
        pc: u64,
        out: *mut McInst,
    ) -> c_int;
    pub fn luthier_mc_print(
        mc: *mut Mc,
        bytes: *const u8,
        length: usize,
        pc: u64,
        text: Sink,
        user: *mut c_void,
    ) -> c_int;
    pub fn luthier_mc_reencode(
        mc: *mut Mc,
        bytes: *const u8,
        length: usize,
        pc: u64,
        encoding: Sink,
        user: *mut c_void,
    ) -> c_int;
    pub fn luthier_mc_assemble(
        cpu: *const c_char,
        cpu_length: usize,
        features: *const c_char,
        features_length: usize,
        text: *const c_char,
        text_length: usize,
        object: Sink,
        diagnostic: DiagnosticSink,
        user: *mut c_void,
    ) -> c_int;
}
