//! The redirect loop.

use crate::failure::{Broken, Failure};
use crate::fetch::{MayFollow, Request};
use crate::guard::{Guard, RefusalReason};
use crate::limits::Limits;
use crate::net::BoxFuture;

use crate::fetch::tests::world::{Act, RULES, World, answer, redirect, response};

/// A server that redirects `count` times from `/0` to `/1` and so on, then has rules.
fn chain(count: usize) -> World {
    let hops = (1..=count).map(|number| answer(redirect(&format!("/{number}"))));
    World::shop(hops.chain([answer(response("200 OK", "", RULES))]))
}

#[tokio::test]
async fn rep_access_20_five_redirects_are_followed_and_a_sixth_is_not() {
    for count in 0..=12 {
        let world = chain(count);
        let fetched = world.fetch("http://shop.example/0").await;
        let expected = if count <= 5 { None } else { Some(Failure::RedirectLimit) };
        assert_eq!(fetched.failure, expected, "{count}");
        assert_eq!(world.requests().len(), count.min(5) + 1, "{count}");
        let paths: Vec<_> = fetched.hops.iter().map(|hop| hop.url.path().to_owned()).collect();
        let expected: Vec<_> = (0..=count.min(5)).map(|number| format!("/{number}")).collect();
        assert_eq!(paths, expected);
    }
}

#[tokio::test]
async fn ten_redirects_are_followed_if_the_limit_is_ten() {
    let limits = Limits { redirects: 10, ..Limits::default() };
    for (count, expected) in [(10, None), (11, Some(Failure::RedirectLimit))] {
        let world = chain(count);
        let fetcher = world.builder().limits(limits).build_fetcher().unwrap();
        let request = Request::new("http://shop.example/0".parse().unwrap());
        assert_eq!(fetcher.fetch(&request).await.failure, expected);
    }
}

#[tokio::test]
async fn rep_access_23_a_repeated_url_is_requested_again_up_to_the_limit() {
    for locations in [
        &["/robots.txt"][..],
        &["#fragment"],
        &["http://user:secret@shop.example/robots.txt"],
        &["HTTP://SHOP.example:80/robots.txt"],
        &["/a", "/robots.txt"],
        &["/a", "/b", "/a"],
        &["?1", "?2", "?3", "?4", "?5", "?6"],
    ] {
        for (redirects, expected) in [(5, None), (6, Some(Failure::RedirectLimit))] {
            let hops = locations.iter().cycle().take(redirects);
            let hops = hops.map(|location| answer(redirect(location)));
            let world = World::shop(hops.chain([answer(response("200 OK", "", RULES))]));
            let outcome = world.fetch_shop().await.failure;
            assert_eq!(outcome, expected, "{locations:?}");
            assert_eq!(world.requests().len(), 6, "{locations:?}");
        }
    }
}

#[tokio::test]
async fn redirects_to_other_hosts_are_followed_without_credentials() {
    let world = World::shop([answer(redirect("http://u:p@other.example:8080/x#y"))])
        .name("other.example", &["8.8.8.8"])
        .script("8.8.8.8:8080", answer(response("200 OK", "", RULES)));
    let fetched = world.fetch_shop().await;
    assert_eq!(fetched.failure, None);
    assert_eq!(fetched.final_url.as_str(), "http://other.example:8080/x");
    assert_eq!(fetched.hops[0].status, Some(302));
    assert_eq!(fetched.hops[1].peer, Some("8.8.8.8:8080".parse().unwrap()));
    let request = &world.requests()[1];
    assert!(request.starts_with("GET /x HTTP/1.1\r\nhost: other.example:8080\r\n"), "{request}");
    for header in ["referer", "cookie", "authorization"] {
        assert!(!request.contains(header), "{request}");
    }
}

#[tokio::test]
async fn outcome_is_that_of_the_last_hop() {
    for (last, expected) in [
        (response("404 x", "", ""), Some(Failure::Status(404))),
        (response("500 x", "", ""), Some(Failure::Status(500))),
        (b"HTTP/1.1 302 x\r\n\r\n".to_vec(), Some(Failure::BrokenRedirect(Broken::NoLocation))),
    ] {
        let world = World::shop([answer(redirect("/a")), answer(last)]);
        assert_eq!(world.fetch_shop().await.failure, expected);
    }
}

#[tokio::test]
async fn bodies_of_redirects_are_not_read() {
    let head = "HTTP/1.1 301 x\r\nLocation: /a\r\nContent-Length: 10000000\r\n\r\n";
    let world = World::shop([
        vec![Act::Request, Act::Send(head.into()), Act::Hang],
        answer(response("200 OK", "", RULES)),
    ]);
    assert_eq!(world.fetch_shop().await.failure, None);
}

#[tokio::test]
async fn header_fields_of_a_success_are_not_redirects() {
    for header in ["Refresh: 0; url=/a", "Content-Location: /a", "Link: </a>", "Location: /a"] {
        let world = World::answering(response("200 OK", &format!("{header}\r\n"), RULES));
        let fetched = world.fetch_shop().await;
        assert_eq!((fetched.failure, fetched.hops.len()), (None, 1), "{header}");
    }
}

#[tokio::test]
async fn each_broken_redirect_has_its_reason() {
    for (status, location, expected) in [
        (302, "", Broken::NoLocation),
        (302, "Location: \r\n", Broken::NoLocation),
        (302, "Location: http://[::1\r\n", Broken::BadLocation),
        (302, "Location: file:///etc/passwd\r\n", Broken::TargetScheme),
        (302, "Location: ftp://shop.example/robots.txt\r\n", Broken::TargetScheme),
        (302, "Location: /a\r\nLocation: /b\r\n", Broken::SeveralLocations),
        (300, "Location: /a\r\n", Broken::NoRedirect),
        (304, "Location: /a\r\n", Broken::NotModifiedUnasked),
        (305, "Location: /a\r\n", Broken::NoRedirect),
        (306, "Location: /a\r\n", Broken::NoRedirect),
        (399, "Location: /a\r\n", Broken::NoRedirect),
    ] {
        let world = World::answering(format!("HTTP/1.1 {status} x\r\n{location}\r\n"));
        let outcome = world.fetch_shop().await.failure;
        assert_eq!(outcome, Some(Failure::BrokenRedirect(expected)), "{status} {location}");
        assert_eq!(world.requests().len(), 1);
    }
}

struct NotTheSecond;

impl MayFollow for NotTheSecond {
    fn may_follow<'a>(&'a self, next: &'a url::Url) -> BoxFuture<'a, bool> {
        Box::pin(async { next.path() != "/2" })
    }
}

#[tokio::test]
async fn rep_access_22_hops_that_the_caller_disallows_are_not_followed() {
    let world = chain(2);
    let url = "http://shop.example/0".parse().unwrap();
    let request = Request { may_follow: Some(&NotTheSecond), ..Request::new(url) };
    let fetched = world.builder().build_fetcher().unwrap().fetch(&request).await;
    assert_eq!(fetched.failure, Some(Failure::DisallowedHop));
    assert_eq!(world.requests().len(), 2);
}

#[tokio::test]
async fn rep_access_23_a_request_can_lower_the_redirect_limit() {
    for (said, requests, expected) in [
        (0, 1, Some(Failure::RedirectLimit)),
        (2, 3, Some(Failure::RedirectLimit)),
        (3, 4, None),
        (usize::MAX, 4, None),
    ] {
        let world = chain(3);
        let url = "http://shop.example/0".parse().unwrap();
        let request = Request { redirects: said, ..Request::new(url) };
        let fetched = world.builder().build_fetcher().unwrap().fetch(&request).await;
        assert_eq!((fetched.failure, world.requests().len()), (expected, requests), "{said}");
    }
}

#[tokio::test]
async fn guard_checks_every_hop() {
    for (location, expected) in [
        ("http://127.0.0.1/", "address"),
        ("http://127.1/", "address"),
        ("http://0x7f000001/", "address"),
        ("http://2130706433/", "address"),
        ("http://169.254.169.254/latest/meta-data/", "address"),
        ("http://168.63.129.16/", "address"),
        ("http://100.100.100.200/", "address"),
        ("http://[::1]/", "address"),
        ("http://[::ffff:10.0.0.1]/", "address"),
        ("http://[64:ff9b::7f00:1]/", "address"),
        ("http://[fd00:ec2::254]/", "address"),
        ("http://localhost/", "name"),
        ("http://metadata.google.internal/", "name"),
        ("http://router/", "name"),
        ("http://shop.example:25/", "port"),
        ("http://shop.example:6379/", "port"),
    ] {
        let world = World::answering(redirect(location));
        let fetched = world.fetch_shop().await;
        let Some(Failure::Refused(refusal)) = &fetched.failure else {
            panic!("{:?}", fetched.failure)
        };
        let kind = match refusal.reason() {
            RefusalReason::Address(_) => "address",
            RefusalReason::InsideName => "name",
            RefusalReason::Port => "port",
            _ => "other",
        };
        assert_eq!(kind, expected, "{location}");
        assert_eq!(world.dialled(), ["1.1.1.1:80"], "{location}");
        assert_eq!(world.asked(), ["shop.example"], "{location}");
        assert_eq!((fetched.hops.len(), fetched.hops[1].peer), (2, None), "{location}");
    }
}

#[tokio::test]
async fn redirects_into_allowed_networks_are_followed() {
    let world = World::answering(redirect("http://10.1.2.3/robots.txt"))
        .script("10.1.2.3:80", answer(response("200 OK", "", RULES)));
    let guard = Guard::new().with_allowed_net("10.1.0.0/16".parse().unwrap());
    let fetcher = world.builder().guard(guard).build_fetcher().unwrap();
    let request = Request::new("http://shop.example/robots.txt".parse().unwrap());
    assert_eq!(fetcher.fetch(&request).await.failure, None);
}
