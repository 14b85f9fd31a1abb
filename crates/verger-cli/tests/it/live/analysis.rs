//! `diff`, `coverage` and `test` with a site.

use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::thread;

use crate::live::site::{DISALLOW_X, MEMORY, NEAR, answer, ok, serve, site, verger};

#[track_caller]
fn run(arguments: &[&str], code: i32) -> String {
    let arguments = [&arguments[..1], &NEAR, &arguments[1..]].concat();
    let output = verger(Path::new(MEMORY), &arguments, "");
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{message}");
    format!("{}{message}", String::from_utf8_lossy(&output.stdout))
}

#[test]
fn the_file_of_a_site_is_compared_with_a_file() {
    let (site, _) = site(&[ok(DISALLOW_X)]);
    let folder = tempfile::tempdir().unwrap();
    let new = folder.path().join("robots.txt");
    fs::write(&new, "User-agent: *\nDisallow: /x/\n").unwrap();
    let urls = folder.path().join("urls.txt");
    let list = format!("http://{site}/x\nhttp://{site}/x/1\nhttp://other.example/x\n/x?\n");
    fs::write(&urls, list).unwrap();
    let [new, urls] = [&new, &urls].map(|path| path.to_str().unwrap());
    let url = format!("http://{site}/any/page");
    let text = run(&["diff", &url, new, "--urls", urls, "--fail-on", "opened"], 1);
    assert!(text.contains(&format!("from `http://{site}/robots.txt` to ")), "{text}");
    assert!(text.contains("opened: URLs such as `/x`"), "{text}");
    assert!(text.contains("of 3 given URLs, 0 closed and 2 opened"), "{text}");
    let missing = run(&["diff", "http://127.0.0.1:1", new], 2);
    assert!(
        missing.starts_with("error: could not read `http://127.0.0.1:1/robots.txt`"),
        "{missing}"
    );
}

#[test]
fn the_cut_line_of_a_long_file_is_no_rule() {
    let mut long = format!("{DISALLOW_X}# ");
    long.push_str(&"x".repeat(512_000 - long.len() - "\nDisallow: /".len()));
    let (site, _) = serve(move |_| ok(&format!("{long}\nDisallow: /private\n")));
    let folder = tempfile::tempdir().unwrap();
    let tests = folder.path().join("robots.test.toml");
    fs::write(&tests, "[[test]]\nname = 'open'\nallow = ['/']\n").unwrap();
    let urls = folder.path().join("urls.txt");
    fs::write(&urls, "/\n").unwrap();
    let url = format!("http://{site}/");
    for (arguments, code, expected) in [
        (&["test", tests.to_str().unwrap(), "--robots", &url][..], 0, "is longer than"),
        (&["coverage", &url, "--urls", urls.to_str().unwrap()], 0, "is longer than"),
        (&["inspect", &url], 0, "is longer than"),
        (&["lint", &url], 1, "error[truncated]"),
    ] {
        let out = run(arguments, code);
        assert!(out.contains(expected) && !out.contains("`Disallow: /`"), "{arguments:?} {out}");
    }
}

#[test]
fn the_sitemaps_of_an_index_are_fetched() {
    let address: Arc<OnceLock<SocketAddr>> = Arc::default();
    let known = Arc::clone(&address);
    let (site, _) = serve(move |at| match at {
        0 => ok(DISALLOW_X),
        1 => {
            let site = known.get().unwrap();
            let entry = format!("<sitemap><loc>http://{site}/1.xml</loc></sitemap>");
            ok(&format!("<sitemapindex>{entry}</sitemapindex>"))
        }
        2 => ok("<urlset><url><loc>/x</loc></url><url><loc>/y</loc></url></urlset>"),
        _ => answer("404 Not Found", "", ""),
    });
    address.set(site).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let robots = folder.path().join("robots.txt");
    fs::write(&robots, DISALLOW_X).unwrap();
    let sitemap = format!("http://{site}/index.xml");
    let text = run(&["coverage", robots.to_str().unwrap(), "--sitemap", &sitemap], 0);
    assert!(text.contains("2 URLs") && text.contains("1   50.0%  Disallow: /x"), "{text}");
    let text = run(&["coverage", robots.to_str().unwrap(), "--sitemap", &sitemap], 2);
    assert!(text.contains("index.xml`: status 404"), "{text}");
}

#[test]
fn a_dead_or_looping_sitemap_does_not_lose_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let robots = folder.path().join("robots.txt");
    fs::write(&robots, DISALLOW_X).unwrap();
    let robots = robots.to_str().unwrap();
    let tests = folder.path().join("t.toml");
    // Each command waits between its requests.
    thread::scope(|scope| {
        scope.spawn(|| {
            let (site, sitemap) = site_with_a_dead_and_a_looping_sitemap();
            // The others are counted once, and the exit code says that one could not be read.
            let text = run(&["coverage", robots, "--sitemap", &sitemap], 2);
            assert!(
                text.contains(": 1 URLs") && text.contains("disallowed             1"),
                "{text}"
            );
            assert!(text.contains("not counted: 1 sitemap could not be read"), "{text}");
            let warning = format!("warning: `http://{site}/dead.xml`: status 404");
            assert!(text.contains(&warning) && text.matches("warning").count() == 1, "{text}");
        });
        scope.spawn(|| {
            let (_, sitemap) = site_with_a_dead_and_a_looping_sitemap();
            let text = run(&["diff", robots, robots, "--sitemap", &sitemap], 2);
            assert!(text.contains("dead.xml`: status 404"), "{text}");
        });
        scope.spawn(|| {
            // A test cannot pass if it did not see all URLs.
            let (_, sitemap) = site_with_a_dead_and_a_looping_sitemap();
            let test = format!("[[test]]\nname = \"a\"\nsitemaps = [\"{sitemap}\"]\n");
            fs::write(&tests, test).unwrap();
            let text = run(&["test", tests.to_str().unwrap()], 2);
            assert!(text.contains("but 1 could not be read"), "{text}");
        });
    });
}

/// A site that answers seven requests, and the URL of its index of sitemaps.
fn site_with_a_dead_and_a_looping_sitemap() -> (SocketAddr, String) {
    let address: Arc<OnceLock<SocketAddr>> = Arc::default();
    let known = Arc::clone(&address);
    let index = move || {
        let site = known.get().unwrap();
        let entries = ["dead", "loop", "alias", "good"]
            .map(|name| format!("<sitemap><loc>http://{site}/{name}.xml</loc></sitemap>"));
        ok(&format!("<sitemapindex>{}</sitemapindex>", entries.concat()))
    };
    let to = |name: &str| answer("301 Moved Permanently", &format!("Location: /{name}\r\n"), "");
    // What an alias led to is not fetched again.
    let (site, _) = serve(move |at| match at {
        0 => ok(DISALLOW_X),
        2 => answer("404 Not Found", "", ""),
        3 => to("index.xml"),
        1 | 4 => index(),
        5 => to("good.xml"),
        _ => ok("<urlset><url><loc>/x</loc></url></urlset>"),
    });
    address.set(site).unwrap();
    (site, format!("http://{site}/index.xml"))
}

#[test]
fn a_sitemap_with_bytes_after_its_compressed_data_is_read_with_a_warning() {
    // `<urlset><url><loc>/x</loc></url></urlset>`.
    let member = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xb3)-\xca)N-\xb1\xb3\x01\xd2v69\xf9\xc9v\xfa\x156\xfa \xdaF\x1f,\xa4\x0fU\x00\x00=\xcc\xab\xc8)\x00\x00\x00";
    for tail in [&b"<!-- cached -->"[..], b"\x1f", b"\x1fx"] {
        let body = [&member[..], tail].concat();
        let (site, _) = serve(move |at| {
            if at == 0 {
                return ok(DISALLOW_X).into_bytes();
            }
            let length = body.len();
            let head = format!(
                "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {length}\r\n\r\n"
            );
            [head.as_bytes(), &body].concat()
        });
        let folder = tempfile::tempdir().unwrap();
        let robots = folder.path().join("robots.txt");
        fs::write(&robots, DISALLOW_X).unwrap();
        let sitemap = format!("http://{site}/map.xml");
        let text = run(&["coverage", robots.to_str().unwrap(), "--sitemap", &sitemap], 0);
        assert!(text.contains(": 1 URLs"), "{text}");
        assert!(text.contains("ignored the bytes after the compressed data"), "{text}");
    }
}

#[test]
fn the_header_fields_of_a_site_are_tested() {
    let (site, _) = serve(|at| match at % 3 {
        0 | 1 => ok(DISALLOW_X),
        _ => answer("200 OK", "X-Robots-Tag: noai, noindex\r\n", "page"),
    });
    let folder = tempfile::tempdir().unwrap();
    let tests = folder.path().join("t.toml");
    let of = |field: &str| {
        format!(
            "[[test]]\nname = \"a\"\nallow = [\"/\"]\ndisallow = [\"http://{site}/x\"]\n\
             headers = {{ \"http://{site}/\" = [\"x-robots-tag: {field}\"] }}\n"
        )
    };
    let url = format!("http://{site}");
    let arguments = ["test", tests.to_str().unwrap(), "--robots", &url];
    fs::write(&tests, of("noindex")).unwrap();
    let text = run(&arguments, 0);
    assert!(text.contains("1 passed, 0 failed"), "{text}");
    fs::write(&tests, of("nofollow")).unwrap();
    let text = run(&arguments, 1);
    assert!(text.contains("has no field `x-robots-tag: nofollow`"), "{text}");
}
