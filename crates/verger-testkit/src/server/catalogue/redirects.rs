//! Redirects: number, status and loops (D001 to D029), destinations of one redirect (D030 to D070),
//! forbidden destinations (D071 to D123), unusual redirects (D124 to D155, and our own D301).
//!
//! Five are followed; more count as no robots.txt, and a loop has more (REP-ACCESS-23).

use crate::server::{
    RULES, Script, ScriptedResponse, ServerAction, Service, Setup, Site, Tls, gzip_bomb,
};

use super::dns::{FORBIDDEN, private_names};
use super::entry::{Attack, HOST, REFUSED, good, ids, rules};
use super::expect::{Claim, Class, Flag};

/// Number of followed redirects.
const FOLLOWED: usize = 5;

const STATUSES: [u16; 9] = [300, 301, 302, 303, 304, 305, 306, 307, 308];

pub(super) fn counts() -> Vec<Attack> {
    let counted = ids('D', 1).zip(0..=12).map(|(id, count)| chain(id, count));
    let statuses = ids('D', 14).zip(STATUSES).map(|(id, status)| followed(id, status));
    counted.chain(statuses).chain(loops()).collect()
}

fn chain(id: &'static str, count: usize) -> Attack {
    let path = |at: usize| if at == 0 { "/robots.txt".to_owned() } else { format!("/{at}") };
    let site = (0..count).fold(Site::new(), |site, at| {
        site.path(&path(at), ScriptedResponse::redirect(302, path(at + 1)).script())
    });
    let site = site.path(&path(count), good());
    let is_followed = count <= FOLLOWED;
    let class = if is_followed { Class::Rules } else { Class::RedirectLimit };
    let last = count.min(FOLLOWED);
    let visits = (0..=last).map(|at| format!("http://{HOST}{}", path(at))).collect();
    Attack::new(id, format!("{count} redirects"), Setup::web(HOST, site), vec![class])
        .claim(Claim::Visits(visits))
        .claim(Claim::Body(rules()))
}

fn followed(id: &'static str, status: u16) -> Attack {
    let site = Site::new()
        .path("/robots.txt", ScriptedResponse::redirect(status, "/moved").script())
        .path("/moved", good());
    // REP-ACCESS-24: these five are redirects, and no other 3xx is.
    let is_redirect = matches!(status, 301 | 302 | 303 | 307 | 308);
    let class = if is_redirect { Class::Rules } else { Class::Unreachable };
    let requests = if is_redirect { 2 } else { 1 };
    Attack::new(id, format!("{status} with a Location"), Setup::web(HOST, site), vec![class])
        .claim(Claim::Requests(requests, requests))
        .claim(Claim::Body(RULES.to_vec()))
}

fn loops() -> Vec<Attack> {
    let to = |location: String| ScriptedResponse::redirect(302, location).script();
    let looped = |id, what: &str, setup: Setup| {
        Attack::new(id, what, setup, vec![Class::RedirectLimit])
            .claim(Claim::Requests(FOLLOWED + 1, FOLLOWED + 1))
    };
    let counted = |make: &dyn Fn(usize) -> String| {
        (0..20).fold(Site::new(), |site, at| site.once(to(make(at))))
    };
    let here = format!("http://{HOST}/robots.txt");
    let there = format!("https://{HOST}/robots.txt");
    let hosts: Vec<String> = (0..6).map(|at| format!("h{at}.example")).collect();
    let circle = hosts.iter().enumerate().fold(Site::new(), |site, (at, host)| {
        let next = &hosts[(at + 1) % hosts.len()];
        site.host(host, to(format!("http://{next}/robots.txt")))
    });
    let named = hosts.iter().fold(Setup::new(), |setup, host| setup.host(host));
    let back_and_forth =
        Site::new().path("/robots.txt", to("/b".into())).path("/b", to("/robots.txt".into()));
    let plain = Setup::web(HOST, Site::always(to(there)));
    let both = plain.place(443, Service::Https(Tls::default(), Site::always(to(here.clone()))));
    vec![
        looped("D023", "to itself", Setup::web(HOST, Site::always(to(here)))),
        looped("D024", "back and forth", Setup::web(HOST, back_and_forth)),
        // Profile `strict` follows no redirect back to http.
        entry("D025", "from http to https and back", both, &[Class::RedirectLimit])
            .claim(Claim::Requests(2, FOLLOWED + 1)),
        looped(
            "D026",
            "a loop with a new query each time",
            Setup::web(HOST, counted(&|at| format!("/robots.txt?n={at}"))),
        ),
        looped(
            "D027",
            "a loop with a new fragment each time",
            Setup::web(HOST, counted(&|at| format!("/robots.txt#n={at}"))),
        ),
        with_credentials(looped(
            "D028",
            "a loop with new credentials each time",
            Setup::web(HOST, counted(&|at| format!("http://u{at}:secret@{HOST}/robots.txt"))),
        )),
        looped("D029", "a loop through six hosts", named.place(80, Service::Http(circle)))
            .asking(format!("http://{}/", hosts[0])),
    ]
}

/// The client may drop the credentials or refuse the redirect; it never sends them.
fn with_credentials(mut entry: Attack) -> Attack {
    entry.asks[0].classes.extend(REFUSED);
    entry.claim(Claim::NeverSent("secret"))
}

/// No request: a scheme, a name or a port that policy forbids, or an invalid URL.
const NO: &[Class] = REFUSED;
/// The destination gives a good answer.
const YES: &[Class] = &[Class::Rules];
/// The same URL.
const LOOP: &[Class] = &[Class::RedirectLimit];
/// No usable Location, or the same URL.
const NO_OR_LOOP: &[Class] = &[Class::Unreachable, Class::RedirectLimit, Class::Blocked];

const LOCATIONS: [(&str, &[Class]); 41] = [
    ("file:///etc/passwd", NO),
    ("ftp://h/robots.txt", NO),
    ("gopher://127.0.0.1:6379/_x", NO),
    ("data:text/plain,User-agent:*", NO),
    ("javascript:alert(1)", NO),
    ("ws://h/", NO),
    ("mailto:a@b", NO),
    ("about:blank", NO),
    ("blob:x", NO),
    ("ldap://h", NO),
    ("dict://h", NO),
    ("tel:1", NO),
    ("urn:x", NO),
    ("chrome://x", NO),
    ("jar:http://h!/x", NO),
    ("//evil.example/robots.txt", YES),
    ("/robots.txt", LOOP),
    ("robots.txt", LOOP),
    ("?x", YES),
    ("#x", LOOP),
    ("", NO_OR_LOOP),
    ("   ", NO_OR_LOOP),
    (".", YES),
    ("..", YES),
    ("../../../../etc/passwd", YES),
    ("http:", NO_OR_LOOP),
    ("http://", NO),
    ("http:///", NO),
    ("http://[::1", NO),
    ("http://h:99999/", NO),
    ("http://h:0/", NO),
    ("http://h%00/", NO),
    ("http://h%0d%0aX:1/", NO),
    // The names below have one label, so policy forbids them regardless of their addresses.
    ("\\\\evil\\x", NO),
    ("http:\\\\evil", NO),
    ("HTTP://EVIL/", NO),
    ("http://evil@h/", NO),
    ("http://u:p@h/", NO),
    ("http://h@evil/", NO),
    ("//u@evil", NO),
    ("http://xn--/", NO),
];

pub(super) fn destinations() -> Vec<Attack> {
    ids('D', 30)
        .zip(LOCATIONS)
        .map(|(id, (location, classes))| {
            let redirect = ScriptedResponse::redirect(302, location).script();
            let site = if classes == YES {
                Site::new().host_path(HOST, "/robots.txt", redirect).any(good())
            } else {
                Site::new().host(HOST, redirect).any(good())
            };
            let setup = Setup::web(HOST, site).host("evil.example").host("evil").host("h");
            let requests = if classes == YES { (2, 2) } else { (1, 6) };
            let entry = Attack::new(id, format!("Location: {location}"), setup, classes.to_vec())
                .claim(Claim::Requests(requests.0, requests.1))
                .claim(Claim::Body(rules()));
            if classes == NO {
                entry.claim(Claim::Requests(1, 1)).claim(Claim::Dials(1))
            } else {
                entry
            }
        })
        .collect()
}

pub(super) fn private() -> Vec<Attack> {
    ids('D', 71)
        .zip(FORBIDDEN)
        .map(|(id, &(host, _))| {
            let location = format!("http://{host}/");
            let site = Site::always(ScriptedResponse::redirect(302, &location).script());
            let setup = private_names(Setup::web(HOST, site));
            Attack::new(id, format!("Location: {location}"), setup, REFUSED.to_vec())
                .claim(Claim::Requests(1, 1))
                .claim(Claim::Dials(1))
        })
        .collect()
}

const RULES_ONLY: &[Class] = &[Class::Rules];
const EITHER: &[Class] = &[Class::Rules, Class::Unreachable, Class::Blocked];
const PAGE: &[u8] = b"<!DOCTYPE html>\n<html><body>Please log in</body></html>\n";

/// Another public host.
const OTHER: &str = "other.example";

pub(super) fn unusual() -> Vec<Attack> {
    let mut all = locations();
    all.extend(places());
    all.extend(targets());
    all.extend(bodies());
    all.extend(no_redirects());
    all.extend(ports());
    all
}

/// A redirect for the robots.txt, and `target` for everything else of both hosts.
fn two(first: Script, target: Script) -> Setup {
    let site = Site::new().host_path(HOST, "/robots.txt", first).any(target);
    Setup::web(HOST, site).host(OTHER)
}

fn to(location: impl AsRef<[u8]>) -> Script {
    ScriptedResponse::redirect(302, location).script()
}

fn entry(id: &'static str, what: &str, setup: Setup, classes: &[Class]) -> Attack {
    Attack::new(id, what, setup, classes.to_vec())
}

fn locations() -> Vec<Attack> {
    let twice = ScriptedResponse::redirect(302, "/a").field("Location", "/b").script();
    let case =
        Site::new().once(to(format!("http://{}/robots.txt", HOST.to_uppercase()))).any(good());
    let relative = Site::new()
        .host_path(HOST, "/robots.txt", to(format!("http://{OTHER}/dir/a")))
        .host_path(OTHER, "/dir/a", to("b.txt"))
        .host_path(OTHER, "/dir/b.txt", good());
    let long = format!("/{}", "a".repeat(300_000));
    vec![
        entry("D124", "two Locations", two(twice, good()), EITHER),
        entry("D125", "NUL in the Location", two(to(b"/a\0b"), good()), EITHER),
        entry("D126", "UTF-8 in the Location", two(to("/r\u{e9}pertoire"), good()), EITHER),
        entry("D127", "0xFF in the Location", two(to(b"/\xff"), good()), EITHER),
        entry("D128", "a Location of 300 KB", two(to(long), good()), REFUSED),
        entry(
            "D129",
            "an encoded line end in the Location",
            two(to("/robots%0d%0aX-Injected:1.txt"), good()),
            EITHER,
        )
        .claim(Claim::NeverSent("\nX-Injected")),
        entry(
            "D130",
            "a Location relative to a redirected URL",
            Setup::web(HOST, relative).host(OTHER),
            RULES_ONLY,
        )
        .claim(visits(&[
            "shop.example/robots.txt",
            "other.example/dir/a",
            "other.example/dir/b.txt",
        ])),
        entry(
            "D131",
            "the case of the host changes: the same URL again",
            Setup::web(HOST, case),
            RULES_ONLY,
        ),
    ]
}

fn places() -> Vec<Attack> {
    let other = format!("http://{OTHER}/robots.txt");
    let secure = |site: Site| Service::Https(Tls::default(), site);
    let there_and_back = Setup::web(HOST, Site::always(good()))
        .place(443, secure(Site::always(to(format!("http://{HOST}/robots.txt")))));
    let upgrade = Setup::web(HOST, Site::always(to(format!("https://{HOST}/robots.txt"))))
        .place(443, secure(Site::always(good())));
    let on_8080 = Setup::web(HOST, Site::always(to(format!("http://{HOST}:8080/robots.txt"))))
        .place(8080, Service::Http(Site::always(good())));
    vec![
        entry("D132", "another port", on_8080, RULES_ONLY),
        entry("D133", "from https to http", there_and_back, RULES_ONLY)
            .asking(format!("https://{HOST}/"))
            .elsewhere("strict", Class::Unreachable)
            .claim(Claim::Reports(Flag::Downgraded)),
        entry("D134", "from http to https", upgrade, RULES_ONLY)
            .claim(Claim::ReportsNot(Flag::Downgraded)),
        // REP-ACCESS-20: the rules apply to the requested host only.
        entry(
            "D135",
            "another path of another host: that host is still to be asked",
            two(to(format!("http://{OTHER}/elsewhere.txt")), good()),
            RULES_ONLY,
        )
        .then(format!("http://{OTHER}/"), RULES_ONLY)
        .claim(visits(&[
            "shop.example/robots.txt",
            "other.example/elsewhere.txt",
            "other.example/robots.txt",
        ])),
        entry(
            "D136",
            "the robots.txt of another host: that host is still to be asked",
            two(to(&other), good()),
            RULES_ONLY,
        )
        .then(format!("http://{OTHER}/"), RULES_ONLY)
        .claim(visits(&[
            "shop.example/robots.txt",
            "other.example/robots.txt",
            "other.example/robots.txt",
        ])),
        entry(
            "D137",
            "the robots.txt of another host, with a query",
            two(to(format!("{other}?x=1")), good()),
            RULES_ONLY,
        )
        .claim(visits(&["shop.example/robots.txt", "other.example/robots.txt?x=1"])),
    ]
}

fn targets() -> Vec<Attack> {
    let bomb = ScriptedResponse::new(200)
        .field("Content-Encoding", "gzip")
        .head()
        .then_all(gzip_bomb(100));
    let cases = [
        ("D138", "leads to a 404", ScriptedResponse::new(404).script(), Class::Allow),
        (
            "D139",
            "leads to a 500",
            ScriptedResponse::new(500).body(RULES).script(),
            Class::Unreachable,
        ),
        ("D140", "leads to silence", Script::of(ServerAction::Never), Class::Unreachable),
        ("D141", "leads to a gzip bomb", bomb, Class::RulesTruncated),
    ];
    cases
        .map(|(id, what, target, class)| {
            entry(id, what, two(to("/moved"), target), &[class]).claim(Claim::Requests(2, 2))
        })
        .into()
}

fn bodies() -> Vec<Attack> {
    let moved = || ScriptedResponse::redirect(302, "/moved");
    let cases = [
        (
            "D142",
            "a redirect with a body of 10 MB",
            moved()
                .field("Content-Length", "10000000")
                .head()
                .then(ServerAction::Times(vec![b'#'; 1000], 10_000)),
        ),
        (
            "D143",
            "a redirect whose body never comes",
            moved().field("Content-Length", "10").head().then_never(),
        ),
        ("D144", "a redirect with a cookie", moved().field("Set-Cookie", "id=4711").script()),
    ];
    let mut all: Vec<Attack> = cases
        .map(|(id, what, first)| {
            entry(id, what, two(first, good()), RULES_ONLY)
                .claim(Claim::Requests(2, 2))
                .claim(Claim::Body(rules()))
        })
        .into();
    let challenge =
        ScriptedResponse::new(401).field("WWW-Authenticate", "Basic realm=\"a\"").script();
    all.push(
        entry(
            "D145",
            "leads to a host that requires a password",
            two(to("/moved"), challenge),
            &[Class::Allow],
        )
        .forbidden(),
    );
    let page = || ScriptedResponse::new(200).field("Content-Type", "text/html").body(PAGE).script();
    for (id, what, location) in
        [("D150", "leads to a login page", "/login"), ("D151", "leads to the home page", "/")]
    {
        all.push(
            entry(id, what, two(to(location), page()), RULES_ONLY)
                .claim(Claim::Body(PAGE.to_vec()))
                .claim(Claim::Reports(Flag::SoftHtml)),
        );
    }
    all
}

/// REP-ACCESS-21: only HTTP has redirects, and only by status.
fn no_redirects() -> Vec<Attack> {
    let refresh = format!("0; url=http://{OTHER}/robots.txt");
    let meta =
        format!("<html><head><meta http-equiv=\"refresh\" content=\"{refresh}\"></head></html>");
    let tagged = ScriptedResponse::rules()
        .field("ETag", "\"a\"")
        .field("Cache-Control", "max-age=0")
        .script();
    let conditional = Site::new()
        .path_once("/robots.txt", tagged.clone())
        .path_once("/robots.txt", to("/moved"))
        .path("/moved", good());
    let other = ScriptedResponse::new(304).field("ETag", "\"b\"").script();
    let mixed = Site::new()
        .path_once("/robots.txt", tagged)
        .path_once("/robots.txt", other)
        .path("/robots.txt", good());
    let refused = ScriptedResponse::new(401).field("Location", "/moved").body(RULES).script();
    vec![
        entry(
            "D146",
            "a Refresh field with status 200",
            two(ScriptedResponse::rules().field("Refresh", &refresh).script(), good()),
            RULES_ONLY,
        )
        .claim(Claim::Requests(1, 1)),
        entry(
            "D147",
            "a refresh in the body",
            two(ScriptedResponse::new(200).body(meta).script(), good()),
            RULES_ONLY,
        )
        .claim(Claim::Requests(1, 1))
        .claim(Claim::Reports(Flag::SoftHtml)),
        entry("D148", "401 with a Location", two(refused, good()), &[Class::Allow])
            .forbidden()
            .claim(Claim::Requests(1, 1)),
        entry(
            "D149",
            "a redirect to a conditional request",
            Setup::web(HOST, conditional),
            RULES_ONLY,
        )
        .again(RULES_ONLY)
        .claim(visits(&[
            "shop.example/robots.txt",
            "shop.example/robots.txt",
            "shop.example/moved",
        ])),
        // REP-CACHE-5: it confirms nothing, and the next request is not conditional.
        entry("D301", "304 with another ETag", Setup::web(HOST, mixed), RULES_ONLY)
            .again(RULES_ONLY)
            .claim(visits(&["shop.example/robots.txt"; 3])),
    ]
}

fn ports() -> Vec<Attack> {
    [
        ("D152", "leads to the port of SMTP", format!("http://{HOST}:25/")),
        ("D153", "leads to the port of SSH", format!("http://{HOST}:22/")),
        ("D154", "leads to the port of Redis", format!("http://{HOST}:6379/")),
        ("D155", "leads to a service on this machine", "http://127.0.0.1:8080/v1/check".to_owned()),
    ]
    .map(|(id, what, location)| {
        entry(id, what, two(to(location), good()), REFUSED)
            .claim(Claim::Requests(1, 1))
            .claim(Claim::Dials(1))
    })
    .into()
}

fn visits(urls: &[&str]) -> Claim {
    Claim::Visits(urls.iter().map(|url| format!("http://{url}")).collect())
}
