//! A client in the world of the testkit's server.

use std::sync::Arc;

use verger::Crawler;
use verger_fetch::client::TurnError;
use verger_rights::Outcome::{self, Unstated};
use verger_rights::{RSL_NAMESPACE, Report, Use, collect};
use verger_testkit::server::{ScriptedResponse, Service, Setup, Site, client};

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

/// Search, training, input, mining.
pub(crate) type Row = [Outcome; 4];
pub(crate) const NOTHING: Row = [Unstated; 4];

pub(crate) const URL: &str = "http://shop.example/a";
pub(crate) const TDMREP: &str = "/.well-known/tdmrep.json";

pub(crate) fn row(report: &Report) -> Row {
    Use::ALL.map(|it| report.outcome(it))
}

pub(crate) fn ok(body: &str) -> ScriptedResponse {
    ScriptedResponse::new(200).body(body)
}

pub(crate) fn rsl(license: &str) -> String {
    format!(
        "<rsl xmlns='{RSL_NAMESPACE}'><content url='/'><license>{license}</license></content></rsl>"
    )
}
