//! Links of the documentation lead to files and headings that are there.

use std::{collections::BTreeSet, fs, path::Path};

use anyhow::{Context, Result};

/// Folders with documents, besides the root.
const FOLDERS: [&str; 4] = ["docs", "crates", "examples", "packaging"];

/// Complaints about links within the repository. Links to other places are not followed.
pub fn check(root: &Path) -> Result<Vec<String>> {
    let mut documents = Vec::new();
    for name in super::names(root)? {
        let place = root.join(&name);
        if name.ends_with(".md") {
            documents.push(place);
        } else if FOLDERS.contains(&name.as_str()) {
            documents.extend(crate::files_below(&place, &["md"])?);
        }
    }
    let mut complaints = Vec::new();
    for document in documents {
        let text = fs::read_to_string(&document)?;
        let shown = document.strip_prefix(root).unwrap_or(&document).display();
        for (line, link) in links(&text) {
            if let Some(complaint) = follow(&document, &text, link)? {
                complaints.push(format!("{shown}:{line}: {complaint}"));
            }
        }
    }
    Ok(complaints)
}

/// Why a link leads nowhere.
fn follow(document: &Path, text: &str, link: &str) -> Result<Option<String>> {
    if link.contains(':') {
        return Ok(None);
    }
    let (file, heading) = link.split_once('#').unwrap_or((link, ""));
    let target = match file {
        "" => document.to_owned(),
        file => document.parent().unwrap_or(document).join(file),
    };
    if !target.exists() {
        return Ok(Some(format!("there is no {file}")));
    }
    if heading.is_empty() {
        return Ok(None);
    }
    let known = match file {
        "" => anchors(text),
        _ => anchors(&fs::read_to_string(&target).with_context(|| target.display().to_string())?),
    };
    Ok((!known.contains(heading)).then(|| format!("{link}: there is no such heading")))
}

/// Lines outside of blocks of code, by number.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut inside = false;
    text.lines().enumerate().filter_map(move |(index, line)| {
        let fence = line.trim_start().starts_with("```");
        inside ^= fence;
        (!inside && !fence).then_some((index + 1, line))
    })
}

/// Targets of `[text](target)`, by line; those in `code` are none.
fn links(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    for (number, line) in prose(text) {
        // Every second part is code.
        for part in line.split('`').step_by(2) {
            for rest in part.split("](").skip(1) {
                found.extend(rest.split([')', ' ']).next().map(|link| (number, link)));
            }
        }
        // A link whose text is code: [`a`](b).
        for rest in line.split("`](").skip(1) {
            found.extend(rest.split([')', ' ']).next().map(|link| (number, link)));
        }
    }
    found.sort();
    found.dedup();
    found
}

/// Names of headings as GitHub and mdBook make them, and names that the text gives itself.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (_, line) in prose(text) {
        if line.starts_with('#') {
            let heading = line.trim_start_matches('#').trim().to_lowercase();
            let letters = heading.chars().filter_map(|letter| match letter {
                ' ' => Some('-'),
                '-' | '_' => Some(letter),
                letter => letter.is_alphanumeric().then_some(letter),
            });
            let name: String = letters.collect();
            // The second heading of a name gets a number.
            let more = (1..).map(|number| format!("{name}-{number}"));
            let free = std::iter::once(name.clone()).chain(more);
            let mut free = free.filter(|name| !found.contains(name));
            found.extend(free.next());
        }
        for rest in line.split("id=\"").skip(1) {
            found.extend(rest.split('"').next().map(str::to_owned));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_and_headings_are_found_outside_of_code() {
        let text = "# A `run`: *more*\n\n[a](b.md#c) `[no](x)` [`d`](e.md)\n```\n# no\n[f](g)\n```\n## A run: more\n<a id=\"own\"></a>\n";
        assert_eq!(links(text), [(3, "b.md#c"), (3, "e.md")]);
        let expected = ["a-run-more", "a-run-more-1", "own"].map(str::to_owned);
        assert_eq!(anchors(text), BTreeSet::from(expected));
    }
}
