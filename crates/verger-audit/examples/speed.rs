//! Measures the reader: `cargo run --release -p verger-audit --example speed -- LOG [LOG_FORMAT]`.

use std::error::Error;
use std::fs::File;
use std::io::{Write as _, stdout};
use std::time::Instant;

use verger_audit::log::{LogFormat, read_log};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("missing a log")?;
    let format = arguments.next().map(|text| LogFormat::custom(&text)).transpose()?;
    let (start, mut read) = (Instant::now(), 0);
    let totals = read_log(File::open(path)?, format.as_ref(), |request| {
        read += request.target.len() + usize::from(request.at.is_some());
    })?;
    let each = start.elapsed().as_nanos() / u128::from(totals.requests.max(1));
    writeln!(stdout(), "{totals:?}\n{read} bytes of targets; {each} ns for each request")?;
    Ok(())
}
