//! A program that talks with a referee has a budget for each turn.

use crate::support::{compile, luthier_count, program, text};
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const BUDGET: &str = "2000";
const PER_TURN: [&str; 4] = ["--budget", BUDGET, "--budget-per", "turn"];

struct Place {
    directory: tempfile::TempDir,
}

/// How a match ended.
struct Ended {
    answers: Vec<String>,
    status: Option<i32>,
    stderr: String,
}

impl Place {
    fn new(ours: &[&str]) -> Place {
        let place = Place {
            directory: tempfile::tempdir().unwrap(),
        };
        compile(&program("turns.c"), ours, &["-O2"], &place.path("bot"));
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn command(&self, options: &[&str], how: &str) -> Command {
        let mut command = luthier_count();
        command.arg("run").args(options);
        command.arg(self.path("bot")).arg(how);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        command.stderr(Stdio::piped());
        command
    }

    /// A referee that says each of these pieces of a turn by itself, and waits for an answer after each turn.
    fn play(&self, options: &[&str], how: &str, turns: &[&[&str]]) -> Ended {
        let child = self.command(options, how).spawn().unwrap();
        referee(child, turns)
    }

    fn turns(&self, name: &str) -> Vec<Value> {
        let text = std::fs::read_to_string(self.path(name)).unwrap();
        let lines = text.lines();
        lines
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }
}

fn referee(mut child: Child, turns: &[&[&str]]) -> Ended {
    let mut said = child.stdin.take().unwrap();
    let mut heard = BufReader::new(child.stdout.take().unwrap());
    let mut answers = Vec::new();
    for turn in turns {
        for (index, piece) in turn.iter().enumerate() {
            if index > 0 {
                std::thread::sleep(Duration::from_millis(30));
            }
            let _ = said.write_all(piece.as_bytes());
        }
        let mut answer = String::new();
        if heard.read_line(&mut answer).unwrap() == 0 {
            break;
        }
        answers.push(answer);
    }
    drop(said);
    let output = child.wait_with_output().unwrap();
    Ended {
        answers,
        status: output.status.code(),
        stderr: text(&output.stderr),
    }
}

fn with<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&PER_TURN, more].concat()
}

fn units(turns: &[Value]) -> Vec<u64> {
    turns
        .iter()
        .map(|turn| turn["units"].as_u64().unwrap())
        .collect()
}

#[test]
fn every_turn_begins_with_the_whole_budget() {
    for how in ["", "threads"] {
        let place = Place::new(&["--budget"]);
        let log = place.path("log");
        let options = with(&["--turns", log.to_str().unwrap()]);
        // Ten turns of about 700 units: together they exceed the budget, each by itself does not.
        let small: Vec<&[&str]> = vec![&["100\n"]; 10];
        let ended = place.play(&options, how, &small);
        assert_eq!(ended.status, Some(0), "{how}: {}", ended.stderr);
        assert_eq!(ended.answers, ["100\n"; 10]);
        let turns = place.turns("log");
        // Before the first input, ten turns, and the end of the input.
        assert_eq!(turns.len(), 12, "{turns:#?}");
        let all = units(&turns);
        assert!(all[1] > 400 && all[1] < 2000, "{all:?}");
        // (The first turn also has what the program does once.)
        assert!(all[2..11].iter().all(|units| *units == all[2]), "{all:?}");
        assert_eq!(turns[3]["input"], "100\n");
        assert_eq!(turns[3]["output"], "100\n");

        // A turn does not get what earlier ones left: a large turn is stopped in its place, wherever it comes.
        for before in [0, 1, 7] {
            let mut turns: Vec<&[&str]> = vec![&["10\n"]; before];
            turns.push(&["1000\n"]);
            let ended = place.play(&options, how, &turns);
            assert_eq!(ended.status, Some(124), "{how}: {}", ended.stderr);
            assert_eq!(ended.answers.len(), before);
            let said = format!(
                "budget of {BUDGET} units reached in turn {}, after ",
                before + 1
            );
            assert!(ended.stderr.contains(&said), "{how}: {}", ended.stderr);
            let used = units(&place.turns("log")).pop().unwrap();
            assert!((2000..2100).contains(&used), "{how} {before}: {used}");
            let (_, after) = ended.stderr.split_once(&said).unwrap();
            let after: String = after.chars().take_while(char::is_ascii_digit).collect();
            assert_eq!(
                after.parse::<u64>().unwrap(),
                used,
                "{how}: {}",
                ended.stderr
            );
        }
    }
}

#[test]
fn pieces_of_one_turn_share_its_budget() {
    let place = Place::new(&["--budget"]);
    let log = place.path("log");
    let options = with(&["--turns", log.to_str().unwrap()]);
    let ways: [&[&str]; 3] = [&["100\n20\n"], &["100\n", "20\n"], &["10", "0\n2", "0\n"]];
    let all = ways.map(|way| {
        let ended = place.play(&options, "twice", &[way, way]);
        assert_eq!(
            (ended.status, ended.answers.len()),
            (Some(0), 2),
            "{}",
            ended.stderr
        );
        let turns = place.turns("log");
        assert_eq!(turns.len(), 4, "{turns:#?}");
        assert_eq!(turns[1]["input"], "100\n20\n");
        units(&turns)
    });
    assert!(all.iter().all(|one| *one == all[0]), "{all:?}");
}

#[test]
fn a_match_is_played_again() {
    let place = Place::new(&["--budget"]);
    let (log, again) = (place.path("log"), place.path("again"));
    let [log, again] = [&log, &again].map(|path| path.to_str().unwrap());
    let turns: [&[&str]; 3] = [&["100\n"], &["7\n"], &["90\n"]];
    let first = place.play(&with(&["--turns", log]), "", &turns);
    assert_eq!(first.status, Some(0), "{}", first.stderr);
    let replay = |how: &str| {
        let mut command = place.command(&with(&["--replay", log, "--turns", again]), how);
        command.stdin(Stdio::null()).output().unwrap()
    };
    let same = replay("");
    assert_eq!(same.status.code(), Some(0), "{}", text(&same.stderr));
    assert_eq!(text(&same.stdout), "100\n7\n90\n");
    assert_eq!(place.turns("again"), place.turns("log"));
    // A program that works otherwise is found out, and the first turn in which it does is named.
    let other = replay("threads");
    assert_eq!(other.status.code(), Some(1));
    let stderr = text(&other.stderr);
    assert!(
        stderr.contains("the replay of") && stderr.contains("in turn 1 the program executed"),
        "{stderr}"
    );
    std::fs::write(
        log,
        std::fs::read_to_string(log)
            .unwrap()
            .replace("\"output\":\"7", "\"output\":\"8"),
    )
    .unwrap();
    let stderr = text(&replay("").stderr);
    assert!(
        stderr.contains("in turn 2 the program wrote other output"),
        "{stderr}"
    );
}

#[test]
fn a_turn_that_takes_too_long_ends_the_program() {
    let place = Place::new(&["--budget"]);
    let begun = Instant::now();
    let turns: [&[&str]; 3] = [&["1\n"], &["2\n"], &["3\n"]];
    let ended = place.play(&with(&["--watchdog", "4000"]), "sleeps", &turns);
    assert!(begun.elapsed() < Duration::from_secs(9));
    assert_eq!(
        (ended.status, ended.answers.len()),
        (Some(124), 1),
        "{}",
        ended.stderr
    );
    assert!(
        ended.stderr.contains("turn 2 took more than 4000 ms"),
        "{}",
        ended.stderr
    );
}

#[test]
fn mistakes_are_told() {
    let place = Place::new(&["--budget"]);
    let said = |options: &[&str], program: &Path| {
        let mut command = luthier_count();
        command.arg("run").args(options).arg(program);
        let output = command.stdin(Stdio::null()).output().unwrap();
        (output.status.code(), text(&output.stderr))
    };
    let bot = place.path("bot");
    for option in ["--turns", "--replay"] {
        let (status, stderr) = said(&["--budget", "9", option, "file"], &bot);
        assert_eq!(status, Some(1));
        assert!(
            stderr.contains(&format!(
                "{option} is for programs with a budget for each turn"
            )),
            "{stderr}"
        );
    }
    let log = place.path("log");
    std::fs::write(
        &log,
        "{\"turn\":0,\"input\":\"\",\"output\":\"\",\"units\":1}\nnonsense\n",
    )
    .unwrap();
    let (status, stderr) = said(&with(&["--replay", log.to_str().unwrap()]), &bot);
    assert_eq!(status, Some(1));
    assert!(
        stderr.contains("log:2: ") && stderr.contains("--turns FILE"),
        "{stderr}"
    );
    // A program that does not count can still be talked with, and is said not to count.
    let (status, stderr) = said(&PER_TURN, Path::new("/bin/cat"));
    assert_eq!(status, Some(1));
    assert!(stderr.contains("reported no count"), "{stderr}");
    // Nor does one without checks meet a budget.
    let unchecked = Place::new(&[]);
    let (status, stderr) = said(&PER_TURN, &unchecked.path("bot"));
    assert_eq!(status, Some(126));
    assert!(stderr.contains("without budget checks"), "{stderr}");
}
