//! The redirect loop.

use crate::fetch::Request;
use crate::guard::Guard;

use crate::fetch::tests::world::{RULES, World, answer, redirect, response};

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
async fn header_fields_of_a_success_are_not_redirects() {
    for header in ["Refresh: 0; url=/a", "Content-Location: /a", "Link: </a>", "Location: /a"] {
        let world = World::answering(response("200 OK", &format!("{header}\r\n"), RULES));
        let fetched = world.fetch_shop().await;
        assert_eq!((fetched.failure, fetched.hops.len()), (None, 1), "{header}");
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
