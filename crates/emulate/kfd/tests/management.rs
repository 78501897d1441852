//! AMD's own command that says what GPUs a machine has.

use std::path::Path;

use crate::driver::{run, text};

/// Its output for two GPUs.
fn rocm_smi(option: &str) -> String {
    let devices = [("LUTHIER_DEVICE", "gfx90a,gfx1030")];
    let output = run("rocm-smi", &[option], &devices);
    assert_eq!(output.status.code(), Some(0), "{option}: {}", text(&output));
    text(&output)
}

#[test]
fn rocm_smi_lists_products_and_how_they_are_connected() {
    if !prerequisite::program("rocm-smi", "rocm-smi") {
        return;
    }
    if Path::new("/sys/class/drm/card0").exists() {
        eprintln!("skipped: this system has cards of its own");
        return;
    }
    let said = rocm_smi("--showproductname");
    for part in ["Emulated AMD Instinct MI210", "0x740f", "0x73bf"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert_eq!(said.matches("Card SKU").count(), 2, "{said}");
    // Two GPUs in slots of the bus: the way from one to the other goes through the host, and each link to the host has weight 20.
    for (option, expected) in [
        ("--showtopoweight", ["0", "40", "40", "0"]),
        ("--showtopohops", ["0", "2", "2", "0"]),
        ("--showtopotype", ["0", "PCIE", "PCIE", "0"]),
    ] {
        let said = rocm_smi(option);
        let rows = said
            .lines()
            .filter(|line| line.starts_with("GPU") && !line.contains(':'));
        let cells = rows.flat_map(|row| row.split_whitespace().skip(1));
        let cells: Vec<&str> = cells.collect();
        assert_eq!(cells, expected, "{option}: {said}");
    }
}
