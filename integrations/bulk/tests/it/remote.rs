//! Inputs and outputs on servers: the same bytes as from files, and no silent loss.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Output;
use std::sync::Arc;

use arrow_array::{ArrayRef, Int32Array, StringArray};

use crate::archives::{arc_record, zip};
use crate::common::server::{Fault, Server};
use crate::common::{bulk, read_table, run, write_table};
use crate::warc::gzip;

/// Runs the program with a server as S3.
#[track_caller]
fn run_with(server: &Server, arguments: &[&str], folder: &Path, status: i32) -> Output {
    let mut command = bulk(arguments, folder);
    command.env("AWS_ENDPOINT_URL", server.url("")).env("AWS_ALLOW_HTTP", "true");
    command.env("AWS_ACCESS_KEY_ID", "id").env("AWS_SECRET_ACCESS_KEY", "key");
    let output = command.env("AWS_REGION", "us-east-1").output().expect("the program is built");
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(status), "{arguments:?}: {message}");
    output
}

/// A response of an archive as a gzip member.
fn member(url: &str, http: &str) -> Vec<u8> {
    let length = http.len();
    let head = format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\n\
        WARC-Date: 2026-01-01T00:00:00Z\r\nContent-Length: {length}\r\n\r\n"
    );
    gzip(format!("{head}{http}\r\n\r\n").as_bytes())
}

/// An archive with robots.txt files and pages, some of this length, and the places of the former.
fn archive(page: usize, site: &str) -> (Vec<u8>, Vec<(String, usize, usize)>) {
    let (mut bytes, mut places, mut random) = (Vec::new(), Vec::new(), 1_u32);
    let mut letter = || {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        char::from(b'a' + (random >> 24) as u8 % 26)
    };
    for number in 0..20 {
        let length = if number % 8 == 3 { page } else { 50 };
        let page: String = (0..length).map(|_| letter()).collect();
        let page = format!("HTTP/1.1 200 OK\r\n\r\n{page}");
        bytes.extend(member(&format!("https://{site}{number}.example/"), &page));
        let url = format!("https://{site}{number}.example/robots.txt");
        let robots = format!("HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow: /{number}\n");
        let one = member(&url, &robots);
        places.push((url, bytes.len(), one.len()));
        bytes.extend(one);
    }
    (bytes, places)
}

/// A folder with the archives `crawl/x/a.warc.gz` and `crawl/x/b.warc.gz`, and lists and indexes of
/// them, all of it also on the server, in the bucket `b`.
fn archives(server: &Server) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir_all(folder.path().join("crawl/x")).expect("a folder");
    let put = |name: &str, bytes: &[u8]| {
        fs::write(folder.path().join(name), bytes).expect("a file");
        server.put(&format!("/b/{name}"), bytes);
    };
    let (mut lines, mut rows) = (String::new(), Vec::new());
    for (site, page) in [("a", 100), ("b", 600_000)] {
        let (bytes, places) = archive(page, site);
        let name = format!("crawl/x/{site}.warc.gz");
        put(&name, &bytes);
        for (url, start, length) in places {
            let _ = write!(
                lines,
                "com,x)/{{a}} 20260101000000 {{\"url\": \"{url}\", \"offset\": \"{start}\", \"length\": \"{length}\", \
                \"filename\": \"{name}\"}}\nkey 20260101000000 {{\"url\": \"https://x.example/\", \
                \"offset\": \"0\", \"length\": \"9\", \"filename\": \"{name}\"}}\n"
            );
            rows.push((name.clone(), start, length));
        }
    }
    put("crawl/list.paths.gz", &gzip(b"crawl/x/a.warc.gz\ncrawl/x/b.warc.gz\n"));
    put("crawl/x/index.cdxj.gz", &gzip(lines.as_bytes()));
    put("cdx-00000", format!("!meta\n{lines}").as_bytes());
    let number = |of: fn(&(String, usize, usize)) -> usize| -> ArrayRef {
        Arc::new(Int32Array::from_iter_values(
            rows.iter().map(|row| i32::try_from(of(row)).expect("a small number")),
        ))
    };
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("url_path", Arc::new(StringArray::from_iter_values(rows.iter().map(|_| "/robots.txt")))),
        ("warc_filename", Arc::new(StringArray::from_iter_values(rows.iter().map(|row| &row.0)))),
        ("warc_record_offset", number(|row| row.1)),
        ("warc_record_length", number(|row| row.2)),
    ];
    write_table(&folder.path().join("index.parquet"), columns, 15);
    put("index.parquet", &fs::read(folder.path().join("index.parquet")).expect("a file"));
    folder
}

#[test]
fn the_rows_are_those_of_local_archives() {
    let server = Server::start();
    let folder = archives(&server);
    let agent = ["--agent", "x", "-o", "o.parquet", "--compression", "none"];
    let bytes = || fs::read(folder.path().join("o.parquet")).unwrap();
    run(&[&["policies", "crawl/x"][..], &agent].concat(), folder.path(), 0);
    let expected = bytes();
    let rows = read_table(&folder.path().join("o.parquet"), &["origin", "access"]);
    assert_eq!(rows.len(), 40);
    let (s3, http) = ("s3://b/", server.url("/b/"));
    let files = ["crawl/x/a.warc.gz", "crawl/x/b.warc.gz"];
    let inputs = |base: &str, names: &[&str]| -> Vec<String> {
        names.iter().map(|name| format!("{base}{name}")).collect()
    };
    for base in ["", s3, &http] {
        for names in [
            &files[..],
            &["crawl/list.paths.gz"],
            &["crawl/x/index.cdxj.gz"],
            &["cdx-00000"],
            &["index.parquet"],
        ] {
            for threads in ["1", "2"] {
                let inputs = inputs(base, names);
                let mut arguments = vec!["policies", "--threads", threads];
                arguments.extend(inputs.iter().map(String::as_str));
                arguments.extend(agent);
                run_with(&server, &arguments, folder.path(), 0);
                assert_eq!(bytes(), expected, "{arguments:?}");
            }
        }
    }
    // Another base than the place of the index.
    fs::rename(folder.path().join("cdx-00000"), folder.path().join("crawl/cdx-00000")).unwrap();
    let arguments = [&["policies", "crawl/cdx-00000", "--base", s3][..], &agent].concat();
    run_with(&server, &arguments, folder.path(), 0);
    assert_eq!(bytes(), expected);
}

#[test]
fn an_index_selects_the_ranges_that_are_requested() {
    let server = Server::start();
    let folder = archives(&server);
    let arguments = ["policies", "s3://b/crawl/x/index.cdxj.gz", "--agent", "x", "-o", "o.parquet"];
    server.requests();
    run_with(&server, &arguments, folder.path(), 0);
    let requests = server.requests();
    let of = |name: &str| requests.iter().filter(|it| it.contains(name)).count();
    // Small gaps are read with one request, large ones are not.
    assert_eq!(
        (of("GET /b/crawl/x/a.warc.gz"), of("HEAD /b/crawl/x/b.warc.gz")),
        (1, 0),
        "{requests:?}"
    );
    assert!(of("GET /b/crawl/x/b.warc.gz") > 1, "{requests:?}");
}

#[test]
fn places_that_an_index_has_wrong_are_listed() {
    let server = Server::start();
    let folder = archives(&server);
    let (bytes, places) = archive(100, "a");
    let (_, good, length) = places[3].clone();
    let one = |start: usize, length: usize, name: &str| {
        format!(
            "k 1 {{\"url\": \"https://a.example/robots.txt\", \"offset\": {start}, \"length\": {length}, \
            \"filename\": \"{name}\"}}\n"
        )
    };
    let name = "crawl/x/a.warc.gz";
    let index = [
        one(good, length, name),
        one(good + 1, length, name),
        one(places[4].1, 20, name),
        one(bytes.len() + 5, 9, name),
        one(good, length, "../a.warc.gz"),
        one(good, length, "https://elsewhere.example/a.warc.gz"),
        one(good, length, "a.zip"),
        one(good, 0, name),
        "no index\n".to_owned(),
    ];
    fs::write(folder.path().join("i.cdxj"), index.concat()).unwrap();
    server.put("/b/i.cdxj", index.concat().as_bytes());
    for input in ["i.cdxj", "s3://b/i.cdxj"] {
        run_with(&server, &["metrics", input, "-o", "o.parquet"], folder.path(), 1);
        let rows = read_table(&folder.path().join("o.parquet"), &["origin"]);
        assert_eq!(rows, [[Some("https://a3.example".to_owned())]], "{input}");
        let listed = fs::read_to_string(folder.path().join("o.parquet.skipped.jsonl")).unwrap();
        let count = |kind: &str| listed.lines().filter(|line| line.contains(kind)).count();
        assert_eq!((count("\"broken\""), count("\"broken_row\"")), (3, 5), "{listed}");
    }
}

#[test]
fn tables_are_read_and_outputs_written_as_on_this_machine() {
    let server = Server::start();
    let folder = tempfile::tempdir().unwrap();
    let captures =
        "{\"url\":\"https://h.example\",\"robots\":\"User-agent: *\\nDisallow: /7\\n\"}\n";
    fs::write(folder.path().join("c.jsonl"), captures).unwrap();
    run(&["policies", "c.jsonl", "--agent", "x", "-o", "p.parquet"], folder.path(), 0);
    let urls: Vec<String> = (0..30_000).map(|at| format!("https://h.example/{at}")).collect();
    let column = || Arc::new(StringArray::from_iter_values(&urls)) as ArrayRef;
    let columns = vec![("id", column()), ("url", column())];
    write_table(&folder.path().join("u.parquet"), columns, 10_000);
    fs::write(folder.path().join("u.txt"), urls.join("\n")).unwrap();
    fs::write(folder.path().join("u.csv"), format!("url\n{}", urls.join("\n"))).unwrap();
    for name in ["u.parquet", "u.txt", "u.csv", "p.parquet"] {
        server.put(&format!("/b/{name}"), &fs::read(folder.path().join(name)).unwrap());
    }
    for name in ["u.parquet", "u.txt", "u.csv"] {
        for output in ["o.parquet", "o.jsonl"] {
            let local = ["check", name, "--policies", "p.parquet", "-o", output];
            run(&local, folder.path(), 0);
            let expected = fs::read(folder.path().join(output)).unwrap();
            let (input, remote) = (format!("s3://b/{name}"), format!("s3://b/o/{output}"));
            let arguments = ["check", &input, "--policies", "s3://b/p.parquet", "-o", &remote];
            run_with(&server, &arguments, folder.path(), 0);
            assert_eq!(server.get(&format!("/b/o/{output}")).as_ref(), Some(&expected), "{name}");
            assert!(server.get(&format!("/b/o/{output}.report.json")).is_some());
            // The version once. Of Parquet, also the metadata, then a column of each row group.
            let requests = server.requests();
            let of = |method: &str| {
                let start = format!("{method} /b/{name}");
                requests.iter().filter(|it| it.starts_with(&start)).count()
            };
            let reads = if name == "u.parquet" { 4 } else { 1 };
            assert_eq!((of("HEAD"), of("GET")), (1, reads), "{requests:?}");
            assert!(!folder.path().join(format!("{output}.work")).exists());
        }
    }
    // Parts of an earlier run are removed, also if the server does not tell whether they exist.
    let arguments = ["check", "u.txt", "--policies", "p.parquet", "-o", "s3://b/folder/"];
    let known = &[Fault::None; 3][..];
    let denied = Fault::Status(403);
    for (faults, status) in
        [(known.to_vec(), 0), ([known, &[denied]].concat(), 0), ([known, &[denied; 2]].concat(), 2)]
    {
        server.put("/b/folder/part-00001.parquet", b"of an earlier run");
        server.fail(&faults);
        let output = run_with(&server, &arguments, folder.path(), status);
        assert!(server.get("/b/folder/part-00000.parquet").is_some());
        let left = server.get("/b/folder/part-00001.parquet").is_some();
        assert_eq!(left, status != 0, "{faults:?}");
        let message = String::from_utf8_lossy(&output.stderr);
        let expected = "could not remove `s3://b/folder/part-00001.parquet`";
        assert_eq!(message.contains(expected), left, "{message}");
    }
}

#[test]
fn folders_are_searched_as_on_this_machine() {
    let server = Server::start();
    let folder = archives(&server);
    for name in [".hidden.warc.gz", ".hidden/y.warc.gz", "readme.md"] {
        server.put(&format!("/b/crawl/x/{name}"), b"not read");
    }
    run(&["metrics", "crawl", "-o", "o.parquet"], folder.path(), 0);
    let expected = fs::read(folder.path().join("o.parquet")).unwrap();
    let metrics = ["metrics", "s3://b/crawl/", "-o", "o.parquet"];
    let output = run_with(&server, &metrics, folder.path(), 0);
    assert!(fs::read(folder.path().join("o.parquet")).unwrap() == expected);
    let message = String::from_utf8_lossy(&output.stderr);
    let expected = "`.md` were not read: 1, such as `s3://b/crawl/x/readme.md`";
    assert!(message.contains(expected), "{message}");
    assert!(!message.contains("hidden"), "{message}");
}

#[test]
fn a_run_with_an_output_in_s3_continues_beside_its_inputs() {
    let server = Server::start();
    let folder = tempfile::tempdir().unwrap();
    let captures = "{\"url\":\"https://h.example\",\"robots\":\"\"}\n";
    fs::write(folder.path().join("c.jsonl"), captures).unwrap();
    for more in [&[][..], &["--work", "./w"]] {
        let output = ["policies", ".", "--agent", "x", "-o", "s3://b/x.jsonl"];
        let arguments = [&output, more].concat();
        // The object can be begun, and is then refused.
        server.fail(&[Fault::None, Fault::None, Fault::Status(403)]);
        let output = run_with(&server, &arguments, folder.path(), 2);
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(message.contains("could not write `s3://b/x.jsonl`"), "{message}");
        let output = run_with(&server, &arguments, folder.path(), 0);
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(message.contains("continuing; finished tasks: "), "{message}");
        let rows = server.get("/b/x.jsonl").unwrap();
        assert_eq!(String::from_utf8_lossy(&rows).lines().count(), 1);
        let left: Vec<_> = fs::read_dir(folder.path()).unwrap().collect();
        assert_eq!(left.len(), 1, "{left:?}");
    }
}

#[test]
fn an_output_that_cannot_be_written_is_an_error_before_the_run() {
    let server = Server::start();
    let folder = archives(&server);
    for (output, expected) in [
        ("s3://missing/o.parquet", "could not write `s3://missing/o.parquet`"),
        ("s3://missing/o/", "could not write `s3://missing/o/part-00000.parquet`"),
        ("s3://b/", "expected a name after the bucket, but found `s3://b/`"),
        ("s3://b.parquet", "expected a name after the bucket, but found `s3://b.parquet`"),
    ] {
        server.requests();
        // After the version of the input, the upload begins.
        server.fail(&[Fault::None, Fault::Status(404)]);
        let arguments = ["metrics", "s3://b/crawl/x/a.warc.gz", "-o", output];
        let found = run_with(&server, &arguments, folder.path(), 2);
        let message = String::from_utf8_lossy(&found.stderr);
        assert!(message.contains(expected), "{message}");
        let requests = server.requests();
        assert!(!requests.iter().any(|it| it.starts_with("GET")), "{requests:?}");
    }
}

#[test]
fn failed_requests_are_repeated_and_never_count_as_damage() {
    let server = Server::start();
    let folder = archives(&server);
    let good = ["metrics", "s3://b/crawl/x/a.warc.gz", "-o", "o.jsonl"];
    run_with(&server, &good, folder.path(), 0);
    let expected = fs::read(folder.path().join("o.jsonl")).unwrap();
    for faults in [
        &[Fault::Status(503), Fault::Status(500)][..],
        // The first response is the version of the object.
        &[Fault::Status(503), Fault::Cut, Fault::Cut, Fault::Cut],
    ] {
        server.fail(faults);
        run_with(&server, &good, folder.path(), 0);
        assert_eq!(fs::read(folder.path().join("o.jsonl")).unwrap(), expected);
    }
    // The object is there, but its contents are denied: an error, and no damaged record.
    server.fail(&[Fault::Cut, Fault::Cut, Fault::Status(403)]);
    let output = run_with(&server, &["metrics", good[1], "-o", "f.jsonl"], folder.path(), 2);
    assert!(String::from_utf8_lossy(&output.stderr).contains("answered 403"), "{output:?}");
}

#[test]
fn errors_have_a_remedy_only_if_it_helps() {
    let server = Server::start();
    let folder = archives(&server);
    let place = "\"offset\": 0, \"length\": 9, \"filename\": \"none.warc.gz\"";
    let index = format!("k 1 {{\"url\": \"https://a.example/robots.txt\", {place}}}\n");
    server.put("/b/none.cdxj", index.as_bytes());
    server.put("/b/none.paths", b"none.csv\n");
    let url = |path: &str| server.url(path);
    let there = "s3://b/crawl/x/a.warc.gz";
    let check = ["check", "--policies", "p.parquet", "s3://b/none.paths"];
    let (base, continues) = (Some("relative to `--base`"), Some("the same command continues"));
    let not_found = "the server answered 404";
    let missing = "could not read `s3://b/missing.warc`: the server answered 404";
    for (arguments, faults, expected, hint) in [
        (&["metrics", "s3://b/none.cdxj"][..], &[][..], not_found, base),
        (&["metrics", "s3://b/missing.warc"], &[], missing, None),
        (&["metrics", &url("/b/missing.warc")], &[], not_found, None),
        (&["metrics", "s3://b/none.paths"], &[], not_found, base),
        (&check, &[], not_found, None),
        // The object is removed after its version was read.
        (&["metrics", there], &[Fault::None, Fault::Status(404)], not_found, continues),
        (&["metrics", there, "-o", "-"], &[Fault::None, Fault::Status(404)], not_found, None),
        (&["metrics", there], &[Fault::None, Fault::Short], "a part of the range", continues),
        (&["metrics", there], &[Fault::Status(403)], "answered 403", Some("AWS_ACCESS_KEY_ID")),
        (&["metrics", there], &[Fault::Status(301)], "redirect", Some("AWS_REGION")),
        (
            &["metrics", &url("/b/crawl/x/a.warc.gz")],
            &[Fault::Cut, Fault::Cut, Fault::NoRange],
            "ange",
            Some("support requests for ranges"),
        ),
        (&["metrics", &url("/b/a?secret.warc")], &[], "without a user, query or fragment", None),
        (&["metrics", &url("/b/")], &[], "no list of files", Some("ends with `.paths`")),
    ] {
        server.fail(faults);
        let output = if arguments.contains(&"-o") { &[][..] } else { &["-o", "f.jsonl"] };
        let arguments = [arguments, output, &["--restart"]].concat();
        let output = run_with(&server, &arguments, folder.path(), 2);
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(message.contains(expected), "{arguments:?}: {message}");
        let found = message.split_once("hint: ").map(|(_, found)| found);
        let is_right = match (found, hint) {
            (Some(found), Some(hint)) => found.contains(hint),
            (found, hint) => found.is_none() && hint.is_none(),
        };
        assert!(is_right, "{arguments:?}: {message}");
        assert!(!folder.path().join("f.jsonl").exists());
    }
}

#[test]
fn archives_of_every_form_and_damaged_ones_are_read_as_on_this_machine() {
    let server = Server::start();
    let folder = tempfile::tempdir().unwrap();
    let (content, places) = archive(300_000, "a");
    let mut damaged = content.clone();
    for (_, start, length) in [&places[2], &places[9]] {
        damaged[start + length / 2] ^= 0x20;
    }
    let robots = b"HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow: /private\n";
    let arc = arc_record(2, "https://h.example", "2026-01-01T00:00:00Z", robots);
    let entries: [(&str, &[u8]); 2] = [("archive/x.warc.gz", &damaged), ("archive/y.arc", &arc)];
    for (name, bytes, status) in [
        ("x.arc.gz", gzip(&arc), 0),
        ("damaged.warc.gz", damaged.clone(), 1),
        ("cut.warc.gz", content[..content.len() - 40].to_vec(), 1),
        ("x.wacz", zip(&entries), 1),
    ] {
        fs::write(folder.path().join(name), &bytes).unwrap();
        server.put(&format!("/b/{name}"), &bytes);
        run(&["metrics", name, "-o", "o.jsonl"], folder.path(), status);
        let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap_or_default();
        let (rows, skipped) = (read("o.jsonl"), read("o.jsonl.skipped.jsonl"));
        server.requests();
        let remote = format!("s3://b/{name}");
        run_with(&server, &["metrics", &remote, "-o", "o.jsonl"], folder.path(), status);
        assert_eq!(read("o.jsonl"), rows, "{name}");
        assert_eq!(read("o.jsonl.skipped.jsonl").replace("s3://b/", ""), skipped);
        let requests = server.requests();
        assert!(requests.len() < 20, "{requests:?}");
    }
}

#[test]
fn an_object_that_changes_during_a_run_is_an_error() {
    let server = Server::start();
    let folder = tempfile::tempdir().unwrap();
    let line = "{\"url\":\"https://h.example\",\"robots\":\"User-agent: *\\nDisallow: /\"}\n";
    server.put("/b/c.jsonl", line.repeat(150_000).as_bytes());
    // The first responses are the version of the object, and that for reading.
    for faults in [&[Fault::Replaced][..], &[Fault::Cut, Fault::Cut, Fault::Replaced]] {
        server.put("/b/c.jsonl", line.repeat(150_000).as_bytes());
        server.fail(faults);
        let arguments = ["metrics", "s3://b/c.jsonl", "-o", "o.jsonl", "--restart"];
        let output = run_with(&server, &arguments, folder.path(), 2);
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(message.contains("has changed during the run"), "{message}");
        assert!(!folder.path().join("o.jsonl").exists());
    }
}

#[test]
fn columns_with_damaged_places_are_read_to_the_end_of_their_object() {
    let server = Server::start();
    let folder = tempfile::tempdir().unwrap();
    let line = "{\"url\":\"https://h.example\",\"robots\":\"\"}\n";
    fs::write(folder.path().join("c.jsonl"), line).unwrap();
    run(&["policies", "c.jsonl", "--agent", "x", "-o", "p.parquet"], folder.path(), 0);
    let urls = StringArray::from_iter_values((0..200).map(|at| format!("https://h.example/{at}")));
    write_table(&folder.path().join("u.parquet"), vec![("url", Arc::new(urls))], 1_000);
    let mut bytes = fs::read(folder.path().join("u.parquet")).unwrap();
    let file = fs::File::open(folder.path().join("u.parquet")).unwrap();
    let reader = parquet::file::reader::SerializedFileReader::new(file).unwrap();
    let group = parquet::file::reader::FileReader::metadata(&reader).row_group(0);
    // Numbers in the metadata have seven bits in each byte; the lowest is the sign.
    let number = |value: i64| {
        let mut rest = value.cast_unsigned() << 1;
        let mut found = Vec::new();
        while rest > 127 {
            found.push(rest.to_le_bytes()[0] | 128);
            rest >>= 7;
        }
        found.push(rest.to_le_bytes()[0]);
        found
    };
    let size = number(group.column(0).compressed_size());
    let end = bytes.len() - 8;
    let length = u32::from_le_bytes(bytes[end..end + 4].try_into().unwrap()) as usize;
    let mut metadata = bytes.split_off(end - length);
    metadata.truncate(length);
    let mut at = 0;
    while at + size.len() <= metadata.len() {
        if metadata[at..].starts_with(&size) {
            metadata.splice(at..at + size.len(), number(1 << 60));
        }
        at += 1;
    }
    bytes.extend(&metadata);
    bytes.extend(u32::try_from(metadata.len()).unwrap().to_le_bytes());
    bytes.extend(b"PAR1");
    server.put("/b/u.parquet", &bytes);
    let arguments = ["check", "s3://b/u.parquet", "--policies", "p.parquet", "-o", "o.parquet"];
    run_with(&server, &arguments, folder.path(), 1);
    let listed = fs::read_to_string(folder.path().join("o.parquet.skipped.jsonl")).unwrap();
    assert!(listed.contains("broken_file"), "{listed}");
}

#[test]
fn a_connection_without_encryption_needs_a_permission() {
    let server = Server::start();
    let folder = archives(&server);
    for input in [server.url("/b/crawl/x/a.warc.gz"), "s3://b/crawl/x/a.warc.gz".to_owned()] {
        let mut command = bulk(&["metrics", &input, "-o", "o.jsonl"], folder.path());
        command.env("AWS_ENDPOINT_URL", server.url("")).env("AWS_SKIP_SIGNATURE", "true");
        let output = command.output().unwrap();
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(message.contains("AWS_ALLOW_HTTP=true"), "{input}: {message}");
        assert_eq!(output.status.code(), Some(2));
    }
    assert_eq!(server.requests(), [""; 0]);
}
