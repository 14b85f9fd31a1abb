//! ARC and WACZ files: the captures of the same records in WARC, and damage.

use std::fs;
use std::path::Path;

use crate::warc::{FEBRUARY, JANUARY, MARCH, OTHER, RULES, archive, gzip, ok, policies, record};
use serde_json::Value;

/// A record of an ARC file, version 1 or 2: site, time, and the block.
pub(crate) fn arc_record(version: u8, site: &str, time: &str, block: &[u8]) -> Vec<u8> {
    let time: String = time.chars().filter(char::is_ascii_digit).collect();
    let more = if version == 1 { "" } else { " 200 0a1b2c - 77 x.arc" };
    let line = format!("{site}/robots.txt 192.0.2.1 {time} text/plain{more} {}\n", block.len());
    [line.as_bytes(), block, b"\n"].concat()
}

/// A ZIP file with entries that are stored.
pub(crate) fn zip(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let (mut file, mut directory) = (Vec::new(), Vec::new());
    for (name, content) in entries {
        let mut checksum = flate2::Crc::new();
        checksum.update(content);
        let four = |number: usize| u32::try_from(number).expect("short").to_le_bytes();
        let fields = [
            &[20, 0, 0, 0, 0, 0, 0, 0, 0x21, 0][..],
            &checksum.sum().to_le_bytes(),
            &four(content.len()),
            &four(content.len()),
            &four(name.len()),
        ]
        .concat();
        let offset = four(file.len());
        file.extend([&b"PK\x03\x04"[..], &fields, name.as_bytes(), content].concat());
        let head = [&b"PK\x01\x02\x14\x00"[..], &fields, &[0; 10], &offset, name.as_bytes()];
        directory.extend(head.concat());
    }
    let count = u16::try_from(entries.len()).expect("few").to_le_bytes();
    let [length, start] =
        [directory.len(), file.len()].map(|it| u32::try_from(it).expect("short").to_le_bytes());
    let end = [&b"PK\x05\x06\0\0\0\0"[..], &count, &count, &length, &start, b"\0\0"].concat();
    [file, directory, end].concat()
}

#[test]
fn archives_of_every_form_have_the_captures_of_their_records() {
    let blocks = [
        ("https://a.example", JANUARY, ok("", RULES.as_bytes())),
        ("https://a.example", FEBRUARY, b"HTTP/1.1 503 Busy\r\n\r\n".to_vec()),
        ("http://b.example", JANUARY, ok("Content-Encoding: gzip\r\n", &gzip(OTHER.as_bytes()))),
        ("http://c.example", MARCH, ok("Content-Length: 99\r\n", RULES.as_bytes())),
        ("https://d.example", MARCH, b"HTTP/1.0 404 Not Found\r\n\r\n<p>".to_vec()),
        ("https://e.example", MARCH, ok("x-commoncrawl-ContentTruncated: x\r\n", b"User-a")),
        ("https://f.example", MARCH, b"HTTP/1.1 301 Moved\r\nLocation: /x\r\n\r\n".to_vec()),
    ];
    let truncated = "WARC-Truncated: length";
    let records = blocks.each_ref().map(|(site, time, block)| {
        let fields: &[&str] = if site.contains("e.example") { &[truncated] } else { &[] };
        record("response", site, time, fields, block)
    });
    let arc = |version: u8| {
        let lines =
            format!("{version} 0 x\nURL IP-address Archive-date Content-type Archive-length\n");
        let length = lines.len();
        let head =
            format!("filedesc://x.arc 0.0.0.0 20260101000000 text/plain {length}\n{lines}\n");
        let of =
            |(site, time, block): &(&str, &str, Vec<u8>)| arc_record(version, site, time, block);
        [head.into_bytes()].into_iter().chain(blocks.iter().map(of)).collect::<Vec<_>>()
    };
    let gzipped =
        |records: &[Vec<u8>]| records.iter().map(|it| gzip(it)).collect::<Vec<_>>().concat();
    let (plain, packed) = (records.concat(), gzipped(&records));
    let (first, second) = (gzipped(&records[..2]), gzipped(&records[2..]));
    let both: [(&str, &[u8]); 5] = [
        ("datapackage.json", b"{}"),
        ("archive/readme.txt", b"no archive"),
        ("archive/a.warc.gz", &first),
        ("indexes/index.cdx", b"x"),
        ("archive/b.warc.gz", &second),
    ];
    let table = |folder: &Path| {
        let (rows, listed) = policies(folder, &["origin"], 1);
        let kinds: Vec<_> = listed.iter().map(|skip| skip["kind"].clone()).collect();
        let expected = ["truncated", "truncated", "redirect_target_missing"].map(Value::from);
        assert_eq!((rows.len(), kinds), (blocks.len(), expected.to_vec()));
        assert!(listed.iter().all(|skip| skip["record"].is_u64()), "{listed:?}");
        fs::read(folder.join("p.parquet")).unwrap()
    };
    let expected = table(archive(&records).path());
    for (name, content) in [
        ("x.warc.gz", packed.clone()),
        ("x.arc", arc(1).concat()),
        ("x.arc.gz", gzipped(&arc(1))),
        ("x.arc.gz", gzip(&arc(2).concat())),
        ("x.wacz", zip(&both)),
        ("x.wacz", zip(&[("archive/x.warc", &plain)])),
        ("x.wacz", zip(&[("archive/x.arc.gz", &gzipped(&arc(2)))])),
    ] {
        let folder = archive(&[]);
        fs::remove_file(folder.path().join("in/x.warc")).unwrap();
        fs::write(folder.path().join("in").join(name), content).unwrap();
        assert!(table(folder.path()) == expected, "{name}");
    }
}

#[test]
fn damage_to_a_wacz_loses_only_the_damaged_record() {
    let of = |name: &str| {
        let site = format!("https://{name}.example");
        record("response", &site, JANUARY, &[], &ok("", RULES.as_bytes()))
    };
    let sites = ["a", "b", "c", "d"];
    let packed = sites.map(|site| gzip(&of(site)));
    let start = packed[0].len();
    let content = packed.concat();
    let entries: [(&str, &[u8]); 2] =
        [("archive/x.warc.gz", &content), ("archive/y.warc", &of("e"))];
    let read = |bytes: &[u8]| {
        let folder = archive(&[]);
        fs::remove_file(folder.path().join("in/x.warc")).unwrap();
        fs::write(folder.path().join("in/x.wacz"), bytes).unwrap();
        let (rows, listed) = policies(folder.path(), &["origin"], 1);
        let skip = |skip: &Value| {
            let text = |name: &str| skip[name].as_str().unwrap().to_owned();
            (text("input"), skip["at"].as_u64().unwrap(), text("message"))
        };
        let rows: String = rows.iter().map(|row| &row[8..9]).collect();
        (rows, listed.iter().map(skip).collect::<Vec<_>>())
    };
    let flipped = |bytes: &[u8], at: usize| {
        let mut bytes = bytes.to_vec();
        bytes[at] ^= 0x20;
        bytes
    };
    let place =
        |bytes: &[u8], part: &[u8]| bytes.windows(part.len()).position(|it| it == part).unwrap();

    // A stored entry: the place is that in the entry.
    let stored = zip(&entries);
    let (rows, listed) = read(&flipped(&stored, place(&stored, &packed[1]) + packed[1].len() / 2));
    assert_eq!(rows, "acde");
    assert_eq!((&*listed[0].0, listed[0].1), ("in/x.wacz/archive/x.warc.gz", start as u64));
    // A header that is damaged, and an entry that is encrypted or deflated: other entries are read.
    let second = place(&stored, b"archive/y.warc");
    let with = |at: usize, byte: u8| [&stored[..at], &[byte], &stored[at + 1..]].concat();
    let directory = stored.len() - 22 - 46 - "archive/y.warc".len();
    let deflated = with(directory + 10, 8);
    for (bytes, expected) in [
        (with(second - 30, b'X'), "expected the header of a ZIP entry"),
        (with(directory + 8, 1), "expected a ZIP entry without compression: `zip -0` stores it"),
        (deflated, "expected a ZIP entry without compression: `zip -0` stores it"),
    ] {
        let (rows, listed) = read(&bytes);
        let expected = ("in/x.wacz/archive/y.warc".to_owned(), 0, expected.to_owned());
        assert_eq!((&*rows, listed), ("abcd", vec![expected]));
    }
    // No ZIP file, a part of one, and one without archives.
    let empty = zip(&[("pages/pages.jsonl", b"")]);
    let other = zip(&[("archive/readme.txt", b"x"), ("archive/b.txt", b"x")]);
    for bytes in [&b"no zip"[..], &stored[..stored.len() - 9], &empty, &other] {
        let (rows, listed) = read(bytes);
        let expected = "expected a ZIP file with WARC files in `archive/`";
        assert_eq!(listed, [("in/x.wacz".to_owned(), 0, expected.to_owned())]);
        assert_eq!(rows, "");
    }
}
