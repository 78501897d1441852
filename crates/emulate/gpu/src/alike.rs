//! Suggests devices for a name that no device has.

use crate::topology;

/// Names with more letters than this may differ by two of them, others by one: those of targets hardly differ by more.
const SHORT: usize = 8;

/// Targets and products alike, the best only; none if nothing is like it. A name with features (`mi300x:xnack+`) is told targets only,
/// since the features are those of the target, which several products may share.
pub fn alike(name: &str) -> Vec<String> {
    let (name, features) = name.split_at(name.find(':').unwrap_or(name.len()));
    let name = folded(name);
    let mut found = nearest(name.strip_suffix("graphics").unwrap_or(&name));
    if !features.is_empty() {
        for name in &mut found {
            let target = gfx::target_of_product(name).unwrap_or(name);
            *name = format!("{target}{features}");
        }
        found.dedup();
    }
    found
}

/// Every name that is a device's.
fn names() -> impl Iterator<Item = &'static str> {
    let of_a_device =
        |product: &&gfx::Product| topology::targets().any(|target| target == product.target);
    let products = gfx::PRODUCTS.iter().filter(of_a_device);
    topology::targets().chain(products.map(|product| product.name))
}

fn nearest(name: &str) -> Vec<String> {
    let all = || names().map(|known| (known, folded(known)));
    // The vendor's spelling: `AMD Instinct MI300X`.
    let ends = all().filter(|(_, known)| name.ends_with(known.as_str()));
    if let Some((known, _)) = ends.max_by_key(|(_, known)| known.len()) {
        return vec![known.to_owned()];
    }
    // One of several: `RX 7900`.
    let is_number = |letter: char| letter.is_ascii_digit();
    let begins = all().filter(|(_, known)| known.starts_with(name));
    let several: Vec<_> = begins.map(|(known, _)| known.to_owned()).collect();
    if name.contains(is_number) && !several.is_empty() {
        return several;
    }
    // Without what the line is called: `7900 XTX`.
    let ends: Vec<_> = all().filter(|(_, known)| known.ends_with(name)).collect();
    if let [(known, _)] = ends[..]
        && name.starts_with(is_number)
    {
        return vec![known.to_owned()];
    }
    let most = if name.len() < SHORT { 1 } else { 2 };
    let distances: Vec<_> = all()
        .map(|(known, folded)| (strsim::damerau_levenshtein(name, &folded), known))
        .filter(|&(distance, _)| distance <= most)
        .collect();
    let least = distances.iter().map(|&(distance, _)| distance).min();
    distances
        .iter()
        .filter(|&&(distance, _)| Some(distance) == least)
        .map(|&(_, known)| known.to_owned())
        .collect()
}

/// Small letters and digits.
fn folded(name: &str) -> String {
    let letters = name.chars().filter(char::is_ascii_alphanumeric);
    letters.map(|letter| letter.to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_which_they_may_be() {
        for (name, meant) in [
            ("gfx9o6", &["gfx906"][..]),
            ("gfx1O30", &["gfx1030"]),
            ("GFX90A", &["gfx90a"]),
            ("gfx 90a", &["gfx90a"]),
            ("fgx942", &["gfx942"]),
            ("mi30x", &["mi300x", "mi350x"]),
            ("mi300", &["mi300a", "mi300x"]),
            ("RX 6800 XT", &["rx6800xt"]),
            ("AMD Radeon RX 7900 XTX", &["rx7900xtx"]),
            ("RX 7900", &["rx7900xt", "rx7900xtx", "rx7900gre"]),
            ("AMD Instinct MI300X", &["mi300x"]),
            ("AMD Radeon VII", &["radeon-vii"]),
            ("7900 XTX", &["rx7900xtx"]),
            ("AMD Radeon 780M", &["780m"]),
            ("AMD Radeon 890M Graphics", &["890m"]),
            ("AMD Radeon 8060S", &["8060s"]),
            ("steamdeck", &["steam-deck"]),
            ("strix-hallo", &["strix-halo"]),
            ("mi300x:xnack+", &["gfx942:xnack+"]),
            ("gfx9o6:xnack-", &["gfx906:xnack-"]),
        ] {
            assert_eq!(alike(name), meant, "{name}");
        }
    }

    #[test]
    fn nothing_is_like_other_names() {
        for name in [
            "h100",
            "cpu",
            "gfx",
            "",
            ":",
            "NVIDIA GeForce RTX 4090",
            "gfx4711",
            "ü",
        ] {
            assert_eq!(alike(name), Vec::<String>::new(), "{name}");
        }
    }
}
