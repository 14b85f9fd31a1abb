//! WARC files of real writers and their faults: no false permission, no silent loss.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use crate::common::{read_table, run};
use serde_json::Value;

pub(crate) const RULES: &str = "User-agent: *\nDisallow: /private\n";
pub(crate) const OTHER: &str = "User-agent: *\nDisallow: /cart\n";
/// The digest of [`RULES`] in base32 and in hexadecimal digits, and that of [`OTHER`].
const DIGEST: &str = "sha1:QNUPEWDCWVD2GEOJGNNVCDZCUVA3TOVR";
const HEX_DIGEST: &str = "SHA-1:8368F25862B547A311C9335B510F22A541B9BAB1";
const OTHER_DIGEST: &str = "sha1:MMQ6WE3OUZGSCQPXXRVMFJDFMZIVTCIZ";

/// A record of a robots.txt: site, time, further fields of the head, and the block.
pub(crate) fn record(kind: &str, site: &str, time: &str, fields: &[&str], block: &[u8]) -> Vec<u8> {
    let fields: String = fields.iter().flat_map(|field| [*field, "\r\n"]).collect();
    let head = format!(
        "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {site}/robots.txt\r\n\
        WARC-Date: {time}\r\n{fields}Content-Length: {}\r\n\r\n",
        block.len()
    );
    [head.as_bytes(), block, b"\r\n\r\n"].concat()
}

pub(crate) fn ok(fields: &str, body: &[u8]) -> Vec<u8> {
    [format!("HTTP/1.1 200 OK\r\n{fields}\r\n").as_bytes(), body].concat()
}

pub(crate) fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text).and_then(|()| encoder.finish()).expect("in memory")
}

/// The rows of the policies, columns as texts, and the list of skipped records.
pub(crate) fn policies(folder: &Path, columns: &[&str], status: i32) -> (Vec<String>, Vec<Value>) {
    let output = folder.join("p.parquet");
    let _ = fs::remove_file(folder.join("p.parquet.skipped.jsonl"));
    run(&["policies", "in", "--agent", "ExampleBot", "-o", "p.parquet"], folder, status);
    let text = |row: &Vec<Option<String>>| {
        row.iter().map(|it| it.as_deref().unwrap_or("-")).collect::<Vec<_>>().join(" ")
    };
    let listed = fs::read_to_string(folder.join("p.parquet.skipped.jsonl")).unwrap_or_default();
    let listed = listed.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    (read_table(&output, columns).iter().map(text).collect(), listed)
}

/// Whether `/private/x` and `/cart` are allowed at a time; `-` if that is unknown.
fn answers(folder: &Path, site: &str, time: &str) -> String {
    let urls = format!("url,time\n{site}/private/x,{time}\n{site}/cart,{time}\n");
    fs::write(folder.join("urls.csv"), urls).expect("a file");
    let arguments = ["check", "urls.csv", "--policies", "p.parquet", "--time-column", "time"];
    run(&[&arguments[..], &["-o", "o.parquet", "--restart"]].concat(), folder, 0);
    let rows = read_table(&folder.join("o.parquet"), &["allowed"]);
    rows.iter().map(|row| row[0].as_deref().unwrap_or("-")).collect::<Vec<_>>().join(" ")
}

/// A folder with the archive `in/x.warc`.
pub(crate) fn archive(records: &[Vec<u8>]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("in")).expect("a folder");
    fs::write(folder.path().join("in/x.warc"), records.concat()).expect("a file");
    folder
}

pub(crate) const JANUARY: &str = "2026-01-01T00:00:00Z";
pub(crate) const FEBRUARY: &str = "2026-02-01T00:00:00Z";
pub(crate) const MARCH: &str = "2026-03-01T00:00:00Z";

#[test]
fn a_body_under_a_coding_that_it_no_longer_has_is_the_file() {
    let codings = ["br", "deflate", "gzip", "GZIP", "br, gzip", "zstd"];
    let records: Vec<Vec<u8>> = (0..codings.len())
        .map(|at| {
            let head = "Transfer-Encoding: chunked\r\nContent-Length: 25\r\n";
            let block =
                ok(&format!("Content-Encoding: {}\r\n{head}", codings[at]), RULES.as_bytes());
            record("response", &format!("https://h{at}.example"), JANUARY, &[], &block)
        })
        .collect();
    let folder = archive(&records);
    let (rows, listed) = policies(folder.path(), &["access", "bytes"], 0);
    assert_eq!((rows, listed.len()), (vec!["rules 33".to_owned(); codings.len()], 0));
}

#[test]
fn a_body_that_cannot_be_decoded_is_unknown_and_listed() {
    let undecodable = ok("Content-Encoding: br\r\n", &gzip(RULES.as_bytes()));
    let folder = archive(&[
        // Neither an outage that closes the site, nor one that keeps the older rules.
        record("response", "https://new.example", JANUARY, &[], &undecodable),
        record("response", "https://old.example", JANUARY, &[], &ok("", OTHER.as_bytes())),
        record("response", "https://old.example", FEBRUARY, &[], &undecodable),
        record("response", "https://old.example", MARCH, &[], b"HTTP/1.1 503 Busy\r\n\r\n"),
        record(
            "response",
            "https://up.example",
            JANUARY,
            &[],
            &ok("Content-Encoding: GZIP\r\n", &gzip(RULES.as_bytes())),
        ),
    ]);
    let (rows, listed) = policies(folder.path(), &["origin", "status", "access", "reason"], 1);
    assert_eq!(
        rows,
        [
            "https://new.example 200 unknown undecodable",
            "https://old.example 200 rules -",
            "https://old.example 200 unknown undecodable",
            "https://old.example 503 unknown undecodable",
            "https://up.example 200 rules -",
        ]
    );
    let kinds: Vec<&Value> = listed.iter().map(|skip| &skip["kind"]).collect();
    assert_eq!(kinds, ["undecodable", "undecodable"]);
    assert_eq!(answers(folder.path(), "https://old.example", "2026-03-02"), "- -");
}

#[test]
fn an_extra_line_break_before_the_body_loses_no_rule() {
    let with_mark = format!("\u{feff}{RULES}");
    let body = format!("\r\n{with_mark}");
    let length = format!("Content-Length: {}\r\n", with_mark.len());
    let folder = archive(&[
        record("response", "https://crawl.example", JANUARY, &[], &ok(&length, body.as_bytes())),
        // The site itself sent the line break.
        record("response", "https://site.example", JANUARY, &[], &ok("", body.as_bytes())),
        record(
            "response",
            "https://digest.example",
            JANUARY,
            &[&format!("WARC-Payload-Digest: {DIGEST}")],
            &ok("", format!("\r\n{RULES}").as_bytes()),
        ),
    ]);
    let (rows, _) = policies(folder.path(), &["origin", "bytes"], 0);
    let expected =
        ["https://crawl.example 36", "https://digest.example 33", "https://site.example 38"];
    assert_eq!(rows, expected);
    assert_eq!(answers(folder.path(), "https://crawl.example", "2026-01-02"), "false true");
}

const PROFILE: &str =
    "WARC-Profile: http://netpreserve.org/warc/1.0/revisit/identical-payload-digest";
const UNMODIFIED: &str =
    "WARC-Profile: http://netpreserve.org/warc/1.0/revisit/server-not-modified";

#[test]
fn a_revisit_finds_its_original_by_everything_that_it_says() {
    let hex = format!("WARC-Payload-Digest: {HEX_DIGEST}");
    let digest = format!("WARC-Payload-Digest: {DIGEST}");
    let other_digest = format!("WARC-Payload-Digest: {OTHER_DIGEST}");
    let target = "WARC-Refers-To-Target-URI: https://shop.example/robots.txt";
    let in_brackets = "WARC-Refers-To-Target-URI: <https://shop.example/robots.txt>";
    let date = "WARC-Refers-To-Date: 2026-01-01T00:00:00Z";
    let exact = "WARC-Refers-To-Date: 2026-01-01T00:00:00.25Z";
    let wrong_date = "WARC-Refers-To-Date: 2026-01-01T00:00:01Z";
    let (id, http_id) = ("WARC-Refers-To: <urn:uuid:1>", "WARC-Refers-To: <URN:UUID:H>");
    let absent = "WARC-Refers-To: <urn:uuid:absent>";
    let (first, found) = ("false true", "rules -");
    let missing = ("- -", "unknown original_missing");
    for (fields, (expected, access)) in [
        (vec![PROFILE, &digest], (first, found)),
        (vec![PROFILE, &hex], (first, found)),
        (vec![PROFILE, target, date], (first, found)),
        (vec![PROFILE, in_brackets, exact], (first, found)),
        (vec![PROFILE, date], (first, found)),
        (vec![PROFILE, id], (first, found)),
        (vec![PROFILE, http_id], (first, found)),
        (vec![PROFILE, http_id, &digest], (first, found)),
        (vec![PROFILE, absent, &digest], (first, found)),
        (vec![PROFILE, absent, date], (first, found)),
        (vec![UNMODIFIED, id], (first, found)),
        (vec![UNMODIFIED, date, &other_digest], (first, found)),
        (vec![UNMODIFIED], ("true false", found)),
        // Nothing, or something else than its original.
        (vec![PROFILE], missing),
        (vec![PROFILE, target], missing),
        (vec![PROFILE, wrong_date], missing),
        (vec![PROFILE, absent], missing),
        (vec![PROFILE, date, "WARC-Payload-Digest: sha1:EMPTY"], missing),
        (vec![PROFILE, id, "WARC-Payload-Digest: sha1:EMPTY"], missing),
        (vec![UNMODIFIED, wrong_date], missing),
        (vec![UNMODIFIED, absent], missing),
        (vec![UNMODIFIED, "WARC-Refers-To-Date: yesterday"], missing),
    ] {
        let shop = "https://shop.example";
        let original = |site, time, id: &str, digest: &str, body: &str| {
            let fields = [&*format!("WARC-Record-ID: <urn:uuid:{id}>"), digest];
            record("response", site, time, &fields, &ok("", body.as_bytes()))
        };
        let folder = archive(&[
            original(shop, "2026-01-01T00:00:00.250Z", "1", &digest, RULES),
            original("http://plain.example", JANUARY, "H", &digest, RULES),
            original(shop, FEBRUARY, "2", &other_digest, OTHER),
            record("revisit", shop, MARCH, &fields, &ok("", b"")),
        ]);
        let status = i32::from(access != found);
        let (rows, listed) = policies(folder.path(), &["access", "reason"], status);
        let last = rows.last().unwrap();
        assert!(last.ends_with(access), "{fields:?}: {rows:?}");
        assert_eq!(listed.len(), usize::from(access != found), "{fields:?}: {listed:?}");
        assert_eq!(answers(folder.path(), shop, "2026-03-15"), expected, "{fields:?}");
    }
}

#[test]
fn after_a_damaged_capture_earlier_rules_do_not_remain_in_force() {
    let whole = record("response", "https://h.example", JANUARY, &[], &ok("", OTHER.as_bytes()));
    let next = record("response", "https://n.example", JANUARY, &[], &ok("", OTHER.as_bytes()));
    let of = |kind, block: &[u8]| record(kind, "https://h.example", FEBRUARY, &[PROFILE], block);
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let response = text(of("response", &ok("", RULES.as_bytes())));
    let revisit = text(of("revisit", &ok("", b"")));
    for (damaged, rest, kind) in [
        (of("response", b"no HTTP"), &next, "broken"),
        (of("revisit", b""), &next, "original_missing"),
        (of("response", &ok("Transfer-Encoding: gzip\r\n", RULES.as_bytes())), &next, "truncated"),
        // The end of a file that was not transferred completely.
        (response.as_bytes()[..response.len() - 20].to_vec(), &Vec::new(), "broken"),
        (revisit.as_bytes()[..revisit.len() - 6].to_vec(), &Vec::new(), "broken"),
        (response.replace("Length: ", "Length: x").into_bytes(), &next, "broken"),
        (response.replace("Length: 5", "Length: 1").into_bytes(), &next, "broken"),
        (
            record(
                "response",
                "https://h.example",
                FEBRUARY,
                &["WARC-Segment-Number: 1"],
                &ok("", b"User-agent: *"),
            ),
            &next,
            "truncated",
        ),
    ] {
        let folder = archive(&[whole.clone(), damaged.clone(), rest.clone()]);
        let (rows, listed) = policies(folder.path(), &["origin", "access", "reason"], 1);
        let shown = String::from_utf8_lossy(&damaged);
        let expected = ["https://h.example rules -", &format!("https://h.example unknown {kind}")];
        assert_eq!(rows[..2], expected, "{shown}");
        assert_eq!(rows.len() - 2, usize::from(!rest.is_empty()), "{shown}");
        let skip = &listed[0];
        let place = (&skip["kind"], &skip["at"], &skip["record"]);
        assert_eq!(place, (&kind.into(), &whole.len().into(), &1.into()), "{shown}: {skip}");
        assert_eq!(answers(folder.path(), "https://h.example", "2026-02-02"), "- -", "{shown}");
    }
}

#[test]
fn skipped_records_have_their_offset_and_number() {
    let of = |site: &str, fields: &[&str], block: &[u8]| {
        record("response", &format!("https://{site}.example"), JANUARY, fields, block)
    };
    let redirect = b"HTTP/1.1 301 Moved\r\nLocation: https://x.example/r\r\n\r\n";
    let records = [
        of("a", &[], &ok("", RULES.as_bytes())),
        of("b", &["WARC-Truncated: length"], &ok("", RULES.as_bytes())),
        b"WARC/1.0\r\nno field\r\n\r\n\r\n\r\n".to_vec(),
        of("c", &[], redirect),
    ];
    let packed: Vec<Vec<u8>> = records.iter().map(|record| gzip(record)).collect();
    for (name, records) in [("x.warc", records.to_vec()), ("x.warc.gz", packed)] {
        let folder = archive(&[]);
        fs::remove_file(folder.path().join("in/x.warc")).unwrap();
        fs::write(folder.path().join("in").join(name), records.concat()).unwrap();
        let (_, listed) = policies(folder.path(), &["origin"], 1);
        let mut found: Vec<(u64, u64, String)> = listed
            .iter()
            .map(|skip| {
                let number = |name: &str| skip[name].as_u64().unwrap();
                (number("record"), number("at"), skip["kind"].as_str().unwrap().to_owned())
            })
            .collect();
        found.sort();
        let start = |at: usize| records[..at].concat().len() as u64;
        let expected = [(1, "truncated"), (2, "broken"), (3, "redirect_target_missing")]
            .map(|(at, kind)| (at as u64, start(at), kind.to_owned()));
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn files_of_a_folder_that_are_not_read_are_named() {
    let rules = record("response", "https://h.example", JANUARY, &[], &ok("", RULES.as_bytes()));
    let folder = archive(&[rules]);
    let others = [
        ("end with `.cdx.gz`", 2, "a.cdx.gz"),
        ("end with `.zip`", 1, "x.zip"),
        ("end with `.wet.gz`", 1, "x.warc.wet.gz"),
        ("end with `.parquet.gz`", 1, "x.parquet.gz"),
        ("end with `.txt`", 1, "README.txt"),
        ("have no ending", 1, "LICENSE"),
        ("have the name of an index", 1, "cdx-00000.gz"),
        ("end with `.cdxj`", 1, "x.cdxj"),
        ("end with `.paths`", 1, "x.paths"),
    ];
    for name in others.map(|(.., name)| name).into_iter().chain(["b.cdx.gz"]) {
        fs::write(folder.path().join("in").join(name), "text").unwrap();
    }
    let arguments = ["policies", "in", "--agent", "x", "-o", "p.parquet"];
    let message = String::from_utf8(run(&arguments, folder.path(), 0).stderr).unwrap();
    for (which, count, name) in others {
        let hint = match name {
            "cdx-00000.gz" | "x.cdxj" | "x.paths" => "; they are read only if they are named",
            _ => "",
        };
        let expected = format!(
            "warning: files that {which} were not read: {count}, such as `in/{name}`{hint}\n"
        );
        assert!(message.contains(&expected), "{name}: {message}");
    }
    // Named by the user, it is an error.
    run(&["policies", "in/README.txt", "--agent", "x", "-o", "p.parquet"], folder.path(), 2);
    for number in 0..30 {
        fs::write(folder.path().join(format!("in/x.{number:02}")), "text").unwrap();
    }
    let message = String::from_utf8(run(&arguments, folder.path(), 0).stderr).unwrap();
    assert_eq!(message.matches("were not read").count(), 20, "{message}");
}

#[test]
fn after_a_damaged_member_earlier_rules_do_not_remain_in_force() {
    let of = |url, time, block: &[u8]| record("response", url, time, &[], block);
    let whole = gzip(&of("https://h.example", JANUARY, &ok("", OTHER.as_bytes())));
    let next = gzip(&of("https://n.example", JANUARY, &ok("", OTHER.as_bytes())));
    // Long enough for several blocks of the decoder, and random enough to stay long.
    let lines =
        (0..20_000_u32).map(|line| format!("Disallow: /{}\n", line.wrapping_mul(0x9e37_79b9)));
    let text = lines.fold(RULES.to_owned(), |text, line| text + &line);
    let response = gzip(&of("https://h.example", FEBRUARY, &ok("", text.as_bytes())));
    let flipped = |at: usize| {
        let mut bytes = response.clone();
        bytes[at] ^= 0x10;
        bytes
    };
    let length = response.len();
    for (damaged, rest) in [
        (response[..length - 8].to_vec(), &Vec::new()),
        (response[..length / 2].to_vec(), &Vec::new()),
        // The checksum.
        (flipped(length - 6), &next),
        (flipped(length / 2), &next),
    ] {
        let folder = archive(&[]);
        let bytes = [&whole[..], &damaged, rest].concat();
        fs::write(folder.path().join("in/y.warc.gz"), bytes).unwrap();
        let (rows, listed) = policies(folder.path(), &["origin", "access", "reason"], 1);
        let expected = ["https://h.example rules -", "https://h.example unknown broken"];
        assert_eq!(rows[..2], expected, "{listed:?}");
        assert_eq!(rows.len() - 2, usize::from(!rest.is_empty()), "{listed:?}");
        assert_eq!((listed.len(), &listed[0]["at"]), (1, &whole.len().into()), "{listed:?}");
        assert_eq!(answers(folder.path(), "https://h.example", "2026-02-02"), "- -");
    }
}

#[test]
fn a_change_across_unknown_rules_has_a_row() {
    let unknown = ok("Content-Encoding: br\r\n", &gzip(b"x"));
    let site = |time, block: &[u8]| record("response", "https://h.example", time, &[], block);
    let same = |time, block: &[u8]| record("response", "https://same.example", time, &[], block);
    let folder = archive(&[
        site(JANUARY, &ok("", RULES.as_bytes())),
        site(FEBRUARY, &unknown),
        site(MARCH, &ok("", OTHER.as_bytes())),
        same(JANUARY, &ok("", RULES.as_bytes())),
        same(FEBRUARY, &unknown),
        same(MARCH, &ok("", RULES.as_bytes())),
    ]);
    run(&["changes", "in", "--agent", "x", "-o", "c.jsonl"], folder.path(), 1);
    let text = fs::read_to_string(folder.path().join("c.jsonl")).unwrap();
    let rows: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len(), 1, "{text}");
    let times = (&rows[0]["before"], &rows[0]["after"]);
    assert_eq!(times, (&"2026-01-01T00:00:00Z".into(), &"2026-03-01T00:00:00Z".into()), "{text}");
    assert!(rows[0]["closed"][0].as_str().unwrap().contains("/cart"), "{text}");
    assert!(rows[0]["opened"][0].as_str().unwrap().contains("/private"), "{text}");
}

#[test]
fn metrics_count_the_captures_that_they_do_not_follow() {
    let digest = format!("WARC-Payload-Digest: {DIGEST}");
    let site = |kind, time, fields: &[&str], block: &[u8]| {
        record(kind, "https://h.example", time, fields, block)
    };
    let moved = b"HTTP/1.1 301 Moved\r\nLocation: https://www.h.example/robots.txt\r\n\r\n";
    let folder = archive(&[
        site("response", JANUARY, &[&digest], &ok("", RULES.as_bytes())),
        site("response", FEBRUARY, &[], moved),
        site("revisit", MARCH, &[&digest], &ok("", b"")),
    ]);
    run(&["metrics", "in", "-o", "o.jsonl"], folder.path(), 0);
    let text = fs::read_to_string(folder.path().join("o.jsonl")).unwrap();
    let rows: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let found: Vec<_> = rows.iter().map(|it| (it["status"].as_u64(), &it["disallow"])).collect();
    let null = Value::Null;
    assert_eq!(found, [(Some(200), &1.into()), (Some(301), &null), (Some(200), &null)]);
    let report = fs::read_to_string(folder.path().join("o.jsonl.report.json")).unwrap();
    for count in ["\"captures.redirects\": 1", "\"captures.revisits\": 1"] {
        assert!(report.contains(count), "{report}");
    }
}

#[test]
fn little_memory_changes_no_byte() {
    let mut records = Vec::new();
    for number in 0..120 {
        let long = format!("User-agent: *\n{}", format!("Disallow: /{number}/x\n").repeat(300));
        let site = format!("https://h{number:03}.example");
        for time in [JANUARY, FEBRUARY] {
            records.push(record("response", &site, time, &[], &ok("", long.as_bytes())));
        }
        records.push(record("revisit", &site, MARCH, &[UNMODIFIED], &ok("", b"")));
    }
    let folder = archive(&records);
    let read = |memory: &str| {
        let arguments = ["policies", "in", "--agent", "x", "-o", "p.parquet", "--memory", memory];
        run(&arguments, folder.path(), 0);
        fs::read(folder.path().join("p.parquet")).unwrap()
    };
    let expected = read("100");
    assert!(read("1") == expected);
    let (rows, _) = policies(folder.path(), &["captures"], 0);
    assert_eq!(rows, vec!["3"; 120]);
}
