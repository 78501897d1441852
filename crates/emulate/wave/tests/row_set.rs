//! Sets of rows of registers.

use wave::inside::RowSet;

#[test]
fn rows_come_in_words_of_those_that_a_wave_has() {
    let mut set = RowSet::default();
    for row in [0, 63, 64, 130, 511] {
        set.add(row);
    }
    let rows_of = |count: usize| {
        let mut rows = Vec::new();
        set.for_each(count, |row| rows.push(row));
        let mut words = Vec::new();
        set.for_each_word(count, |first, word| {
            words.extend(
                (0..64)
                    .filter(|bit| word >> bit & 1 != 0)
                    .map(|bit| first + bit),
            );
        });
        assert_eq!(rows, words);
        rows
    };
    assert_eq!(rows_of(0), []);
    assert_eq!(rows_of(64), [0, 63]);
    assert_eq!(rows_of(130), [0, 63, 64]);
    // All rows beyond those that are told apart.
    assert_eq!(rows_of(514), [0, 63, 64, 130, 511, 512, 513]);
}
