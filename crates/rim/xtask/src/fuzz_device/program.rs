//! A program of Csmith as one that every lane of a wave runs with variables of its own.
//!
//! Csmith writes one global variable a line, `static TYPE NAME = VALUE;`. They become the fields of a structure, of which each lane has
//! one, and about half of the integers are changed by the lane's number, so that lanes diverge. The result of a lane is a hash of its
//! variables at the end.

use crate::fuzz_count::Random;
use anyhow::{Context, Result};
use std::fmt::Write as _;

/// Csmith's header without a C library and without its arithmetic (`safe_math.h`).
pub const HEADER: &str = "
#include <float.h>
#include <limits.h>
#include <stdint.h>
#define STATIC static
#define FUNC_NAME(name) safe_##name
#define UNDEFINED(value) (value)
#define LOG_INDEX
#define LOG_EXEC
#define fabsf __builtin_fabsf
#define fabs __builtin_fabs
#define printf(...) ((void)0)
#define platform_main_begin() ((void)0)
#define platform_main_end(value, flag) ((void)0)
#define crc32_gentab() ((void)0)
#define crc32_context 0
#define transparent_crc(value, name, flag) \\
    (hash = (hash ^ (uint64_t)(value)) * 0x9e3779b97f4a7c15u, hash ^= hash >> 29)
#define transparent_crc_bytes(from, size, name, flag) \\
    for (int at = 0; at < (size); at++) transparent_crc(((const unsigned char *)(from))[at], name, flag)
#include \"safe_math.h\"
";

/// Lanes that compute something.
pub const LANES: usize = 64;

const LANE_OF_EACH: &str = "
static struct globals all[LANES];
#ifdef __AMDGCN__
#define LANE __builtin_amdgcn_workitem_id_x()
#else
#undef printf
#include <stdio.h>
static int lane;
#define LANE lane
#endif
";

const ENTRIES: &str = "
#ifdef __AMDGCN__
__attribute__((amdgpu_kernel, visibility(\"protected\"))) void work(__attribute__((address_space(1))) uint64_t *out) {
    out[LANE] = hash_of(LANE);
}
#else
int main(void) {
    static uint64_t out[LANES];
    for (lane = 0; lane < LANES; lane++) out[lane] = hash_of(lane);
    return fwrite(out, sizeof out, 1, stdout) != 1;
}
#endif
";

/// One global variable of Csmith's.
struct Global<'a> {
    /// All before the value, without `static`.
    declaration: &'a str,
    name: &'a str,
    value: &'a str,
}

impl<'a> Global<'a> {
    fn parse(line: &'a str) -> Option<Global<'a>> {
        let (declaration, value) = line.strip_prefix("static ")?.split_once(" = ")?;
        let end = |c: char| !c.is_ascii_alphanumeric() && c != '_';
        let start = declaration.rfind("g_")?;
        let name = declaration[start..].split(end).next()?;
        Some(Global {
            declaration,
            name,
            value: value.strip_suffix(';')?,
        })
    }

    fn is_integer(&self) -> bool {
        let other = |what: &&str| self.declaration.contains(*what);
        !["*", "[", "struct", "union"].iter().any(other)
    }

    /// Statements that give it its value for a lane.
    fn start(&self, random: &mut Random) -> String {
        let (name, local) = (self.name, self.name.replacen("g_", "start_", 1));
        let declaration = self.declaration.replacen(name, &local, 1);
        let mut text = format!(
            "    {{ {declaration} = {}; __builtin_memcpy((void *)&{name}, (const void *)&{local}, sizeof {local}); }}\n",
            self.value
        );
        if self.is_integer() && random.below(2) == 0 {
            let factor = random.below(1 << 32) | 1;
            let change = random.pick(&[
                "number * FACTORu",
                "number * FACTORu >> 13",
                "(number & 1 ? FACTORu : 0)",
                "number % 7 == 3",
                "(uint64_t)(number * FACTORu) << 24",
            ]);
            let change = change.replace("FACTOR", &factor.to_string());
            let _ = writeln!(text, "    {name} ^= {change};");
        }
        text
    }
}

/// The program, for a host and for a GPU.
pub fn of_each_lane(csmith: &str, random: &mut Random) -> Result<String> {
    let globals: Vec<Global<'_>> = csmith.lines().filter_map(Global::parse).collect();
    let unused = "static long __undefined;";
    let rest = csmith
        .lines()
        .filter(|line| *line != unused && Global::parse(line).is_none());
    let text = rest.collect::<Vec<_>>().join("\n");
    // Types come before, functions behind.
    let functions = text.find("\nstatic ").context("Csmith wrote no function")?;
    let (types, functions) = text.split_at(functions);
    let types = types.replace("#include \"csmith.h\"", HEADER);
    let (functions, main) =
        (functions.split_once("int main (void)")).context("Csmith wrote no main")?;
    let mut made = format!("#define LANES {LANES}\n{types}\nstruct globals {{\n");
    for global in &globals {
        let _ = writeln!(made, "    {};", global.declaration);
    }
    made += "};\n";
    made += LANE_OF_EACH;
    for Global { name, .. } in &globals {
        let _ = writeln!(made, "#define {name} (all[LANE].{name})");
    }
    made += functions;
    made += "\nstatic __attribute__((noinline)) void start(uint32_t number) {\n";
    globals
        .iter()
        .for_each(|global| made += &global.start(random));
    made += "}\nstatic uint64_t hash_of(uint32_t number)";
    made += &main
        .replacen(
            "func_1();",
            "uint64_t hash = 7; start(number); func_1();",
            1,
        )
        .replacen("return 0;", "return hash;", 1);
    made += ENTRIES;
    Ok(made)
}
