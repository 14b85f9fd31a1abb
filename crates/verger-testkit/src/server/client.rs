//! A robots client in a [`World`].

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpStream;
use verger::Crawler;
use verger_fetch::client::RobotsClient;
use verger_fetch::failure::DnsError;
use verger_fetch::fetch::Identity;
use verger_fetch::net::{BoxFuture, BoxStream, Dial, Resolve};
use verger_fetch::polite::Politeness;

use super::World;

/// A client for a crawler that sends all its requests into a world, without pauses.
///
/// # Panics
///
/// If the name of the crawler cannot be in a User-Agent header.
pub fn client(world: &Arc<World>, name: &str) -> RobotsClient {
    let net = Net(Arc::clone(world));
    let identity = Identity::new(&format!("{name}/1.0")).expect("a header");
    RobotsClient::builder(Crawler::new(name), identity)
        .resolve(Arc::new(net.clone()))
        .dial(Arc::new(net))
        .politeness(Politeness { pause: Duration::ZERO, ..Politeness::default() })
        .build()
        .expect("a client")
}

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
