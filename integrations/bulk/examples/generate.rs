//! Generates input for measurements: robots.txt files of many origins, and lists of URLs.
//!
//! `generate FOLDER MEGABYTES ORIGINS [random]` writes `captures.parquet` and `urls/*.parquet`. The
//! URLs take the given size on disk, with Snappy. URLs of an origin are neighbours, as in the indexes
//! of archives, unless `random` is given. Files are those of the corpus if it is there.

use std::error::Error;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;

use arrow_array::{Array as _, ArrayRef, BinaryArray, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use verger_testkit::corpus::corpus;

/// Rows of a batch and of a row group.
const BATCH: usize = 16 * 1024;
const GROUP: usize = 1024 * 1024;

/// Largest number of neighbouring URLs of an origin.
const RUN: u64 = 40;

/// Bytes of a file with URLs.
const FILE_BYTES: usize = 500_000_000;

/// Pseudorandom numbers, the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, megabytes, origins, order @ ..] = arguments.as_slice() else {
        return Err("expected FOLDER MEGABYTES ORIGINS [random]".into());
    };
    let (megabytes, origins): (usize, u64) = (megabytes.parse()?, origins.parse()?);
    let is_random = order.first().is_some_and(|order| order == "random");
    let folder = Path::new(folder);
    fs::create_dir_all(folder.join("urls"))?;
    captures(&folder.join("captures.parquet"), origins)?;
    let (mut written, mut rows, mut number) = (0, 0, 0);
    let mut numbers = Numbers(1);
    while written < megabytes * 1_000_000 {
        let wanted = (megabytes * 1_000_000 - written).min(FILE_BYTES);
        let path = folder.join(format!("urls/{number:03}.parquet"));
        rows += urls(&path, wanted, origins, is_random, &mut numbers)?;
        written += usize::try_from(path.metadata()?.len())?;
        number += 1;
    }
    println!("{rows} URLs in {written} bytes");
    Ok(())
}

fn captures(path: &Path, origins: u64) -> Result<(), Box<dyn Error>> {
    let files: Vec<Vec<u8>> = match corpus()? {
        Some(files) => files.into_values().collect(),
        None => (0..4_000).map(|seed| generated(&mut Numbers(seed))).collect(),
    };
    let mut writer = writer(path, "robots")?;
    let all: Vec<u64> = (0..origins).collect();
    for batch in all.chunks(1_024) {
        let names = batch.iter().map(|&it| origin(it));
        let texts = batch
            .iter()
            .map(|&it| files[usize::try_from(it).unwrap_or(0) % files.len()].as_slice());
        let columns: [(&str, ArrayRef); 2] = [
            ("origin", Arc::new(StringArray::from_iter_values(names))),
            ("robots", Arc::new(BinaryArray::from_iter_values(texts))),
        ];
        writer.write(&RecordBatch::try_from_iter(columns)?)?;
    }
    writer.close()?;
    Ok(())
}

fn urls(
    path: &Path,
    bytes: usize,
    origins: u64,
    is_random: bool,
    numbers: &mut Numbers,
) -> Result<u64, Box<dyn Error>> {
    let words = [
        "catalogue",
        "product",
        "search",
        "wp-content",
        "images",
        "news",
        "user",
        "tag",
        "page",
        "archive",
    ];
    let mut writer = writer(path, "url")?;
    let (mut left, mut of, mut rows) = (0, 0, 0);
    while writer.bytes_written() + writer.in_progress_size() < bytes {
        let batch = StringArray::from_iter_values((0..BATCH).map(|_| {
            if left == 0 {
                of = numbers.below(origins);
                left = if is_random { 1 } else { 1 + numbers.below(RUN) };
            }
            left -= 1;
            let mut url = origin(of);
            for _ in 0..=numbers.below(3) {
                let _ = write!(url, "/{}", words[usize::try_from(numbers.below(10)).unwrap_or(0)]);
            }
            let _ = write!(url, "/{:x}.html", numbers.below(1 << 30));
            url
        }));
        rows += batch.len() as u64;
        let columns: [(&str, ArrayRef); 1] = [("url", Arc::new(batch))];
        writer.write(&RecordBatch::try_from_iter(columns)?)?;
    }
    writer.close()?;
    Ok(rows)
}

fn writer(path: &Path, column: &str) -> Result<ArrowWriter<File>, Box<dyn Error>> {
    let field = match column {
        "url" => vec![arrow_schema::Field::new("url", arrow_schema::DataType::Utf8, false)],
        _ => vec![
            arrow_schema::Field::new("origin", arrow_schema::DataType::Utf8, false),
            arrow_schema::Field::new("robots", arrow_schema::DataType::Binary, false),
        ],
    };
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_dictionary_enabled(false)
        .set_max_row_group_row_count(Some(GROUP))
        .build();
    let schema = Arc::new(arrow_schema::Schema::new(field));
    Ok(ArrowWriter::try_new(File::create(path)?, schema, Some(properties))?)
}

fn origin(number: u64) -> String {
    format!("https://www.site-{number}.example")
}

fn generated(numbers: &mut Numbers) -> Vec<u8> {
    let mut text = String::from("User-agent: *\n");
    for _ in 0..numbers.below(60) {
        let _ = writeln!(text, "Disallow: /{}/{}", numbers.below(30), numbers.below(30));
    }
    text.into_bytes()
}
