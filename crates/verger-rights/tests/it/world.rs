//! A client in the world of the testkit's server.

use std::sync::Arc;

use verger::Crawler;
use verger_fetch::client::TurnError;
use verger_rights::{Report, collect};
use verger_testkit::server::{Service, Setup, Site, client};

/// The report on a URL of the hosts `shop.example` and `other.example`, without pauses.
pub(crate) fn report(site: Site, url: &str) -> Result<Report, TurnError> {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let setup = Setup::new().host("shop.example").host("other.example");
        let world = Arc::new(setup.place(80, Service::Http(site)).start().await.expect("a world"));
        let client = client(&world, "ExampleBot");
        collect(&client, &Crawler::new("ExampleBot"), url).await
    })
}
