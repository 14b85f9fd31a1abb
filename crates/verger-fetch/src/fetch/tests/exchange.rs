//! One request and its response: every class of outcome, and the content of a request.

use crate::client::RobotsClient;
use crate::failure::{
    Broken, ConnectError, DnsError, Failure, Incomplete, NetworkError, ProtocolError,
};
use crate::fetch::{FetchReport, Identity, Preconditions, Request};
use crate::limits::Limits;
use crate::net::Proxy;
use verger::Crawler;

use crate::fetch::tests::world::{Act, RULES, Server, World, response};

async fn fetched(answer: impl Into<Vec<u8>>) -> FetchReport {
    World::answering(answer).fetch_shop().await
}

#[tokio::test]
async fn complete_response_is_a_success_with_its_header_fields() {
    let fetched = fetched(response(
        "200 OK",
        "Content-Type: text/plain\r\nETag: \"a\"\r\nLast-Modified: x\r\nCache-Control: max-age=9\r\n\
         Expires: y\r\nDate: z\r\nAge: 3\r\nRetry-After: 7\r\nSet-Cookie: a=b\r\n",
        RULES,
    ))
    .await;
    assert_eq!(fetched.failure, None);
    assert_eq!(fetched.status, Some(200));
    assert_eq!(fetched.body, RULES.as_bytes());
    assert_eq!(fetched.wire_bytes, RULES.len());
    assert_eq!(fetched.final_url.as_str(), "http://shop.example/robots.txt");
    assert!(!fetched.truncated && !fetched.downgraded && !fetched.looks_like_html);
    let headers = fetched.headers;
    for (found, expected) in [
        (headers.content_type, "text/plain"),
        (headers.etag, "\"a\""),
        (headers.last_modified, "x"),
    ] {
        assert_eq!(found.as_deref(), Some(expected.as_bytes()));
    }
    for (found, expected) in [
        (headers.cache_control, "max-age=9"),
        (headers.expires, "y"),
        (headers.date, "z"),
        (headers.age, "3"),
        (headers.retry_after, "7"),
    ] {
        assert_eq!(found, [expected.as_bytes()]);
    }
    let [hop] = fetched.hops.as_slice() else { panic!("one hop") };
    assert_eq!(hop.status, Some(200));
    assert_eq!(hop.peer, Some("1.1.1.1:80".parse().unwrap()));
}

#[tokio::test]
async fn request_identifies_the_crawler_and_has_no_credentials() {
    let world = World::answering(response("200 OK", "", RULES));
    let identity = Identity::new("ExampleBot/1.0 (+https://bot.example/)").unwrap();
    let fetcher = RobotsClient::builder(
        Crawler::new("ExampleBot"),
        identity.with_from("a@bot.example").unwrap(),
    )
    .resolve(std::sync::Arc::new(world.clone()))
    .dial(std::sync::Arc::new(world.clone()))
    .build_fetcher()
    .unwrap();
    let url = "http://user:secret@shop.example/robots.txt?a#b".parse().unwrap();
    fetcher.fetch(&Request::new(url)).await;
    assert_eq!(
        world.requests(),
        ["GET /robots.txt?a HTTP/1.1\r\nhost: shop.example\r\n\
          user-agent: ExampleBot/1.0 (+https://bot.example/)\r\nfrom: a@bot.example\r\n\
          accept: text/plain, */*;q=0.1\r\naccept-encoding: gzip, br, zstd\r\n\
          connection: close\r\n\r\n"]
    );
}

#[tokio::test]
async fn failing_statuses_are_reported_and_their_bodies_are_not_read() {
    for status in [400, 401, 403, 404, 410, 429, 451, 499, 500, 503, 599, 600, 999] {
        // The announced body never comes.
        let text = format!("HTTP/1.1 {status} x\r\nRetry-After: 5\r\nContent-Length: 10\r\n\r\n");
        let world = World::shop([vec![Act::Request, Act::Send(text.into_bytes()), Act::Hang]]);
        let fetched = world.fetch_shop().await;
        assert_eq!(fetched.failure, Some(Failure::Status(status)));
        assert_eq!(fetched.status, Some(status));
        assert!(fetched.body.is_empty());
        assert_eq!(fetched.headers.retry_after, [b"5"]);
    }
}

#[tokio::test]
async fn every_2xx_but_206_is_a_success() {
    for status in [200, 201, 202, 203, 207, 226, 299] {
        let fetched = fetched(response(&format!("{status} x"), "", RULES)).await;
        assert_eq!(fetched.failure, None, "{status}");
        assert_eq!(fetched.body, RULES.as_bytes(), "{status}");
    }
    // REP-AMB-46: these two have no body by definition.
    for status in [204, 205] {
        let fetched = fetched(response(&format!("{status} x"), "", "")).await;
        assert_eq!((fetched.failure, fetched.body), (None, Vec::new()), "{status}");
    }
    let partial = fetched(response("206 x", "Content-Range: bytes 0-9/99\r\n", RULES)).await;
    assert_eq!(
        partial.failure,
        Some(Failure::Network(NetworkError::Incomplete(Incomplete::Partial)))
    );
}

#[tokio::test]
async fn rep_access_24_304_is_valid_only_after_a_conditional_request() {
    let world = World::answering("HTTP/1.1 304 Not Modified\r\nETag: \"b\"\r\n\r\n");
    let fetcher = world.builder().build_fetcher().unwrap();
    let url: url::Url = "http://shop.example/robots.txt".parse().unwrap();
    let preconditions =
        Preconditions::new(url.clone(), Some(b"\"a\""), Some(b"yesterday")).unwrap();
    let conditional =
        |preconditions| Request { preconditions: Some(preconditions), ..Request::new(url.clone()) };
    let fetched = fetcher.fetch(&conditional(&preconditions)).await;
    assert!(fetched.is_not_modified());
    assert_eq!(fetched.headers.etag.as_deref(), Some(&b"\"b\""[..]));
    assert!(
        world.requests()[0].contains("if-none-match: \"a\"\r\nif-modified-since: yesterday\r\n")
    );

    let unasked = Some(Failure::BrokenRedirect(Broken::NotModifiedUnasked));
    assert_eq!(fetcher.fetch(&Request::new(url.clone())).await.failure, unasked);

    // Preconditions of another URL are not sent.
    let other =
        Preconditions::new("http://other.example/".parse().unwrap(), Some(b"x"), None).unwrap();
    let fetched = fetcher.fetch(&conditional(&other)).await;
    assert_eq!(fetched.failure, unasked);
    assert!(!world.requests()[2].contains("if-none-match"));
}

#[tokio::test]
async fn rep_access_34_incomplete_bodies_are_failures() {
    for (text, expected) in [
        ("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nUser-", Incomplete::Body),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nUser-", Incomplete::Body),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nUser-\r\n", Incomplete::Body),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\nUser-\r\n0\r\n\r\n",
            Incomplete::Chunks,
        ),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\nx",
            Incomplete::Chunks,
        ),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nUser-agent\r\n",
            Incomplete::Chunks,
        ),
        ("HTTP/1.1 200 OK\r\nContent-Le", Incomplete::Head),
        ("HTTP/1.1 100 Continue\r\n\r\n", Incomplete::Head),
        ("", Incomplete::Head),
    ] {
        let outcome = fetched(text).await.failure;
        assert_eq!(outcome, Some(Failure::Network(NetworkError::Incomplete(expected))), "{text:?}");
    }
}

#[tokio::test]
async fn ambiguous_responses_are_refused() {
    for (text, expected) in [
        ("Content-Length: 5\r\n\r\nUser-agent: *\n", ProtocolError::ExcessBytes),
        ("Content-Length: 5\r\nContent-Length: 6\r\n\r\nUser-", ProtocolError::Malformed),
        ("Content-Length: -1\r\n\r\nUser-", ProtocolError::Malformed),
        ("Content-Length: +5\r\n\r\nUser-", ProtocolError::Malformed),
        (
            "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            ProtocolError::TwoLengths,
        ),
        ("Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", ProtocolError::TransferCoding),
        ("Transfer-Encoding: xchunked\r\n\r\nUser-", ProtocolError::TransferCoding),
        (
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            ProtocolError::TransferCoding,
        ),
        ("A : 1\r\n\r\n", ProtocolError::Malformed),
        ("Content-Length: 1\r\n 4\r\n\r\nUser-agent: *\n", ProtocolError::Malformed),
        ("no colon\r\n\r\n", ProtocolError::Malformed),
        ("A: \0\r\n\r\n", ProtocolError::Malformed),
    ] {
        let outcome = fetched(format!("HTTP/1.1 200 OK\r\n{text}")).await.failure;
        assert_eq!(outcome, Some(Failure::Network(NetworkError::Protocol(expected))), "{text:?}");
    }
}

#[tokio::test]
async fn responses_that_are_not_http_are_refused() {
    for text in [
        "User-agent: *\nDisallow:\n\n",
        "SSH-2.0-OpenSSH_9.2\r\n",
        "220 mail ESMTP\r\n",
        "HTTP/9.9 200 OK\r\n\r\n",
        "HTTP/1.1 abc\r\n\r\n",
        "HTTP/1.1 000 x\r\n\r\n",
        "HTTP/1.1 99 x\r\n\r\n",
        "HTTP/1.1 1000 x\r\n\r\n",
        "HTTP/1.1 200 O\0K\r\n\r\n",
        "\x15\x03\x01\x00\x02\x02\x46",
    ] {
        let outcome = fetched(text).await.failure;
        let malformed = Some(Failure::Network(NetworkError::Protocol(ProtocolError::Malformed)));
        assert_eq!(outcome, malformed, "{text:?}");
    }
    let switching = fetched("HTTP/1.1 101 x\r\nUpgrade: h2c\r\n\r\n").await;
    assert_eq!(
        switching.failure,
        Some(Failure::Network(NetworkError::Protocol(ProtocolError::InterimStatus)))
    );
}

#[tokio::test]
async fn url_too_long_to_be_sent_is_a_fault_of_the_client() {
    let long = format!("http://shop.example/{}", "a".repeat(70_000));
    let expected = NetworkError::Protocol(ProtocolError::Unsendable);
    let world = World::answering(response("200 OK", "", RULES));
    assert_eq!(world.fetch(&long).await.failure, Some(Failure::Network(expected)));
    let proxy = Proxy::new("http://1.1.1.1:80").unwrap();
    let fetcher = world.builder().proxy(proxy).build_fetcher().unwrap();
    let fetched = fetcher.fetch(&Request::new(long.parse().unwrap())).await;
    assert_eq!(fetched.failure, Some(Failure::Network(expected)));
    assert!(world.requests().is_empty());
}

#[tokio::test]
async fn response_before_the_request_is_refused() {
    for text in ["SSH-2.0-OpenSSH_9.2\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"] {
        let world = World::shop([vec![Act::Send(text.into()), Act::Hang]]);
        let unasked = Some(Failure::Network(NetworkError::Protocol(ProtocolError::Unasked)));
        assert_eq!(world.fetch_shop().await.failure, unasked, "{text:?}");
    }
}

#[tokio::test]
async fn bodies_can_be_chunked_or_end_with_the_connection() {
    for text in [
        "HTTP/1.1 200 OK\r\n\r\nUser-agent: *\n",
        "HTTP/1.0 200 OK\r\n\r\nUser-agent: *\n",
        "HTTP/1.1 200 OK\nContent-Length: 14\n\nUser-agent: *\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 14\r\nContent-Length: 14\r\n\r\nUser-agent: *\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n5;a=b\r\nUser-\r\n9\r\nagent: *\n\r\n0\r\nA: b\r\n\r\n",
        "HTTP/1.1 200 OK\r\nA: 1\r\n folded\r\n\tb\r\nContent-Length: 14\r\n\r\nUser-agent: *\n",
        "HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 200 OK\r\n\r\nUser-agent: *\n",
    ] {
        let fetched = fetched(text).await;
        assert_eq!(fetched.failure, None, "{text:?}");
        assert_eq!(fetched.body, b"User-agent: *\n", "{text:?}");
    }
}

#[tokio::test]
async fn failures_of_names_and_connections_are_distinguished() {
    let dns =
        |answer| async { World::new().dns("shop.example", answer).fetch_shop().await.failure };
    for error in [DnsError::NoSuchName, DnsError::NoAddress, DnsError::Failed] {
        assert_eq!(dns(Err(error)).await, Some(Failure::Network(NetworkError::Dns(error))));
    }
    assert_eq!(
        dns(Ok(Vec::new())).await,
        Some(Failure::Network(NetworkError::Dns(DnsError::NoAddress)))
    );
    let world =
        World::new().name("shop.example", &["1.1.1.1"]).server("1.1.1.1:80", Server::Refuses);
    assert_eq!(
        world.fetch_shop().await.failure,
        Some(Failure::Network(NetworkError::Connect(ConnectError::Refused)))
    );
}

#[tokio::test]
async fn body_is_cut_at_its_limit_and_marked() {
    let limit = Limits::default().body;
    for (size, truncated) in
        [(limit - 1, false), (limit, false), (limit + 1, true), (3_000_000, true)]
    {
        let fetched = fetched(response("200 OK", "", "#".repeat(size))).await;
        assert_eq!(fetched.failure, None, "{size}");
        assert_eq!((fetched.body.len(), fetched.truncated), (size.min(limit), truncated), "{size}");
    }
}
