//! Names under which GPUs are sold, for users who know theirs by no other.

/// A product and the target it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Product {
    /// The name on a command line: lower case, no spaces.
    pub name: &'static str,
    pub target: &'static str,
}

const fn row(name: &'static str, target: &'static str) -> Product {
    Product { name, target }
}

/// Sources: the processor table of LLVM's AMDGPU usage guide and AMD's table of accelerators and GPUs.
#[rustfmt::skip]
pub static PRODUCTS: &[Product] = &[
    row("mi25",          "gfx900"),
    row("vega56",        "gfx900"),
    row("vega64",        "gfx900"),
    row("mi50",          "gfx906"),
    row("mi60",          "gfx906"),
    row("radeon-vii",    "gfx906"),
    row("mi100",         "gfx908"),
    row("mi210",         "gfx90a"),
    row("mi250",         "gfx90a"),
    row("mi250x",        "gfx90a"),
    row("mi300a",        "gfx942"),
    row("mi300x",        "gfx942"),
    row("mi325x",        "gfx942"),
    row("mi350x",        "gfx950"),
    row("mi355x",        "gfx950"),
    row("rx5700",        "gfx1010"),
    row("rx5700xt",      "gfx1010"),
    row("rx5600xt",      "gfx1010"),
    row("rx5500xt",      "gfx1012"),
    row("rx6800",        "gfx1030"),
    row("rx6800xt",      "gfx1030"),
    row("rx6900xt",      "gfx1030"),
    row("rx6950xt",      "gfx1030"),
    row("w6800",         "gfx1030"),
    row("v620",          "gfx1030"),
    row("rx6700xt",      "gfx1031"),
    row("rx6750xt",      "gfx1031"),
    row("rx6600",        "gfx1032"),
    row("rx6600xt",      "gfx1032"),
    row("rx6650xt",      "gfx1032"),
    row("steam-deck",    "gfx1033"),
    row("rx6500xt",      "gfx1034"),
    row("rx6400",        "gfx1034"),
    row("660m",          "gfx1035"),
    row("680m",          "gfx1035"),
    row("610m",          "gfx1036"),
    row("rx7900xt",      "gfx1100"),
    row("rx7900xtx",     "gfx1100"),
    row("rx7900gre",     "gfx1100"),
    row("w7800",         "gfx1100"),
    row("w7900",         "gfx1100"),
    row("rx7700xt",      "gfx1101"),
    row("rx7800xt",      "gfx1101"),
    row("w7700",         "gfx1101"),
    row("rx7600",        "gfx1102"),
    row("rx7600xt",      "gfx1102"),
    row("w7500",         "gfx1102"),
    row("w7600",         "gfx1102"),
    row("740m",          "gfx1103"),
    row("760m",          "gfx1103"),
    row("780m",          "gfx1103"),
    row("strix-point",   "gfx1150"),
    row("880m",          "gfx1150"),
    row("890m",          "gfx1150"),
    row("strix-halo",    "gfx1151"),
    row("8050s",         "gfx1151"),
    row("8060s",         "gfx1151"),
    row("rx9060xt",      "gfx1200"),
    row("rx9070",        "gfx1201"),
    row("rx9070xt",      "gfx1201"),
    row("r9700",         "gfx1201"),
];

/// The target of the product called `name`, in any case.
pub fn target_of_product(name: &str) -> Option<&'static str> {
    PRODUCTS
        .iter()
        .find(|product| product.name.eq_ignore_ascii_case(name))
        .map(|product| product.target)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Target;

    #[test]
    fn products_have_targets_and_names_of_their_own() {
        for (index, product) in PRODUCTS.iter().enumerate() {
            assert!(Target::find(product.target).is_some(), "{product:?}");
            assert!(Target::find(product.name).is_none(), "{product:?}");
            let later = &PRODUCTS[index + 1..];
            assert!(later.iter().all(|other| other.name != product.name));
        }
        assert_eq!(target_of_product("MI300X"), Some("gfx942"));
        assert_eq!(target_of_product("mi9"), None);
    }
}
