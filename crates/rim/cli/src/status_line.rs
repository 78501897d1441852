//! A line at the bottom of the terminal, under all that other processes write there.
//!
//! The terminal scrolls what they write above the line (its "scrolling region"), and the cursor always goes back to where they left it:
//! nothing of theirs is written over, not even half a line.

use std::{
    fmt::Write as _,
    io::{IsTerminal, Write as _, stderr},
};

use console::Term;

/// With fewer rows there is no room for it.
const LEAST: u16 = 4;
const SAVE: &str = "\x1b7";
const RESTORE: &str = "\x1b8";
const WHOLE: &str = "\x1b[r";

/// Returns `true` if standard error is a terminal that can do this.
pub fn is_seen() -> bool {
    stderr().is_terminal() && !console::is_dumb()
}

/// The line, until this is dropped.
#[derive(Default)]
pub struct StatusLine {
    /// Rows of the terminal when the last of them was set apart.
    rows: Option<u16>,
}

impl StatusLine {
    /// Shows one line of text, as much of it as there is room for.
    pub fn show(&mut self, text: &str) {
        let Some((rows, columns)) = Term::stderr().size_checked() else {
            return;
        };
        write(&self.drawn(text, rows, columns));
    }

    fn drawn(&mut self, text: &str, rows: u16, columns: u16) -> String {
        let mut drawn = String::new();
        if self.rows.is_some_and(|before| before != rows) {
            drawn += &self.taken_back();
        }
        if rows < LEAST {
            return drawn;
        }
        if self.rows.is_none() {
            // The cursor may be in the last row: one line on and back again keeps its column.
            let last = rows - 1;
            let _ = write!(drawn, "\x0b\x1b[A{SAVE}\x1b[1;{last}r{RESTORE}");
            self.rows = Some(rows);
        }
        let text = console::truncate_str(text, columns.into(), "…");
        let _ = write!(drawn, "{SAVE}\x1b[{rows};1H\x1b[2K{text}{RESTORE}");
        drawn
    }

    /// The whole terminal is the others' again.
    fn taken_back(&mut self) -> String {
        match self.rows.take() {
            Some(rows) => format!("{SAVE}{WHOLE}\x1b[{rows};1H\x1b[2K{RESTORE}"),
            None => String::new(),
        }
    }
}

impl Drop for StatusLine {
    fn drop(&mut self) {
        write(&self.taken_back());
    }
}

/// One write, so that no other output comes between. If it fails, nothing is lost.
fn write(text: &str) {
    let _ = stderr().write_all(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rows that a terminal shows, and the place of its cursor.
    fn screen(parser: &vt100::Parser) -> (Vec<String>, (u16, u16)) {
        let columns = parser.screen().size().1;
        let rows = parser.screen().rows(0, columns);
        let rows = rows.map(|row| row.trim_end().to_owned()).collect();
        (rows, parser.screen().cursor_position())
    }

    #[test]
    fn what_others_write_stays_above_the_line() {
        let mut terminal = vt100::Parser::new(5, 20, 0);
        let mut line = StatusLine::default();
        terminal.process(b"one\r\ntwo\r\nthree\r\nfour\r\nfive ");
        terminal.process(line.drawn("1 s, 1 kernel, 7 launches", 5, 20).as_bytes());
        let full = ["two", "three", "four", "five", "1 s, 1 kernel, 7 la…"];
        assert_eq!(
            screen(&terminal),
            (full.map(str::to_owned).to_vec(), (3, 5))
        );
        // Half a line goes on where it was.
        terminal.process(b"and a half\r\nsix");
        terminal.process(line.drawn("2 s", 5, 20).as_bytes());
        let scrolled = ["three", "four", "five and a half", "six", "2 s"];
        assert_eq!(
            screen(&terminal),
            (scrolled.map(str::to_owned).to_vec(), (3, 3))
        );
        terminal.process(line.taken_back().as_bytes());
        terminal.process(b" seven\r\neight");
        let ended = ["three", "four", "five and a half", "six seven", "eight"];
        assert_eq!(
            screen(&terminal),
            (ended.map(str::to_owned).to_vec(), (4, 5))
        );
    }

    #[test]
    fn it_moves_with_the_size_and_goes_where_there_is_no_room() {
        let mut terminal = vt100::Parser::new(6, 20, 0);
        let mut line = StatusLine::default();
        terminal.process(line.drawn("1 s", 6, 20).as_bytes());
        terminal.process(b"one\r\ntwo");
        terminal.screen_mut().set_size(8, 20);
        terminal.process(line.drawn("2 s", 8, 20).as_bytes());
        let larger = ["one", "two", "", "", "", "", "", "2 s"];
        assert_eq!(screen(&terminal).0, larger);
        terminal.process(line.drawn("3 s", 3, 20).as_bytes());
        assert_eq!(line.drawn("4 s", 3, 20), "");
        assert_eq!(screen(&terminal).0, ["one", "two", "", "", "", "", "", ""]);
        assert_eq!(line.taken_back(), "");
    }
}
