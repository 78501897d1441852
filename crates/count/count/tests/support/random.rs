//! Random C programs that end.

use std::fmt::Write;

/// A generator of pseudo-random numbers (xorshift), so that a seed names a program.
pub struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % limit
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len() as u64) as usize]
    }
}

/// Writes functions that call only those before them, with loops that end; and some that call each other as long as there
/// is fuel, and others seldom.
struct Writer {
    random: Random,
    prototypes: String,
    text: String,
    function: usize,
    loops: usize,
    depth: usize,
}

impl Writer {
    fn line(&mut self, text: &str) {
        let indent = "  ".repeat(self.depth + 1);
        writeln!(self.text, "{indent}{text}").unwrap();
    }

    fn value(&mut self) -> String {
        match self.random.below(5) {
            0 => self.random.below(100).to_string(),
            1 => "a".into(),
            2 => "b".into(),
            3 => "data[(a ^ b) & 63]".into(),
            _ => "(a * 31 + b)".into(),
        }
    }

    fn condition(&mut self) -> String {
        let one = |writer: &mut Writer| {
            let (left, operator) = (writer.value(), writer.random.pick(&["<", "!=", ">"]));
            format!("{left} % 17 {operator} {}", writer.random.below(17))
        };
        let first = one(self);
        match self.random.below(3) {
            0 => first,
            1 => format!("{first} && {}", one(self)),
            _ => format!("{first} || {}", one(self)),
        }
    }

    fn call(&mut self) -> String {
        if self.function == 0 {
            return "(a >> 3)".into();
        }
        let mut callee = self.random.below(self.function as u64);
        let (first, second) = (self.value(), self.value());
        if is_recursive(self.function) && self.random.below(8) > 0 {
            callee = self.random.below(RECURSIVE) * EVERY + 1;
            return format!("f{callee}({first}, {second})");
        }
        match self.random.below(6) {
            0 => format!("table[{callee}]({first}, {second})"),
            1 => "(unsigned)strlen(names[a & 3])".into(),
            _ => format!("f{callee}({first}, {second})"),
        }
    }

    fn statement(&mut self) {
        // (Loops in loops in callees: keep the product small.)
        let kinds = if self.depth >= 3 { 4 } else { 9 };
        match self.random.below(kinds) {
            0 => {
                let value = self.value();
                self.line(&format!("b = b * 5 + {value};"));
            }
            1 => {
                let (condition, value) = (self.condition(), self.value());
                self.line(&format!("a += {condition} ? {value} : 3;"));
            }
            2 => {
                let call = self.call();
                self.line(&format!("b ^= {call};"));
            }
            3 => {
                let value = self.value();
                self.line(&format!("data[b & 63] = {value};"));
            }
            4 | 5 => {
                let condition = self.condition();
                self.line(&format!("if ({condition}) {{"));
                self.block();
                if self.random.below(2) == 0 {
                    self.line("} else {");
                    self.block();
                }
                if self.random.below(6) == 0 {
                    self.line("  return a;");
                }
                self.line("}");
            }
            6 => {
                self.line("switch (a % 5) {");
                for case in 0..3 {
                    self.line(&format!("case {case}:"));
                    self.block();
                    if self.random.below(3) > 0 {
                        self.line("  break;");
                    }
                }
                self.line("}");
            }
            _ if self.loops < 2 => self.repetition(),
            _ => self.line("a ^= b >> 5;"),
        }
    }

    fn repetition(&mut self) {
        self.loops += 1;
        let (counter, times) = (format!("i{}", self.loops), 2 + self.random.below(12));
        match self.random.below(3) {
            0 => self.line(&format!(
                "for (unsigned {counter} = 0; {counter} < {times}; {counter}++) {{"
            )),
            1 => self.line(&format!(
                "for (unsigned {counter} = 0, n = b % {times}; {counter} < n; {counter}++) {{"
            )),
            _ => self.line(&format!(
                "for (unsigned {counter} = b % 97 + 1; {counter} != 1 && {counter} < 400; {counter} = {counter} & 1 ? \
                 {counter} * 3 + 1 : {counter} >> 1) {{"
            )),
        }
        self.line(&format!("  a += {counter};"));
        self.block();
        if self.random.below(3) == 0 {
            let condition = self.condition();
            self.line(&format!("  if ({condition}) break;"));
        }
        self.line("}");
    }

    fn block(&mut self) {
        self.depth += 1;
        for _ in 0..1 + self.random.below(2) {
            self.statement();
        }
        self.depth -= 1;
    }

    fn function(&mut self) {
        self.loops = 0;
        let kind = self.random.pick(&[
            "static ",
            "static __attribute__((noinline)) ",
            "__attribute__((noinline)) ",
        ]);
        let index = self.function;
        let head = format!("{kind}unsigned f{index}(unsigned a, unsigned b)");
        writeln!(self.prototypes, "{head};").unwrap();
        writeln!(self.text, "{head} {{").unwrap();
        if is_recursive(index) {
            self.line("if (fuel == 0) return a + b;");
            self.line("fuel--;");
            for variable in ["b", "a"] {
                let call = self.call();
                self.line(&format!("{variable} ^= {call} >> 1;"));
            }
        }
        for _ in 0..1 + self.random.below(4) {
            self.statement();
        }
        self.line("return a ^ b;");
        self.text.push_str("}\n");
        self.function += 1;
    }
}

const FUNCTIONS: usize = 14;
/// In each group of this many functions, the second is recursive.
const EVERY: u64 = 3;
const RECURSIVE: u64 = FUNCTIONS as u64 / EVERY;

fn is_recursive(function: usize) -> bool {
    function as u64 % EVERY == 1
}

/// Declarations and functions.
pub fn functions(seed: u64) -> String {
    let mut writer = Writer {
        random: Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1),
        prototypes: "#include <stdio.h>\n#include <string.h>\n\
            static unsigned fuel, data[64];\nstatic const char *const names[] = {\"a\", \"bcd\", \"\", \"efghij\"};\n\
            static unsigned (*volatile table[16])(unsigned, unsigned);\n"
            .into(),
        text: String::new(),
        function: 0,
        loops: 0,
        depth: 0,
    };
    for _ in 0..FUNCTIONS {
        writer.function();
    }
    writer.prototypes + &writer.text
}

/// Statements that call all functions, and make `sum` of what they return.
pub fn calls() -> String {
    let mut text = String::from("  unsigned sum = 1;\n");
    for index in 0..FUNCTIONS {
        writeln!(text, "  table[{index}] = f{index};").unwrap();
    }
    text.push_str("  for (unsigned round = 0; round < 3; round++) {\n");
    for index in 0..FUNCTIONS {
        writeln!(
            text,
            "    fuel = 60, sum = sum * 31 + f{index}(sum, round);"
        )
        .unwrap();
    }
    text + "  }\n"
}
