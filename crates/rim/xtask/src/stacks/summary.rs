//! How many cases of a page were right.

use std::fmt;

#[derive(Debug, Default, PartialEq)]
pub struct Cases {
    pub right: usize,
    pub wrong: usize,
    pub left_out: usize,
}

impl Cases {
    /// Adds a command whose output the page shows. It is one case, unless it says itself how many it stands for.
    pub fn add(&mut self, printed: &str, is_right: bool) {
        let sums: Vec<Cases> = printed.lines().filter_map(sum).collect();
        match (is_right, sums.as_slice()) {
            (true, []) => self.right += 1,
            (false, []) => self.wrong += 1,
            (_, sums) => {
                for sum in sums {
                    self.right += sum.right;
                    self.wrong += sum.wrong;
                    self.left_out += sum.left_out;
                }
            }
        }
    }
}

impl fmt::Display for Cases {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Cases {
            right,
            wrong,
            left_out,
        } = self;
        write!(to, "{right} right, {wrong} wrong, {left_out} left out")
    }
}

/// `N right, M wrong`, and perhaps `, K left out`.
fn sum(line: &str) -> Option<Cases> {
    let mut parts = line.trim().split(", ");
    let mut number = |behind: &str| parts.next()?.strip_suffix(behind)?.parse().ok();
    let (right, wrong) = (number(" right")?, number(" wrong")?);
    let left_out = number(" left out").unwrap_or(0);
    Some(Cases {
        right,
        wrong,
        left_out,
    })
}

#[test]
fn a_command_is_a_case_or_says_how_many() {
    let mut cases = Cases::default();
    cases.add("hello", true);
    cases.add("hullo", false);
    cases.add(
        "add\n12 right, 3 wrong, 4 left out\n7 right, 0 wrong\n",
        true,
    );
    let expected = Cases {
        right: 20,
        wrong: 4,
        left_out: 4,
    };
    assert_eq!(cases, expected);
    assert_eq!(sum("all right, none wrong"), None);
}
