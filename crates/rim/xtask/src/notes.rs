//! Notes of a release: what changed since the last one, from the commits' subjects.

use std::{collections::BTreeMap, process::Command};

use anyhow::Result;

use crate::{command::said, root};

pub fn of_release(version: &str) -> Result<String> {
    let git = |words: &[&str]| said(Command::new("git").current_dir(root()).args(words));
    let tag = format!("v{version}");
    // The tag before this release's own, if there was one.
    let earlier = git(&[
        "describe",
        "--tags",
        "--abbrev=0",
        "--match=v[0-9]*.*",
        &format!("--exclude={tag}"),
        "HEAD",
    ]);
    let Ok(earlier) = earlier else {
        let commits = git(&["rev-list", "--count", "--no-merges", "HEAD"])?;
        return Ok(format!(
            "# Luthier {version}\n\nThe first release, of {commits} commits. README.md says what it does.\n"
        ));
    };
    let subjects = git(&[
        "log",
        "--no-merges",
        "--format=%s",
        &format!("{earlier}..HEAD"),
    ])?;
    Ok(text(version, &earlier, &subjects))
}

/// By area: `area: imperative`.
fn text(version: &str, earlier: &str, subjects: &str) -> String {
    let mut areas: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for subject in subjects.lines().filter(|line| !line.is_empty()) {
        let (area, what) = subject.split_once(": ").unwrap_or(("other", subject));
        areas.entry(area).or_default().push(what);
    }
    let mut text = format!("# Luthier {version}\n\nSince {earlier}:\n");
    for (area, changes) in areas {
        text += &format!("\n## {area}\n\n");
        for change in changes {
            text += &format!("- {change}\n");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_stand_by_area() {
        let subjects = "wave: execute v_foo\ncli: find words\nwave: be fast\nodd subject\n";
        let expected = "# Luthier 1.2.3\n\nSince v1.2.2:\n\n## cli\n\n- find words\n\n## other\n\n- odd subject\n\
            \n## wave\n\n- execute v_foo\n- be fast\n";
        assert_eq!(text("1.2.3", "v1.2.2", subjects), expected);
    }
}
