//! Writes `seeds/` from `../testdata`: `cargo run --no-default-features --example seeds`.

use std::path::Path;

use verger_fuzz::seeds;
use verger_testkit::suite;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let suite = suite::load(&root.join("../testdata"))?;
    seeds::write(&seeds::make(&suite), &root.join("seeds"))?;
    Ok(())
}
