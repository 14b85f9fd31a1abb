//! The proxy of all requests.

use std::ffi::OsStr;
use std::fmt::{self, Debug};

use verger_fetch::net::{Proxy, ProxyUrlError};

use crate::args::LiveArgs;
use crate::error::Error;

/// The value of `--proxy`. It may hold a password, so it is not shown, and read only here: an error of the
/// argument parser would quote it.
#[derive(Clone)]
pub(crate) struct ProxyArg(String);

impl From<&OsStr> for ProxyArg {
    fn from(text: &OsStr) -> Self {
        // What stands in for bytes that are not UTF-8 is in no URL of a proxy.
        Self(text.to_string_lossy().into_owned())
    }
}

impl Debug for ProxyArg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ProxyArg")
    }
}

/// The proxy of `--proxy`. `env` takes it from the environment, which is read for nothing else here.
pub(crate) fn proxy(args: &LiveArgs) -> Result<Option<Proxy>, Error> {
    match &args.proxy {
        Some(ProxyArg(text)) if !args.offline => match text.as_str() {
            "env" => from_environment().map(Some),
            url => Proxy::new(url).map(Some).map_err(|error| bad("`--proxy`", error)),
        },
        _ => Ok(None),
    }
}

fn from_environment() -> Result<Proxy, Error> {
    let value = |name: &'static str| {
        let text = std::env::var_os(name).filter(|text| !text.is_empty())?;
        Some((name, text.to_string_lossy().into_owned()))
    };
    let Some((name, url)) = VARIABLES.into_iter().find_map(value) else {
        let [upper, lower] = VARIABLES;
        let message = format!(
            "could not use `--proxy env`: expected the environment variable `{upper}` or `{lower}`, but \
             found neither"
        );
        return Err(Error::new(message).with_hint("`--proxy URL` names a proxy"));
    };
    Proxy::new(&url).map_err(|error| bad(&format!("the environment variable `{name}`"), error))
}

/// The text itself is not quoted.
fn bad(place: &str, error: ProxyUrlError) -> Error {
    Error::new(format!("could not use {place}: {error}")).with_hint(error.hint())
}

/// The variables of `--proxy env`; the first one that is set counts.
const VARIABLES: [&str; 2] = ["HTTPS_PROXY", "https_proxy"];
