//! `check`, `turn` and `get` agree on errors and decisions.

use std::sync::Arc;
use std::time::Duration;

use verger::{Crawler, Reason, TokenProblem};
use verger_fetch::client::{BuildError, CheckError, RobotsClient, TurnError};
use verger_fetch::decision::Decision;
use verger_fetch::failure::Failure;
use verger_fetch::fetch::Identity;
use verger_fetch::store::{MemoryStore, Store};

use crate::polite::site::Sites;

/// Every kind of result: allowed, disallowed, unreachable, a scheme without robots.txt, and not a
/// URL.
const URLS: [&str; 12] = [
    "http://shop.example/x",
    "http://shop.example/cart",
    "http://user:word@shop.example/cart#part",
    "http://shop.example/robots.txt",
    "http://down.example/x",
    "http://169.254.169.254/x",
    "mailto:a@shop.example",
    "data:text/plain,x",
    "shop.example/cart",
    "http://",
    "http://shop.example:99999/",
    "foo://a b/",
];

fn sites() -> Sites {
    Sites::shop("User-agent: *\nDisallow: /cart\n")
        .page("http://shop.example/x", "200 OK", "", "x")
        .broken_page("http://down.example/robots.txt")
}

/// The comparison of one client's results for one URL.
#[track_caller]
fn compare<T>(
    url: &str,
    check: &Result<Decision, CheckError>,
    other: &Result<T, TurnError>,
    name: &str,
) {
    match (check, other) {
        (Err(expected), Err(TurnError::Check(found))) => assert_eq!(found, expected, "{url}"),
        (Ok(decision), Ok(_)) => assert!(decision.is_allowed(), "{name} {url}: {decision}"),
        (Ok(decision), Err(error)) => {
            let is_unreachable = decision.reason() == Reason::Unreachable;
            let Some(found) = error.decision() else {
                // An offline client does not wait for an unreachable origin.
                let is_out_of_reach = is_unreachable && matches!(error, TurnError::Offline);
                assert!(
                    decision.is_allowed() || is_out_of_reach,
                    "{name} {url}: {error}, {decision}"
                );
                return;
            };
            assert!(!decision.is_allowed(), "{name} {url}: {decision}");
            assert_eq!(found.to_string(), decision.to_string(), "{name} {url}");
            assert_eq!(found.url(), decision.url(), "{name}");
            assert_eq!(matches!(error, TurnError::Unreachable { .. }), is_unreachable, "{url}");
            let is_refused = matches!(found.failure(), Some(Failure::Refused(_)));
            assert_eq!(error.retry_in(), found.retry_in(), "{name} {url}");
            assert_eq!(found.retry_in().is_some(), is_unreachable && !is_refused, "{name} {url}");
        }
        (Err(error), _) => panic!("{name} {url}: expected {error}, but found another answer"),
    }
}

#[tokio::test(start_paused = true)]
async fn check_turn_and_get_return_the_same_decision_or_error() {
    let store = Arc::new(MemoryStore::new());
    let online = sites().client().store(store.clone()).build().unwrap();
    let offline = sites().client().store(store).offline(true).build().unwrap();
    let unknowing = sites().client().offline(true).build().unwrap();
    for client in [&online, &offline, &unknowing] {
        for url in URLS {
            let check = client.check(url).await;
            let turn = client.turn(url).await;
            compare(url, &check, &turn, "turn");
            drop(turn);
            compare(url, &check, &client.get(url).await, "get");
            tokio::time::sleep(Duration::from_secs(2)).await;
        }
    }
    // The comparison covered these cases.
    assert!(online.get(URLS[0]).await.is_ok());
    let error = online.get(URLS[1]).await.unwrap_err();
    assert!(matches!(error, TurnError::Disallowed(_)), "{error}");
    let error = offline.get(URLS[1]).await.unwrap_err();
    assert!(matches!(error, TurnError::Disallowed(_)), "{error}");
    let error = offline.get(URLS[0]).await.unwrap_err();
    assert!(matches!(error, TurnError::Offline), "{error}");
    let error = unknowing.get(URLS[0]).await.unwrap_err();
    assert!(matches!(error, TurnError::Offline), "{error}");
    for client in [&online, &offline] {
        // REP-AMB-62: a URL parser makes a URL of the others.
        for text in
            ["no URL", "http:/shop.example/", " http://shop.example/", "http:\\\\shop.example"]
        {
            let error = client.get(text).await.unwrap_err();
            assert!(matches!(error, TurnError::Check(CheckError::InvalidUrl(_))), "{error}");
            let error = client.check(text).await.unwrap_err();
            assert!(matches!(error, CheckError::InvalidUrl(_)), "{error}");
        }
        let error = client.get("mailto:a@shop.example").await.unwrap_err();
        assert!(matches!(error, TurnError::Scheme), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn get_fetches_no_robots_txt_for_a_scheme_without_pages() {
    let store = Arc::new(MemoryStore::new());
    let client = sites().client().store(store.clone()).build().unwrap();
    let error = client.get("ftp://shop.example/x").await.unwrap_err();
    let key = crate::polite::site::key("ftp://shop.example/x");
    assert!(store.get(&key).await.unwrap().found().is_none());
    assert!(matches!(error, TurnError::Scheme) && error.decision().is_none(), "{error}");
    assert_eq!(error.retry_in(), None);
}

#[tokio::test]
async fn a_client_cannot_be_built_if_no_group_can_name_its_crawler() {
    let build = |crawler: Crawler| {
        let identity = Identity::new("ExampleBot/1.0").unwrap();
        // Without feature `dns`, a client needs a resolver.
        let built = RobotsClient::builder(crawler, identity).resolve(Arc::new(sites())).build();
        match built {
            Ok(_) => Ok(()),
            Err(BuildError::Crawler(error)) => Err(error.problem().expect("not a header")),
            Err(error) => panic!("{error}"),
        }
    };
    for text in ["ExampleBot/1.0", "Example Bot", "Mozilla/5.0 (compatible; ExampleBot)", "*", " "]
    {
        let built = build(Crawler::new(text));
        assert!(matches!(built, Err(TokenProblem::NeverNamed { .. })), "{text:?}: {built:?}");
    }
    assert_eq!(build(Crawler::new("")), Err(TokenProblem::Empty));
    assert_eq!(build(Crawler::chain::<&str>([])), Err(TokenProblem::Empty));
    assert_eq!(build(Crawler::chain(["A", "B/1"])), Err(TokenProblem::NeverNamed { at: 1 }));
    for text in ["ExampleBot", "MJ12bot", "ExampleBot/1.0", "Mozilla/5.0 (compatible; ExampleBot)"]
    {
        assert_eq!(build(Crawler::from_user_agent(text).unwrap()), Ok(()), "{text:?}");
    }
    assert_eq!(build(Crawler::chain::<&str>([]).without_robots()), Ok(()));
    let error = RobotsClient::builder(
        Crawler::new("ExampleBot/1.0"),
        Identity::new("ExampleBot/1.0").unwrap(),
    );
    assert_eq!(
        error.build().unwrap_err().to_string(),
        "no group can name the crawler: expected a product token such as `ExampleBot`, but found \
         `ExampleBot/1.0`; `Crawler::from_user_agent` reads the product tokens of a User-Agent header"
    );
}
