//! A client in the world of the testkit's server.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpStream;
use verger::Crawler;
use verger_fetch::client::{RobotsClient, TurnError};
use verger_fetch::failure::DnsError;
use verger_fetch::fetch::Identity;
use verger_fetch::net::{BoxFuture, BoxStream, Dial, Resolve};
use verger_fetch::polite::Politeness;
use verger_rights::{Report, collect};
use verger_testkit::server::{Service, Setup, Site, World};

#[derive(Clone, Debug)]
struct Net(Arc<World>);

impl Resolve for Net {
    fn resolve<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Vec<IpAddr>, DnsError>> {
        Box::pin(async move {
            let resolved = self.0.resolve(name).await.map_err(|_| DnsError::NoSuchName)?;
            Ok(resolved.addresses)
        })
    }
}

impl Dial for Net {
    fn dial(&self, to: SocketAddr) -> BoxFuture<'_, io::Result<BoxStream>> {
        Box::pin(async move {
            let at = self.0.dial(to).await?;
            Ok(Box::new(TcpStream::connect(at).await?) as BoxStream)
        })
    }
}

/// The report on a URL of the hosts `shop.example` and `other.example`, without pauses.
pub(crate) fn report(site: Site, url: &str) -> Result<Report, TurnError> {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let setup = Setup::new().host("shop.example").host("other.example");
        let world = Arc::new(setup.place(80, Service::Http(site)).start().await.expect("a world"));
        let crawler = Crawler::new("ExampleBot");
        let net = Net(world);
        let client = RobotsClient::builder(
            crawler.clone(),
            Identity::new("ExampleBot/1.0").expect("a header"),
        )
        .resolve(Arc::new(net.clone()))
        .dial(Arc::new(net))
        .politeness(Politeness { pause: Duration::ZERO, ..Politeness::default() })
        .build()
        .expect("a client");
        collect(&client, &crawler, url).await
    })
}
