//! Prints the report of one file: `cargo run -p inspect --example dump -- FILE [all]`.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("usage: dump FILE [all]")?;
    let options = match arguments.next() {
        Some(_) => inspect::Options::all(),
        None => inspect::Options::default(),
    };
    let report = inspect::inspect(&std::fs::read(&path)?, &path, &options)?;
    report.write_text(&mut std::io::stdout().lock())?;
    Ok(())
}
