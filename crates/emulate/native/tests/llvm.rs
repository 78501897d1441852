//! LLVM's assembler and disassembler, a second opinion on bytes.

use std::{
    io::Write,
    process::{Command, Stdio},
};

const PROGRAM: &str = "llvm-mc-22";

/// Returns `true` if the machine has them.
pub fn is_there() -> bool {
    prerequisite::program(PROGRAM, "llvm-22")
}

fn run(arguments: &[&str], input: &str) -> String {
    let mut child = Command::new(PROGRAM)
        .args([
            "--triple=x86_64",
            "--mattr=+avx512f,+avx512bw,+avx512dq,+avx512vl",
        ])
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("llvm-mc starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let text = input.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(text.as_bytes()));
    let output = child.wait_with_output().expect("llvm-mc ends");
    writer.join().expect("a thread").expect("llvm-mc reads");
    assert!(output.status.success(), "llvm-mc refuses\n{input}");
    String::from_utf8(output.stdout).expect("text")
}

/// The bytes of each line.
pub fn assemble(lines: &[String]) -> Vec<Vec<u8>> {
    let text = format!(".intel_syntax noprefix\n{}\n", lines.join("\n"));
    let shown = run(&["--show-encoding"], &text);
    let bytes = |line: &str| -> Option<Vec<u8>> {
        let (_, list) = line.split_once("encoding: [")?;
        let list = list.split(']').next()?.split(',');
        let byte = |byte: &str| u8::from_str_radix(byte.trim().trim_start_matches("0x"), 16);
        Some(list.map(|text| byte(text).expect("a byte")).collect())
    };
    let encoded: Vec<_> = shown.lines().filter_map(bytes).collect();
    assert_eq!(encoded.len(), lines.len(), "a line is no instruction");
    encoded
}

/// The instructions of `code`.
pub fn disassemble(code: &[u8]) -> Vec<String> {
    let hex: Vec<String> = code.iter().map(|byte| format!("{byte:#04x}")).collect();
    let text = run(&["--disassemble", "--output-asm-variant=1"], &hex.join(" "));
    let line = |line: &str| {
        let code = line.split('#').next().unwrap_or(line);
        code.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let is_code = |line: &String| !line.is_empty() && !line.starts_with('.');
    text.lines().map(line).filter(is_code).collect()
}
