//! The network of the sites.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::net::TcpStream;
use verger_fetch::failure::DnsError;
use verger_fetch::net::{BoxFuture, BoxStream, Dial, Resolve};
use verger_testkit::server::{PUBLIC, World};

use crate::soak::plan::{Fault, Site};

/// The sites by host.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sites(Arc<Mutex<HashMap<String, Site>>>);

impl Sites {
    pub(crate) fn lock(&self) -> MutexGuard<'_, HashMap<String, Site>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fault(&self, host: &str) -> Option<Fault> {
        self.lock().get(host).and_then(|site| site.plan.fault())
    }
}

/// The network of the world, with additional faults.
#[derive(Debug)]
pub(crate) struct Net {
    pub(crate) world: Arc<World>,
    pub(crate) sites: Sites,
}

/// The address of names whose connection is refused.
const REFUSING: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::new(93, 184, 216, 99)), 80);

impl Resolve for Net {
    fn resolve<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Vec<IpAddr>, DnsError>> {
        Box::pin(async move {
            match self.sites.fault(name) {
                Some(Fault::NoSuchName) => Err(DnsError::NoSuchName),
                Some(Fault::Refused) => Ok(vec![REFUSING.ip()]),
                _ => Ok(vec![PUBLIC]),
            }
        })
    }
}

impl Dial for Net {
    fn dial(&self, to: SocketAddr) -> BoxFuture<'_, io::Result<BoxStream>> {
        Box::pin(async move {
            if to == REFUSING {
                return Err(io::ErrorKind::ConnectionRefused.into());
            }
            let at = self.world.dial(to).await?;
            Ok(Box::new(TcpStream::connect(at).await?) as BoxStream)
        })
    }
}
