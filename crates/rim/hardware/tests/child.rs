//! Processes that do not do their part.

use std::{
    process::Command,
    time::{Duration, Instant},
};

use hardware::{Child, Job, Launch, Machine, Trouble};

fn job(launches: usize) -> Job {
    Job {
        object: vec![1, 2, 3],
        launches: vec![Launch::default(); launches],
    }
}

#[test]
fn one_that_ends_is_an_error_with_its_status() {
    let mut child = Child::new(|| Command::new("/bin/false"));
    let error = child.about().unwrap_err().to_string();
    assert!(error.contains("exit status: 1"), "{error}");
    // Each batch starts another one, up to an end.
    let outcomes: Vec<_> = (0..20).map(|_| child.run(&job(1)).remove(0)).collect();
    assert!(matches!(&outcomes[0], Err(Trouble::Died(why)) if why.contains("exit status: 1")));
    assert!(matches!(&outcomes[19], Err(Trouble::Refused(why)) if why.contains("not run")));
}

#[test]
fn one_that_hangs_is_stopped() {
    let start = Instant::now();
    let mut child = Child::new(|| {
        let mut command = Command::new("/bin/sleep");
        command.arg("1000");
        command
    })
    .with_margin(Duration::from_millis(100));
    assert!(
        child
            .about()
            .unwrap_err()
            .to_string()
            .contains("no answer within")
    );
    assert_eq!(child.run(&job(3)), vec![Err(Trouble::Endless); 3]);
    assert!(start.elapsed() < Duration::from_secs(500));
}

#[test]
fn one_that_says_something_else_is_not_believed() {
    let mut child = Child::new(|| {
        let mut command = Command::new("/bin/echo");
        command.arg("Hello from a library");
        command
    });
    assert!(child.about().is_err());
}

#[test]
fn one_that_cannot_start_is_an_error() {
    let mut child = Child::new(|| Command::new("/nonexistent/program"));
    assert!(
        child
            .about()
            .unwrap_err()
            .to_string()
            .contains("No such file")
    );
}
