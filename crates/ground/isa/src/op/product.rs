//! Shapes of matrix products, of which passes and hazards follow.

/// The shape that the name of a matrix product gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Product {
    /// Rows and columns of the result, if these are as many: 4, 16 or 32. Else 0.
    pub tile: u8,
    /// The product has several blocks.
    pub blocks: bool,
    /// Of doubles.
    pub doubles: bool,
    /// The factors are singles.
    pub of_singles: bool,
    /// A is sparse.
    pub sparse: bool,
    /// The product is of the wave's lanes as a whole (WMMA).
    pub wave: bool,
}

/// Beginning of the name, whether A is sparse, and whether it is a product of the wave.
const KINDS: &[(&str, bool, bool)] = &[
    ("v_mfma_", false, false),
    ("v_smfmac_", true, false),
    ("v_wmma_", false, true),
    ("v_swmmac_", true, true),
];

const TILES: &[(&str, u8)] = &[("4x4x", 4), ("16x16x", 16), ("32x32x", 32)];

impl Product {
    pub(super) fn of(name: &str) -> Option<Product> {
        let &(_, sparse, wave) = KINDS.iter().find(|row| name.starts_with(row.0))?;
        let tile = name
            .split('_')
            .find_map(|part| TILES.iter().find(|row| part.starts_with(row.0)));
        let mut parts = name.split('_');
        Some(Product {
            tile: tile.map_or(0, |row| row.1),
            blocks: parts.any(|part| ["2b", "4b", "16b"].contains(&part)),
            doubles: name.starts_with("v_mfma_f64"),
            of_singles: name.ends_with("_f32"),
            sparse,
            wave,
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::{Op, Product};

    #[test]
    fn shapes() {
        let product = |name| Op::of(name).product();
        let plain = Product {
            tile: 32,
            blocks: false,
            doubles: false,
            of_singles: false,
            sparse: false,
            wave: false,
        };
        let singles = Product {
            of_singles: true,
            blocks: true,
            ..plain
        };
        assert_eq!(product("v_mfma_f32_32x32x8_f16"), Some(plain));
        assert_eq!(product("v_mfma_f32_32x32x1_2b_f32"), Some(singles));
        let doubles = product("v_mfma_f64_16x16x4_f64").map(|found| (found.tile, found.doubles));
        assert_eq!(doubles, Some((16, true)));
        let sparse = product("v_swmmac_f32_16x16x32_f16").map(|found| (found.sparse, found.wave));
        assert_eq!(sparse, Some((true, true)));
        assert_eq!(product("v_fma_f32"), None);
    }
}
