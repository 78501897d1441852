//! Runs of instructions as host code.

#[test]
fn rows_have_host_code() {
    for (row, size) in wave::host_code_of_rows() {
        println!("{row}: {size:?}");
    }
}
