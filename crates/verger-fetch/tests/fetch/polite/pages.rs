//! The polite fetch.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;
use verger_fetch::client::TurnError;
use verger_fetch::failure::{Failure, NetworkError, ProtocolError};
use verger_fetch::limits::{Limits, PAGE};
use verger_fetch::store::{MemoryStore, Store};
use verger_page::Combine;

use crate::polite::site::{Sites, key};

const X: &str = "http://shop.example/x";

#[tokio::test(start_paused = true)]
async fn a_page_has_the_directives_for_the_crawler() {
    let head = "Content-Type: text/html\r\nX-Robots-Tag: examplebot: noarchive\r\n\
        X-Robots-Tag: otherbot: nofollow\r\n";
    let body = "<meta name=robots content=noindex><p>x</p>";
    let sites = Sites::shop("User-agent: *\nDisallow: /cart\n").page(X, "200 OK", head, body);
    let page = sites.client().build().unwrap().get(X).await.unwrap();
    assert!(page.is_success());
    assert_eq!(page.status(), Some(200));
    assert_eq!(page.body(), body.as_bytes());
    assert!(page.decision().is_allowed());
    let expected = if cfg!(feature = "html") { "noindex, noarchive" } else { "noarchive" };
    assert_eq!(page.directives(&Combine::GOOGLE).to_string(), expected);
    let tags = page.fields().filter(|(name, _)| *name == "x-robots-tag").count();
    assert_eq!(tags, 2);
}

#[tokio::test(start_paused = true)]
async fn an_error_page_is_apart_from_the_body_and_cut() {
    let long = "x".repeat(100_000);
    for (status, body, expected) in [
        ("403 Forbidden", "challenge", "challenge"),
        ("503 Down", &long, &long[..16 * 1024]),
        ("404 Not Found", "", ""),
        ("200 OK", "page", ""),
    ] {
        let sites = Sites::shop("User-agent: *\n").page(X, status, "", body);
        let page = sites.client().build().unwrap().get(X).await.unwrap();
        assert_eq!(page.error_page(), expected.as_bytes(), "{status}");
        assert_eq!(page.body().is_empty(), !page.is_success());
    }
}

/// HTTP has no limit, but the library for it has one.
#[tokio::test(start_paused = true)]
async fn a_url_too_long_to_be_sent_is_no_failure_of_the_site() {
    let sites = Sites::shop("").page(X, "200 OK", "", "x");
    let client = sites.client().build().unwrap();
    let long = format!("{X}?{}", "a".repeat(70_000));
    let page = client.get(&long).await.unwrap();
    let expected = NetworkError::Protocol(ProtocolError::Unsendable);
    assert_eq!(page.failure(), Some(&Failure::Network(expected)));
    assert_eq!(expected.to_string(), "the URL is too long to be sent");
    let page = client.get(X).await.unwrap();
    assert!(page.is_success() && page.decision().record().unwrap().back_off().is_none());
    assert!(page.waited() < Duration::from_secs(30), "{:?}", page.waited());
}

#[tokio::test(start_paused = true)]
async fn meta_elements_are_ignored_if_the_page_is_not_html() {
    let body = "<meta name=robots content=noindex>";
    let sites = Sites::shop("").page(X, "200 OK", "Content-Type: text/plain\r\n", body);
    let page = sites.client().build().unwrap().get(X).await.unwrap();
    assert_eq!(page.directives(&Combine::GOOGLE).to_string(), "all");
}

#[tokio::test(start_paused = true)]
async fn a_disallowed_page_is_not_fetched() {
    let sites = Sites::shop("User-agent: *\nDisallow: /x\n").page(X, "200 OK", "", "x");
    let error = sites.client().build().unwrap().get(X).await.unwrap_err();
    assert!(matches!(error, TurnError::Disallowed(_)), "{error}");
    assert_eq!(sites.asked(), []);
}

#[tokio::test(start_paused = true)]
async fn each_redirect_obeys_the_rules_and_turns_of_its_origin() {
    let redirect = |to: &str| format!("Location: {to}\r\n");
    let sites = Sites::shop("User-agent: *\nCrawl-delay: 10\nDisallow: /cart\n")
        .page(X, "302 Found", &redirect("/y"), "")
        .page("http://shop.example/y", "301 Moved", &redirect("http://other.example/z"), "")
        .page("http://other.example/z", "200 OK", "", "z");
    let page = sites.client().build().unwrap().get(X).await.unwrap();
    assert_eq!(page.body(), b"z");
    assert_eq!(page.url().as_str(), "http://other.example/z");
    assert_eq!(
        page.hops().iter().map(|hop| hop.status.unwrap()).collect::<Vec<_>>(),
        [302, 301, 200]
    );
    // `/y` waited for `/x`; the other site did not wait.
    assert_eq!(sites.times(), [0, 10, 10]);
    assert_eq!(page.waited(), Duration::from_secs(10));

    let sites = Sites::shop("User-agent: *\nDisallow: /cart\n").page(
        X,
        "302 Found",
        &redirect("/cart"),
        "",
    );
    let error = sites.client().build().unwrap().get(X).await.unwrap_err();
    let TurnError::Disallowed(decision) = error else { panic!("{error}") };
    assert_eq!(decision.url().path(), "/cart");
    assert_eq!(sites.asked().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn redirects_stop_at_the_limit_and_not_at_a_repeated_url() {
    let again = |sites: Sites| sites.page(X, "302 Found", "Location: /x\r\n", "");
    let looping = (0..20).fold(Sites::shop(""), |sites, _| again(sites));
    let page = looping.client().build().unwrap().get(X).await.unwrap();
    assert_eq!(page.failure(), Some(&Failure::RedirectLimit));
    assert_eq!(looping.asked().len(), 1 + Limits::default().redirects);

    let twice = again(again(Sites::shop(""))).page(X, "200 OK", "", "x");
    assert!(twice.client().build().unwrap().get(X).await.unwrap().is_success());

    let mut endless = Sites::shop("");
    for at in 0..20 {
        let (url, to) = (format!("{X}{at}"), format!("Location: /x{}\r\n", at + 1));
        endless = endless.page(&url, "302 Found", &to, "");
    }
    let page = endless.client().build().unwrap().get(&format!("{X}0")).await.unwrap();
    assert_eq!(page.failure(), Some(&Failure::RedirectLimit));
    assert_eq!(endless.asked().len(), 1 + Limits::default().redirects);
}

#[tokio::test(start_paused = true)]
async fn get_waits_after_a_503_and_after_a_broken_response() {
    let sites = Sites::shop("")
        .page(X, "503 Busy", "Retry-After: 90\r\n", "")
        .broken_page(X)
        .page(X, "200 OK", "", "x");
    let client = sites.client().build().unwrap();
    assert_eq!(client.get(X).await.unwrap().failure(), Some(&Failure::Status(503)));
    assert!(matches!(client.get(X).await.unwrap().failure(), Some(Failure::Network(_))));
    assert!(client.get(X).await.unwrap().is_success());
    // The broken response is the second consecutive refusal.
    assert_eq!(sites.times(), [0, 90, 90 + 120]);
}

#[tokio::test(start_paused = true)]
async fn get_stores_the_back_off_before_it_returns() {
    let sites = Sites::shop("").page(X, "503 Busy", "", "").broken_page(X);
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let client = sites.client().store(Arc::clone(&store)).build().unwrap();
    let key = key(X);
    for refusals in 1..=2 {
        client.get(X).await.unwrap();
        let record = store.get(&key).await.unwrap().found().unwrap();
        assert_eq!(record.back_off().map(|it| it.refusals), Some(refusals));
    }
}

#[tokio::test(start_paused = true)]
async fn a_site_gets_one_page_request_at_a_time() {
    let mut sites = Sites::shop("");
    for at in 0..20 {
        sites = sites.slow_page(&format!("{X}{at}"), Duration::from_secs(3));
    }
    let client = sites.client().build().unwrap();
    let mut tasks = JoinSet::new();
    for at in 0..20 {
        let client = client.clone();
        tasks.spawn(async move { client.get(&format!("{X}{at}")).await.unwrap().is_success() });
    }
    assert!(tasks.join_all().await.into_iter().all(|success| success));
    assert_eq!(sites.most_open(), 1);
    assert_eq!(sites.times(), (0..20).map(|at| at * 4).collect::<Vec<_>>());
}

#[tokio::test(start_paused = true)]
async fn a_page_is_cut_at_the_page_limit() {
    let long = "x".repeat(PAGE.default + 1);
    let sites = Sites::shop("").page(X, "200 OK", "", &long).page(
        "http://shop.example/y",
        "200 OK",
        "",
        &long[1..],
    );
    let client = sites.client().build().unwrap();
    let page = client.get(X).await.unwrap();
    assert!(page.is_success() && page.is_truncated());
    assert_eq!(page.body().len(), PAGE.default);
    let page = client.get("http://shop.example/y").await.unwrap();
    assert!(page.is_success() && !page.is_truncated());
}

#[tokio::test(start_paused = true)]
async fn only_http_and_https_urls_have_pages() {
    let client = Sites::shop("").client().build().unwrap();
    let schemes =
        ["data:text/plain,x", "mailto:a@b.example", "file:///x", "javascript:x", "about:x"];
    for url in schemes {
        for error in [client.get(url).await.unwrap_err(), client.turn(url).await.unwrap_err()] {
            assert!(matches!(error, TurnError::Scheme), "{url}: {error}");
        }
    }
    let error = client.get("no URL").await.unwrap_err();
    assert!(matches!(error, TurnError::Check(_)), "{error}");
}

#[tokio::test(start_paused = true)]
async fn an_offline_client_fetches_no_page() {
    let sites = Sites::shop("").page(X, "200 OK", "", "x");
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let client = |offline| sites.client().store(Arc::clone(&store)).offline(offline).build();
    // Whatever is stored: first nothing, then a record that allows the page.
    for is_stored in [false, true] {
        if is_stored {
            assert!(client(false).unwrap().check(X).await.unwrap().is_allowed());
        }
        let client = client(true).unwrap();
        assert_eq!(client.check(X).await.unwrap().is_allowed(), is_stored);
        for url in [X, "http://shop.example/robots.txt"] {
            for error in [client.get(url).await.unwrap_err(), client.turn(url).await.unwrap_err()] {
                assert!(matches!(error, TurnError::Offline), "{url}: {error}");
            }
        }
    }
    assert_eq!(sites.asked(), []);
}
