//! Coverage as files that other programs read: lcov, llvm-cov's JSON, Cobertura's XML, and a page for people.

use luthier::rows::Section;
use serde_json::{Value, json};
use std::{collections::BTreeMap, fmt::Write};

/// One source file.
#[derive(Default)]
pub(crate) struct File {
    /// Lanes by line.
    pub lines: BTreeMap<u32, u64>,
    /// By name: line of its first instruction, and lanes that entered it.
    pub functions: BTreeMap<String, (u32, u64)>,
    /// By line and number there: lanes for which the condition held, and for which it did not.
    pub branches: BTreeMap<(u32, u32), (u64, u64)>,
}

pub(crate) struct Report(BTreeMap<String, File>);

/// Found and hit.
#[derive(Clone, Copy, Default)]
struct Ratio {
    found: usize,
    hit: usize,
}

impl Ratio {
    fn count(hits: impl Iterator<Item = bool>) -> Ratio {
        hits.fold(Ratio::default(), |sum, hit| Ratio {
            found: sum.found + 1,
            hit: sum.hit + usize::from(hit),
        })
    }

    fn percent(self) -> f64 {
        match self.found {
            0 => 100.0,
            found => self.hit as f64 * 100.0 / found as f64,
        }
    }

    fn json(self) -> Value {
        json!({ "count": self.found, "covered": self.hit, "notcovered": self.found - self.hit, "percent": self.percent() })
    }
}

impl std::iter::Sum for Ratio {
    fn sum<I: Iterator<Item = Ratio>>(shares: I) -> Ratio {
        shares.fold(Ratio::default(), |a, b| Ratio {
            found: a.found + b.found,
            hit: a.hit + b.hit,
        })
    }
}

impl File {
    fn line_share(&self) -> Ratio {
        Ratio::count(self.lines.values().map(|lanes| *lanes != 0))
    }

    fn function_share(&self) -> Ratio {
        Ratio::count(self.functions.values().map(|(_, lanes)| *lanes != 0))
    }

    fn branch_share(&self) -> Ratio {
        let ways = self.branches.values().flat_map(|(yes, no)| [*yes, *no]);
        Ratio::count(ways.map(|lanes| lanes != 0))
    }

    fn summary(&self) -> Value {
        json!({
            "lines": self.line_share().json(), "functions": self.function_share().json(),
            "branches": self.branch_share().json(), "regions": self.line_share().json(),
        })
    }
}

impl Report {
    pub fn new(mut files: BTreeMap<String, File>) -> Report {
        files.retain(|name, _| !name.is_empty());
        Report(files)
    }

    /// Name and content of what is written.
    pub fn files(&self) -> [(&'static str, String); 4] {
        [
            ("coverage.lcov", self.lcov()),
            ("coverage.json", self.json().to_string()),
            ("coverage.xml", self.cobertura()),
            ("coverage.html", self.html()),
        ]
    }

    /// A line per file, for people; those with the most lines that nothing executed are the most important.
    pub fn table(&self) -> Section {
        let head = format!("{:>8} {:>13} {:>13}  file", "lines", "of", "branches");
        let rows = self.0.iter().map(|(name, file)| {
            let (lines, branches) = (file.line_share(), file.branch_share());
            let ways = format!("{}/{}", branches.hit, branches.found);
            let counts = format!("{}/{}", lines.hit, lines.found);
            let text = format!("{:>6.1} % {counts:>13} {ways:>13}  {name}", lines.percent());
            ((lines.found - lines.hit) as f64, text)
        });
        Section {
            head,
            rows: rows.collect(),
        }
    }

    pub fn lcov(&self) -> String {
        let mut out = String::from("TN:\n");
        for (name, file) in &self.0 {
            let _ = writeln!(out, "SF:{name}");
            for (function, (line, _)) in &file.functions {
                let _ = writeln!(out, "FN:{line},{function}");
            }
            for (function, (_, lanes)) in &file.functions {
                let _ = writeln!(out, "FNDA:{lanes},{function}");
            }
            let functions = file.function_share();
            let _ = writeln!(out, "FNF:{}\nFNH:{}", functions.found, functions.hit);
            for ((line, number), (yes, no)) in &file.branches {
                for (way, lanes) in [(0, yes), (1, no)] {
                    let _ = writeln!(out, "BRDA:{line},{number},{way},{lanes}");
                }
            }
            let branches = file.branch_share();
            let _ = writeln!(out, "BRF:{}\nBRH:{}", branches.found, branches.hit);
            for (line, lanes) in &file.lines {
                let _ = writeln!(out, "DA:{line},{lanes}");
            }
            let lines = file.line_share();
            let _ = writeln!(out, "LF:{}\nLH:{}\nend_of_record", lines.found, lines.hit);
        }
        out
    }

    /// As `llvm-cov export` writes it; each line is a region of its own.
    pub fn json(&self) -> Value {
        let files = self.0.iter().map(|(name, file)| {
            let mut segments = Vec::new();
            for (line, lanes) in &file.lines {
                segments.push(json!([line, 1, lanes, true, true, false]));
                if !file.lines.contains_key(&(line + 1)) {
                    segments.push(json!([line + 1, 1, 0, false, false, false]));
                }
            }
            let branches = file.branches.iter();
            let branches = branches.map(|((line, _), (yes, no))| json!([line, 1, line, 1, yes, no, 0, 0, 4]));
            json!({
                "filename": name, "segments": segments, "branches": branches.collect::<Value>(), "expansions": [],
                "summary": file.summary(),
            })
        });
        let functions = self.0.iter().flat_map(|(name, file)| {
            file.functions.iter().map(move |(function, (line, lanes))| {
                json!({ "name": function, "count": lanes, "filenames": [name], "regions": [[line, 1, line, 1, lanes, 0, 0, 0]], "branches": [] })
            })
        });
        let totals = |share: fn(&File) -> Ratio| self.0.values().map(share).sum::<Ratio>().json();
        json!({
            "type": "llvm.coverage.json.export", "version": "2.0.1",
            "data": [{
                "files": files.collect::<Value>(), "functions": functions.collect::<Value>(),
                "totals": { "lines": totals(File::line_share), "functions": totals(File::function_share),
                            "branches": totals(File::branch_share), "regions": totals(File::line_share) },
            }],
        })
    }

    pub fn cobertura(&self) -> String {
        let lines: Ratio = self.0.values().map(File::line_share).sum();
        let branches: Ratio = self.0.values().map(File::branch_share).sum();
        let rate = |share: Ratio| share.percent() / 100.0;
        let mut out = format!(
            "<?xml version=\"1.0\" ?>\n<!DOCTYPE coverage SYSTEM \"http://cobertura.sourceforge.net/xml/coverage-04.dtd\">\n\
             <coverage line-rate=\"{:.4}\" branch-rate=\"{:.4}\" lines-covered=\"{}\" lines-valid=\"{}\" branches-covered=\"{}\" \
             branches-valid=\"{}\" complexity=\"0\" timestamp=\"0\" version=\"luthier\">\n<sources><source>/</source></sources>\n\
             <packages><package name=\"device\" line-rate=\"{:.4}\" branch-rate=\"{:.4}\" complexity=\"0\"><classes>\n",
            rate(lines),
            rate(branches),
            lines.hit,
            lines.found,
            branches.hit,
            branches.found,
            rate(lines),
            rate(branches)
        );
        for (name, file) in &self.0 {
            let shown = outputs::html(name);
            let _ = writeln!(
                out,
                "<class name=\"{shown}\" filename=\"{shown}\" line-rate=\"{:.4}\" branch-rate=\"{:.4}\" complexity=\"0\"><methods/><lines>",
                rate(file.line_share()),
                rate(file.branch_share())
            );
            for (line, lanes) in &file.lines {
                let ways = file
                    .branches
                    .range((*line, 0)..(line + 1, 0))
                    .flat_map(|(_, (yes, no))| [*yes != 0, *no != 0]);
                let ways = Ratio::count(ways);
                let _ = match ways.found {
                    0 => writeln!(
                        out,
                        "<line number=\"{line}\" hits=\"{lanes}\" branch=\"false\"/>"
                    ),
                    found => writeln!(
                        out,
                        "<line number=\"{line}\" hits=\"{lanes}\" branch=\"true\" condition-coverage=\"{:.0}% ({}/{found})\"/>",
                        ways.percent(),
                        ways.hit
                    ),
                };
            }
            out.push_str("</lines></class>\n");
        }
        out.push_str("</classes></package></packages>\n</coverage>\n");
        out
    }

    /// Sources that can be read, with the lanes of every line.
    pub fn html(&self) -> String {
        let mut out = String::from(
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Coverage of device code</title>\n<style>\n\
             body { font-family: sans-serif } pre { line-height: 1.3 } .hit { background: #e3f4e1 } .miss { background: #fbdcdc }\n\
             .part { background: #fdf3d0 } .count { color: #666 }\n</style></head><body>\n<h1>Coverage of device code</h1>\n\
             <table><tr><th>file</th><th>lines</th><th>branches</th></tr>\n",
        );
        for (number, (name, file)) in self.0.iter().enumerate() {
            let (lines, branches) = (file.line_share(), file.branch_share());
            let _ = writeln!(
                out,
                "<tr><td><a href=\"#f{number}\">{}</a></td><td>{:.1} % ({}/{})</td><td>{}/{}</td></tr>",
                outputs::html(name),
                lines.percent(),
                lines.hit,
                lines.found,
                branches.hit,
                branches.found
            );
        }
        out.push_str("</table>\n");
        for (number, (name, file)) in self.0.iter().enumerate() {
            let _ = writeln!(
                out,
                "<h2 id=\"f{number}\">{}</h2>\n<pre>",
                outputs::html(name)
            );
            let text = std::fs::read(name).unwrap_or_default();
            let text = String::from_utf8_lossy(&text);
            let mut source = text.lines();
            let last = file
                .lines
                .keys()
                .next_back()
                .copied()
                .unwrap_or(0)
                .max(text.lines().count() as u32);
            for line in 1..=last {
                let code = source.next().unwrap_or_default();
                let mut ways = file.branches.range((line, 0)..(line + 1, 0));
                let class = match file.lines.get(&line) {
                    None => "",
                    Some(0) => "miss",
                    Some(_) if ways.any(|(_, (yes, no))| *yes == 0 || *no == 0) => "part",
                    Some(_) => "hit",
                };
                let lanes = file
                    .lines
                    .get(&line)
                    .map(u64::to_string)
                    .unwrap_or_default();
                let _ = writeln!(
                    out,
                    "<span class=\"{class}\">{line:>6} <span class=\"count\">{lanes:>12}</span> | {}</span>",
                    outputs::html(code)
                );
            }
            out.push_str("</pre>\n");
        }
        out.push_str("</body></html>\n");
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Report {
        let mut file = File::default();
        file.lines.extend([(3, 64), (4, 40), (6, 0)]);
        file.functions.insert("_Z1kPi".into(), (3, 64));
        file.branches.insert((4, 0), (40, 24));
        file.branches.insert((6, 0), (0, 0));
        Report::new([("/src/a<b>.hip".to_owned(), file)].into())
    }

    /// The format is that of lcov's geninfo(1).
    #[test]
    fn lcov_has_its_records() {
        let expected = "TN:\nSF:/src/a<b>.hip\nFN:3,_Z1kPi\nFNDA:64,_Z1kPi\nFNF:1\nFNH:1\nBRDA:4,0,0,40\nBRDA:4,0,1,24\nBRDA:6,0,0,0\n\
                        BRDA:6,0,1,0\nBRF:4\nBRH:2\nDA:3,64\nDA:4,40\nDA:6,0\nLF:3\nLH:2\nend_of_record\n";
        assert_eq!(example().lcov(), expected);
    }

    #[test]
    fn other_formats_say_the_same() {
        let report = example();
        let json = report.json();
        assert_eq!(json["data"][0]["totals"]["lines"]["covered"], 2);
        assert_eq!(
            json["data"][0]["files"][0]["segments"]
                .as_array()
                .unwrap()
                .len(),
            5
        );
        let xml = report.cobertura();
        assert!(
            xml.contains("lines-covered=\"2\" lines-valid=\"3\""),
            "{xml}"
        );
        assert!(
            xml.contains(
                "<line number=\"4\" hits=\"40\" branch=\"true\" condition-coverage=\"100% (2/2)\"/>"
            ),
            "{xml}"
        );
        assert!(xml.contains("a&lt;b&gt;.hip") && report.html().contains("class=\"miss\""));
    }
}
