//! The steps to run of a page.

/// A file to write, or commands to run.
#[derive(Debug, PartialEq)]
pub enum Step {
    File {
        line: usize,
        name: String,
        text: String,
    },
    Run {
        line: usize,
        script: String,
        /// The output that it must print, if the page shows it.
        output: Option<String>,
    },
}

impl Step {
    /// The line of the page, from 1.
    pub fn line(&self) -> usize {
        match self {
            Step::File { line, .. } | Step::Run { line, .. } => *line,
        }
    }
}

/// Languages of blocks that cannot be run.
const SHOWN: [&str; 6] = ["text", "yaml", "toml", "json", "rust", "python"];

/// The steps of a page, in its order; an error begins with its line.
pub fn steps(page: &str) -> Result<Vec<Step>, String> {
    let mut steps = Vec::new();
    let mut reason = false;
    let mut lines = page.lines().zip(1..);
    while let Some((text, line)) = lines.next() {
        if let Some(comment) = comment(text, "run") {
            steps.push(Step::Run {
                line,
                script: comment.to_owned(),
                output: None,
            });
        }
        let Some(language) = text.strip_prefix("```") else {
            reason = comment(text, "not run").is_some();
            continue;
        };
        let block: Vec<_> = lines
            .by_ref()
            .map(|(text, _)| text)
            .take_while(|text| !text.starts_with("```"))
            .collect();
        match language.split_once(" file=") {
            Some((_, name)) => steps.push(Step::File {
                line,
                name: name.to_owned(),
                text: block.join("\n") + "\n",
            }),
            None if reason || SHOWN.contains(&language) || language == "cpp" => {}
            None if language == "sh" => steps.push(Step::Run {
                line,
                script: block.join("\n"),
                output: None,
            }),
            None if language == "console" => steps.extend(session(line, &block)?),
            None => return Err(format!("{line}: a block of no language that is known here")),
        }
        reason = false;
    }
    Ok(steps)
}

/// The page's comments `<!-- WORD: TEXT -->` say, in its order.
pub fn notes<'a>(page: &'a str, word: &str) -> impl Iterator<Item = &'a str> {
    page.lines().filter_map(move |line| comment(line, word))
}

fn comment<'a>(line: &'a str, word: &str) -> Option<&'a str> {
    let inside = line.strip_prefix("<!-- ")?.strip_suffix(" -->")?;
    Some(inside.strip_prefix(word)?.strip_prefix(':')?.trim())
}

/// Commands after `$ `, each with what it prints.
fn session(line: usize, block: &[&str]) -> Result<Vec<Step>, String> {
    let mut steps = Vec::new();
    let mut printed: Vec<Vec<&str>> = Vec::new();
    for (text, line) in block.iter().zip(line + 1..) {
        if let Some(command) = text.strip_prefix("$ ") {
            printed.push(Vec::new());
            steps.push(Step::Run {
                line,
                script: command.to_owned(),
                output: None,
            });
        } else {
            let last = printed.last_mut();
            last.ok_or(format!("{line}: nothing was run that could print this"))?
                .push(text);
        }
    }
    for (step, printed) in steps.iter_mut().zip(printed) {
        if let (Step::Run { output, .. }, false) = (step, printed.is_empty()) {
            *output = Some(printed.join("\n"));
        }
    }
    Ok(steps)
}

#[test]
fn pages_have_files_commands_and_sessions() {
    let page = "<!-- run: true -->\n```cpp file=a.hip\nint a;\n```\n```sh\nls\n```\n```console\n$ echo a\na\n$ true\n```\n\
        <!-- not run: no GPU -->\n```sh\nfalse\n```\n";
    let found = steps(page).unwrap();
    let run = |line, script: &str, output: Option<&str>| Step::Run {
        line,
        script: script.to_owned(),
        output: output.map(str::to_owned),
    };
    assert_eq!(
        found,
        [
            run(1, "true", None),
            Step::File {
                line: 2,
                name: "a.hip".to_owned(),
                text: "int a;\n".to_owned()
            },
            run(5, "ls", None),
            run(9, "echo a", Some("a")),
            run(11, "true", None),
        ]
    );
    assert!(steps("```\nls\n```\n").is_err());
    assert!(steps("```console\nls\n```\n").is_err());
    let release = "# OpenCL\n<!-- release: debian-testing -->\n<!-- releases: no -->\n";
    assert!(notes(release, "release").eq(["debian-testing"]));
}
