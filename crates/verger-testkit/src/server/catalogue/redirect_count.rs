//! Number, status and loops of redirects (D001 to D029).
//!
//! Five are followed; more, or a loop, count as no robots.txt (REP-ACCESS-23).

use crate::server::{Answer, RULES, Service, Setup, Site, Tls};

use super::{Claim, Class, Entry, HOST, REFUSED, good, ids, rules};

/// Number of followed redirects.
const FOLLOWED: usize = 5;

const STATUSES: [u16; 9] = [300, 301, 302, 303, 304, 305, 306, 307, 308];

pub(super) fn entries() -> Vec<Entry> {
    let counted = ids('D', 1).zip(0..=12).map(|(id, count)| chain(id, count));
    let statuses = ids('D', 14).zip(STATUSES).map(|(id, status)| followed(id, status));
    counted.chain(statuses).chain(loops()).collect()
}

fn chain(id: &'static str, count: usize) -> Entry {
    let path = |at: usize| if at == 0 { "/robots.txt".to_owned() } else { format!("/{at}") };
    let site = (0..count).fold(Site::new(), |site, at| {
        site.path(&path(at), Answer::redirect(302, path(at + 1)).script())
    });
    let site = site.path(&path(count), good());
    let is_followed = count <= FOLLOWED;
    let class = if is_followed { Class::Rules } else { Class::RedirectLimit };
    let last = count.min(FOLLOWED);
    let visits = (0..=last).map(|at| format!("http://{HOST}{}", path(at))).collect();
    Entry::new(id, format!("{count} redirects"), Setup::web(HOST, site), vec![class])
        .claim(Claim::Visits(visits))
        .claim(Claim::Body(rules()))
}

fn followed(id: &'static str, status: u16) -> Entry {
    let site = Site::new()
        .path("/robots.txt", Answer::redirect(status, "/moved").script())
        .path("/moved", good());
    // REP-ACCESS-24: these five are redirects, and no other 3xx is.
    let is_redirect = matches!(status, 301 | 302 | 303 | 307 | 308);
    let class = if is_redirect { Class::Rules } else { Class::Unreachable };
    let requests = if is_redirect { 2 } else { 1 };
    Entry::new(id, format!("{status} with a Location"), Setup::web(HOST, site), vec![class])
        .claim(Claim::Requests(requests, requests))
        .claim(Claim::Body(RULES.to_vec()))
}

fn loops() -> Vec<Entry> {
    let to = |location: String| Answer::redirect(302, location).script();
    let looped = |id, what: &str, setup: Setup| {
        Entry::new(id, what, setup, vec![Class::RedirectLimit])
            .claim(Claim::Requests(1, FOLLOWED + 1))
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
        looped("D025", "from http to https and back", both),
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
fn with_credentials(mut entry: Entry) -> Entry {
    entry.asks[0].classes.extend(REFUSED);
    entry.claim(Claim::NeverSent("secret"))
}
