//! Trusted certificates and the proxy, from arguments and environment variables; a resolver of one
//! address family.

use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;

use verger_fetch::failure::DnsError;
use verger_fetch::net::{BoxFuture, PemError, Proxy, ProxyUrlError, Resolve, Roots};

use crate::args::{LiveArgs, ProxyArg};
use crate::error::Error;
use crate::input::{is_stdin, read_whole, shown};
use crate::limits::CA_BYTES;

/// Trusted root certificates: Mozilla's list, the files of `--ca-file`, and the file of the
/// environment variable `SSL_CERT_FILE`, which OpenSSL and curl also read.
pub(crate) fn roots(args: &LiveArgs) -> Result<Roots, Error> {
    let mut roots = Roots::mozilla();
    if args.offline {
        return Ok(roots);
    }
    for path in &args.ca_file {
        roots = with_file(roots, path)?;
    }
    if let Some(path) = std::env::var_os("SSL_CERT_FILE").filter(|path| !path.is_empty()) {
        roots = with_file(roots, Path::new(&path)).map_err(|error| {
            error.with_hint("the environment variable `SSL_CERT_FILE` names this file")
        })?;
    }
    Ok(roots)
}

fn with_file(roots: Roots, path: &Path) -> Result<Roots, Error> {
    if is_stdin(path) {
        let message = "expected a file of certificates, but found standard input";
        return Err(Error::new(message));
    }
    let pem = read_whole(path, CA_BYTES)?;
    roots.with_pem(&pem).map_err(|error| {
        let name = shown(path);
        let hint = matches!(error, PemError::Absent)
            .then(|| "`openssl x509 -inform DER` converts a certificate in DER to PEM".to_owned());
        Error::new(format!("could not use {name}: {error}")).with_optional_hint(hint)
    })
}

/// The proxy of `--proxy`. With `env`, an environment variable names it.
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

/// An error that does not quote the URL.
fn bad(place: &str, error: ProxyUrlError) -> Error {
    Error::new(format!("could not use {place}: {error}")).with_hint(error.hint())
}

/// Environment variables of `--proxy env`. The first one that is set is used.
const VARIABLES: [&str; 2] = ["HTTPS_PROXY", "https_proxy"];

/// A resolver that knows the addresses of one family only.
#[derive(Debug)]
pub(crate) struct OneFamily {
    pub(crate) resolver: Arc<dyn Resolve>,
    pub(crate) is_v4: bool,
}

impl Resolve for OneFamily {
    fn resolve<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Vec<IpAddr>, DnsError>> {
        Box::pin(async move {
            let mut found = self.resolver.resolve(name).await?;
            found.retain(|address| address.is_ipv4() == self.is_v4);
            if found.is_empty() { Err(DnsError::NoAddress) } else { Ok(found) }
        })
    }
}
