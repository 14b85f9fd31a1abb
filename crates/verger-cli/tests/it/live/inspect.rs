//! `verger inspect URL`.

use std::path::Path;
use std::sync::atomic::Ordering;

use serde_json::Value;

use crate::live::site::{
    DISALLOW_X, MEMORY, NEAR, answer, keep_expired, ok, run_silent, site, verger,
};

#[test]
fn inspection_of_a_url_shows_the_file_of_its_site() {
    let (site, requests) = site(&[ok("Sitemap: /s.xml\n")]);
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store.sqlite");
    let url = format!("http://{site}/deep/page");
    for _ in 0..2 {
        let (text, code) =
            run_silent(&store, &["inspect", NEAR[0], NEAR[1], "--format", "json", &url], "");
        let inspection: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(inspection["file"], format!("http://{site}/robots.txt"));
        assert_eq!(inspection["records"][0]["value"], "/s.xml");
        assert_eq!(code, Some(0));
    }
    assert_eq!(requests.load(Ordering::SeqCst), 1);
}

#[test]
fn a_site_without_a_file_is_not_inspected() {
    let (site, _) = site(&[answer("404 Not Found", "", "no")]);
    let url = format!("http://{site}");
    let output = verger(Path::new(MEMORY), &["inspect", NEAR[0], NEAR[1], &url], "");
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        format!("error: could not read `http://{site}/robots.txt`: status 404\n")
    );
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn inspection_of_a_copy_during_an_outage_has_a_warning() {
    let (site, _) = site(&[answer("503 Unavailable", "", "")]);
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store.sqlite");
    let url = format!("http://{site}/");
    keep_expired(&store, site, DISALLOW_X);
    run_silent(&store, &["fetch", NEAR[0], NEAR[1], &url], "");
    let output = verger(&store, &["inspect", "--offline", &url], "");
    let message = String::from_utf8(output.stderr).unwrap();
    let words = message.strip_prefix("warning: this is the last copy, of 20").unwrap();
    assert!(words.contains("Z: status 503, last try 20"), "{message}");
    assert_eq!(output.status.code(), Some(0));
}
