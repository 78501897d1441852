//! Elements of a product of matrices that are no numbers.

use super::{
    Class, Format, Origin, Taint, View, each,
    results::{After, New},
};
use crate::{
    lanes::{LANES, NONE},
    nan::{
        formats::{Elements, Special},
        product::{KEYS, Matrix, Product},
    },
};

/// The elements that are no numbers in the rows of A and in the columns of B.
struct Factors {
    rows: [Origin; KEYS],
    columns: [Origin; KEYS],
}

/// Adds what is no number in a lane's words of a matrix.
fn add(view: &View<'_>, matrix: &Matrix, lane: usize, origin: &mut Origin) {
    let Some(first) = matrix.row else {
        let class = matrix
            .format
            .class(matrix.constant as u32, 0, Elements::ALL);
        return origin.add(class, Taint::NONE);
    };
    let pairs = usize::from(matrix.format == Format::Double);
    for row in (first + pairs..first + matrix.words).step_by(1 + pairs) {
        let (word, low) = (view.words(row)[lane], view.words(row - pairs)[lane]);
        let class = matrix.format.class(word, low, Elements::ALL);
        if class != Class::Number {
            let taint = view.taints.row(row).map_or(0, |lanes| lanes[lane]);
            origin.add(class, Taint(taint).of_word(word));
        }
    }
}

impl Factors {
    fn new(view: &View<'_>, product: &Product) -> Factors {
        let mut rows = [Origin::default(); KEYS];
        let mut columns = [Origin::default(); KEYS];
        for lane in 0..product.lanes {
            let row = product.row_of(lane);
            add(view, &product.a, lane, &mut rows[row % KEYS]);
            let (from, column) = product.column_of(lane);
            add(view, &product.b, from, &mut columns[column % KEYS]);
        }
        Factors { rows, columns }
    }
}

impl After<'_> {
    pub(super) fn multiplied(&self, (first, words): (usize, usize), new: &mut Vec<New>) {
        let Some(product) = &self.step.product else {
            return;
        };
        let (format, view) = (product.d.format, self.view());
        let mut factors: Option<Factors> = None;
        for word in 0..words {
            let row = first + word;
            let is_low = format == Format::Double && word.is_multiple_of(2);
            let special = match is_low {
                true => Special::default(),
                false => self.special(row, format, Elements::ALL),
            };
            let mut lanes = Box::new(NONE);
            for lane in each(special.any()).take_while(|lane| *lane < product.lanes.min(LANES)) {
                let factors = factors.get_or_insert_with(|| Factors::new(&view, product));
                let value = self.wave.vgpr_row(row)[lane];
                let low = self.wave.vgpr_row(row.saturating_sub(1))[lane];
                for element in product.elements(word, lane).into_iter().flatten() {
                    let class = format.class(value, low, element.elements);
                    if class == Class::Number || lanes[lane] != 0 {
                        continue;
                    }
                    let mut origin = self.of_addend(&view, product, word, lane, element.elements);
                    origin = factors.rows[element.row]
                        .join(factors.columns[element.column])
                        .join(origin);
                    lanes[lane] = origin.of_result(class, self.of.last, format).0;
                }
            }
            new.push(New {
                row,
                mask: !0,
                taints: Some(lanes),
            });
        }
    }

    /// The element of C, which is where that of D is.
    fn of_addend(
        &self,
        view: &View<'_>,
        product: &Product,
        word: usize,
        lane: usize,
        elements: Elements,
    ) -> Origin {
        let mut origin = Origin::default();
        let c = &product.c;
        let (value, low, taint) = match c.row {
            None => (c.constant as u32, 0, 0),
            Some(first) => {
                let row = first + word;
                let taint = view.taints.row(row).map_or(0, |lanes| lanes[lane]);
                let low = view.words(row.saturating_sub(1))[lane];
                (view.words(row)[lane], low, taint)
            }
        };
        let class = c.format.class(value, low, elements);
        origin.add(class, Taint(taint).of_word(value));
        origin
    }
}
