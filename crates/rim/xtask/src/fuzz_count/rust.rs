//! Random Rust: enumerations, closures, iterators, traits, generic code, panics that are caught, and drops on their way.

use std::fmt::Write;

use super::Random;

const HEAD: &str = r#"use std::cell::Cell;
use std::collections::BTreeMap;
thread_local!(static SEEN: Cell<u32> = const { Cell::new(1) });
struct Guard(u32);
impl Drop for Guard {
    fn drop(&mut self) {
        SEEN.with(|seen| seen.set(seen.get().wrapping_mul(31).wrapping_add(self.0)));
    }
}
trait Shape {
    fn area(&self, n: u32) -> u32;
    fn twice(&self, n: u32) -> u32 { self.area(n).wrapping_mul(2) }
}
struct Square;
struct Ring { hole: u32 }
impl Shape for Square { fn area(&self, n: u32) -> u32 { n.wrapping_mul(n) } }
impl Shape for Ring {
    fn area(&self, n: u32) -> u32 { n.wrapping_mul(n).wrapping_sub(self.hole) }
    fn twice(&self, n: u32) -> u32 { self.area(n) ^ 5 }
}
fn shape(n: u32) -> Box<dyn Shape> { if n & 1 == 0 { Box::new(Square) } else { Box::new(Ring { hole: n }) } }
#[derive(Clone, Debug)]
enum Tree { Leaf(u32), Pair(Box<Tree>, Box<Tree>), Named(String, u32) }
fn tree(n: u32, depth: u32) -> Tree {
    match (depth, n % 3) {
        (0, _) | (_, 0) => Tree::Leaf(n),
        (_, 1) => Tree::Named(format!("{n}"), n),
        _ => Tree::Pair(Box::new(tree(n / 2, depth - 1)), Box::new(tree(n / 3 + 1, depth - 1))),
    }
}
fn sum(tree: &Tree) -> u32 {
    match tree {
        Tree::Leaf(n) => *n,
        Tree::Named(name, n) => n.wrapping_add(name.len() as u32),
        Tree::Pair(left, right) => sum(left).wrapping_mul(3).wrapping_add(sum(right)),
    }
}
fn generic<T: Copy + Into<u64>>(values: &[T]) -> u32 { values.iter().map(|v| (*v).into()).fold(7u64, |a, v| a.wrapping_mul(31).wrapping_add(v)) as u32 }
fn parse(n: u32) -> Result<u32, String> {
    let text = format!("{}", n % 1000);
    let value: u32 = text.parse().map_err(|_| "no".to_string())?;
    if value % 7 == 3 { Err(text) } else { Ok(value) }
}
"#;

fn statement(random: &mut Random, function: u64, depth: u32, out: &mut String) {
    let n = random.below(9) + 1;
    let value = random.pick(&[
        "a",
        "b",
        "a.wrapping_mul(7) ^ b",
        "b >> 3",
        "list.len() as u32",
    ]);
    let kinds = if depth >= 2 { 11 } else { 15 };
    let text = match random.below(kinds) {
        0 => format!("list.push({value});"),
        1 => format!("a = a.wrapping_add(list.iter().map(|x| x % {n}).filter(|x| x & 1 == 0).sum::<u32>());"),
        2 => format!("b ^= shape({value}).twice(a % 50);"),
        3 => format!("b = b.wrapping_add(sum(&tree({value} % 500, {n})));"),
        4 => format!("a ^= generic(&list[..]).wrapping_add(generic(&[{n}u8, 3, 9]));"),
        5 => format!("match parse({value}) {{ Ok(v) => a = a.wrapping_add(v), Err(text) => b ^= text.len() as u32 }}"),
        6 => "{ let mut map = BTreeMap::new(); for (i, x) in list.iter().enumerate() { *map.entry(x % 5).or_insert(0u32) += i as u32; } for (k, v) in &map { b = b.wrapping_add(k * v); } }".to_owned(),
        7 => format!("{{ let k = {value}; let f = move |x: u32| x.rotate_left({n}) ^ k; a = f(a).wrapping_add(f(b)); }}"),
        8 => "list.sort_unstable(); list.dedup(); if list.len() > 12 { list.truncate(5); }".to_owned(),
        9 => format!("if let Ok(v) = std::panic::catch_unwind(|| {{ let _guard = Guard({n}); let items = [1u32, 2, 3]; items[({value} % 5) as usize] }}) {{ a = a.wrapping_add(v); }}").replace("list.len() as u32", "a"),
        10 if function > 0 => format!("a = a.wrapping_add(f{}({value}, b));", random.below(function)),
        10 => "a = a.wrapping_mul(3) + (a == 1) as u32;".to_owned(),
        11 | 12 => {
            let _ = writeln!(out, "    for i{depth} in 0..{}u32 {{ let _guard = Guard(i{depth});", n + 2);
            statements(random, function, depth + 1, out);
            let _ = writeln!(out, "    if a % 11 == 5 {{ {} }} }}", random.pick(&["break", "continue", "b ^= 1"]));
            return;
        }
        13 => {
            let _ = writeln!(out, "    match {value} % 5 {{ 0 => a = a.wrapping_add(3), 1 | 2 => {{");
            statements(random, function, depth + 1, out);
            let _ = writeln!(out, "    }} x if x > b => b ^= x, _ => a = !a }}");
            return;
        }
        _ => {
            let _ = writeln!(out, "    if {value} % {n} < {} {{", random.below(n + 1));
            statements(random, function, depth + 1, out);
            let _ = writeln!(out, "    }} else {{ let guard = Guard(a); b ^= guard.0; }}");
            return;
        }
    };
    let _ = writeln!(out, "    {text}");
}

fn statements(random: &mut Random, function: u64, depth: u32, out: &mut String) {
    for _ in 0..random.below(3) + 1 {
        statement(random, function, depth, out);
    }
}

/// A program that ends and prints what it has computed.
pub fn program(random: &mut Random) -> String {
    let mut out = HEAD.to_owned();
    let functions = random.below(4) + 2;
    for function in 0..functions {
        let kind = random.pick(&["", "#[inline(never)] ", "#[inline] "]);
        let _ = writeln!(
            out,
            "{kind}fn f{function}(mut a: u32, mut b: u32) -> u32 {{\n    let mut list = vec![a, b];"
        );
        statements(random, function, 0, &mut out);
        out.push_str("    a.wrapping_add(b.wrapping_mul(3)).wrapping_add(list.len() as u32)\n}\n");
    }
    out.push_str("fn main() {\n    std::panic::set_hook(Box::new(|_| {}));\n    let mut sum = 0u32;\n    for i in 0..5u32 {\n");
    for function in 0..functions {
        let _ = writeln!(
            out,
            "        sum = sum.wrapping_mul(31).wrapping_add(f{function}(i, sum & 255));"
        );
    }
    out.push_str("    }\n    println!(\"{sum} {}\", SEEN.with(|seen| seen.get()));\n}\n");
    out
}
