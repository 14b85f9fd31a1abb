//! The scope of a robots.txt, through the client: one file disallows everything, the other possible
//! files do not exist, and the requests show the places where the client looked.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use url::{Host, Url};
use verger_fetch::client::{CheckError, RobotsClient};
use verger_fetch::decision::{Decision, RecordSource};
use verger_fetch::guard::Guard;
use verger_testkit::server::{
    Ftp, Lookup, Record, Script, ScriptedResponse, Service, Setup, Site, Tls, World,
};
use verger_testkit::suite::{Derive, Scope};

use crate::client::world::{client, short, start};

const NOTHING_ALLOWED: &str = "User-agent: *\nDisallow: /\n";

/// A rule of the file decides if and only if the URL is in the scope of the file.
pub(crate) async fn covers(scope: &Scope) -> Result<(), String> {
    let robots_url = parse(&scope.robots_url)?;
    let file = Some(&robots_url);
    let world = start(setup(&[&robots_url, &parse(&scope.url)?], file)?).await;
    let decision = reaching(&world).check(&scope.url).await.map_err(|e| e.to_string())?;
    compare(&scope.in_scope, &decision.verdict().rule().is_some())?;
    only_robots(&world.record())
}

/// Only the robots.txt of the right place is requested; without one, nothing.
pub(crate) async fn asks(derive: &Derive) -> Result<(), String> {
    let Some(expected) = &derive.robots_url else {
        let world = start(Setup::new()).await;
        let decision = reaching(&world).check(&derive.url).await;
        compare(&Record::default(), &world.record())?;
        return match decision.as_ref().map(Decision::source) {
            Ok(RecordSource::Nothing) | Err(CheckError::InvalidUrl(_)) => Ok(()),
            _ => Err(format!("expected no need of a robots.txt, but found {decision:?}")),
        };
    };
    let expected = parse(expected)?;
    let world = start(setup(&[&expected], Some(&expected))?).await;
    let decision = reaching(&world).check(&derive.url).await.map_err(|e| e.to_string())?;
    let seen = world.record();
    only_robots(&seen)?;
    let asked: Vec<_> = seen.requests.iter().map(|request| parse(&request.url())).collect();
    if expected.scheme() == "ftp" {
        compare(&vec![address(&expected, &names(&[&expected]))], &seen.dials[..1].to_vec())?;
    } else {
        compare(&vec![Ok(expected.clone())], &asked)?;
    }
    let record = decision.record().ok_or("expected a record, but found none")?;
    compare(&expected, &parse(&record.last().unwrap().final_url)?)?;
    compare(&false, &decision.is_allowed())
}

fn parse(url: &str) -> Result<Url, String> {
    Url::parse(url).map_err(|error| format!("{url}: {error}"))
}

fn compare<T: PartialEq + std::fmt::Debug>(expected: &T, found: &T) -> Result<(), String> {
    if expected == found {
        return Ok(());
    }
    Err(format!("expected {expected:?}, but found {found:?}"))
}

fn only_robots(seen: &Record) -> Result<(), String> {
    compare(&Vec::new(), &seen.strays)?;
    for command in seen.commands.iter().filter(|command| command.starts_with(b"RETR")) {
        // From the directory of the login, which is the root.
        compare(&"RETR robots.txt".as_bytes(), &command.as_slice())?;
    }
    for request in &seen.requests {
        compare(&"/robots.txt".to_owned(), &request.target())?;
    }
    Ok(())
}

fn reaching(world: &Arc<World>) -> RobotsClient {
    // The addresses of documentation represent public ones here.
    let guard = Guard::new().with_allowed_net("2001:db8::/32".parse().unwrap());
    client(world).limits(short()).guard(guard).build().unwrap()
}

/// An address for each named host.
fn names(urls: &[&Url]) -> BTreeMap<String, IpAddr> {
    let hosts = urls.iter().filter_map(|url| url.domain().map(str::to_owned));
    hosts.zip((34..).map(|last| IpAddr::from([93, 184, 216, last]))).collect()
}

fn address(url: &Url, names: &BTreeMap<String, IpAddr>) -> SocketAddr {
    let host = match url.host().unwrap() {
        Host::Ipv4(address) => address.into(),
        Host::Ipv6(address) => address.into(),
        Host::Domain(name) => names[name],
    };
    (host, url.port_or_known_default().unwrap()).into()
}

/// Servers for these URLs; one has a file that disallows everything, the others answer 404.
fn setup(urls: &[&Url], file: Option<&Url>) -> Result<Setup, String> {
    let names = names(urls);
    let mut setup = Setup::new();
    for (name, &address) in &names {
        setup = setup.name(name, [Lookup::addresses([address])]);
    }
    // The server of the file comes last and replaces others.
    for url in urls.iter().copied().chain(file) {
        let path = file.filter(|file| *file == url).map(Url::path);
        let site = path.map_or_else(Site::new, |path| {
            Site::new().path(path, ScriptedResponse::new(200).body(NOTHING_ALLOWED).script())
        });
        let service = match url.scheme() {
            "http" => Service::Http(site),
            "https" => Service::Https(Tls::default(), site),
            "ftp" if path == Some("/robots.txt") => {
                Service::Ftp(Box::new(Ftp::new().data(Script::text(NOTHING_ALLOWED))))
            }
            "ftp" => Service::Ftp(Box::new(Ftp::new().on("RETR", Script::text("550 none\r\n")))),
            other => return Err(format!("expected a scheme with a server, but found `{other}`")),
        };
        setup = setup.place_at(address(url, &names), service);
    }
    Ok(setup)
}
