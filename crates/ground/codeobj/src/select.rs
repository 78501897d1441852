//! Selects the code object that a device runs, of several.

use crate::TargetId;

/// None of the code objects runs on the device.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SelectError {
    /// There is nothing to choose from.
    #[error(
        "has no code for AMD GPUs; the device is {device}: rebuild with --offload-arch={device}"
    )]
    Empty {
        /// Target id of the device.
        device: String,
    },
    /// Nothing of what there is runs on the device.
    #[error(
        "has {available}; the device is {device}: rebuild with --offload-arch={device}{}",
        or_device(alternative)
    )]
    NoMatch {
        /// Target ids that there are.
        available: String,
        /// Target id of the device.
        device: String,
        /// The first target there is code for.
        alternative: Option<String>,
    },
}

fn or_device(alternative: &Option<String>) -> String {
    match alternative {
        Some(name) => format!(" or --device {name}"),
        None => String::new(),
    }
}

/// Index of the code object that fits `device` best: of those that run, the one that assumes most; of equals the first.
pub fn select(available: &[TargetId], device: &TargetId) -> Result<usize, SelectError> {
    let fitting = available
        .iter()
        .enumerate()
        .filter(|(_, target)| target.runs_on(device));
    // max_by_key keeps the last of equals, hence the reversal.
    if let Some((index, _)) = fitting.rev().max_by_key(|(_, target)| target.specificity()) {
        return Ok(index);
    }
    // Features matter only where something was built for this very chip.
    let is_same_chip = |target: &TargetId| target.target.name == device.target.name;
    let device = if available.iter().any(is_same_chip) {
        device.to_string()
    } else {
        device.target.name.to_owned()
    };
    let Some(first) = available.first() else {
        return Err(SelectError::Empty { device });
    };
    let mut names: Vec<String> = Vec::new();
    for target in available {
        let name = target.to_string();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    Err(SelectError::NoMatch {
        available: names.join(", "),
        device,
        alternative: Some(first.to_string()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(texts: &[&str]) -> Vec<TargetId> {
        texts
            .iter()
            .map(|text| TargetId::parse(text).unwrap())
            .collect()
    }

    fn chosen<'a>(available: &[&'a str], device: &str) -> Option<&'a str> {
        let index = select(&ids(available), &TargetId::parse(device).unwrap()).ok()?;
        Some(available[index])
    }

    /// Rules of "Target ID" in LLVM's AMDGPU usage guide and of HIP's code object selection.
    #[test]
    fn features_must_agree_and_the_most_specific_wins() {
        let device = "gfx90a:sramecc+:xnack-";
        assert_eq!(chosen(&["gfx90a:xnack+", "gfx90a"], device), Some("gfx90a"));
        assert_eq!(
            chosen(&["gfx90a", "gfx90a:xnack-"], device),
            Some("gfx90a:xnack-")
        );
        assert_eq!(chosen(&["gfx90a:sramecc-"], device), None);
        assert_eq!(chosen(&["gfx906", "gfx1030"], device), None);
        assert_eq!(
            chosen(&["gfx10-3-generic", "gfx1030"], "gfx1030"),
            Some("gfx1030")
        );
        assert_eq!(
            chosen(&["gfx10-3-generic", "gfx1030"], "gfx1031"),
            Some("gfx10-3-generic")
        );
    }

    #[test]
    fn refusal_names_what_there_is_and_what_to_do() {
        let error = select(
            &ids(&["gfx1030", "gfx906"]),
            &TargetId::parse("gfx90a:sramecc+:xnack-").unwrap(),
        )
        .unwrap_err();
        assert_eq!(
            error.to_string(),
            "has gfx1030, gfx906; the device is gfx90a: rebuild with --offload-arch=gfx90a or --device gfx1030"
        );
        let error = select(
            &ids(&["gfx90a:xnack+"]),
            &TargetId::parse("gfx90a:sramecc+:xnack-").unwrap(),
        )
        .unwrap_err();
        let message = error.to_string();
        assert!(
            message.contains("the device is gfx90a:sramecc+:xnack-"),
            "{message}"
        );
    }
}
