//! Certificates that are trusted besides Mozilla's list.

use std::path::Path;

use verger_fetch::net::{PemError, Roots};

use crate::args::LiveArgs;
use crate::error::Error;
use crate::input::{is_stdin, read_whole, shown};
use crate::limits::CA_BYTES;

/// Mozilla's list, the files of `--ca-file`, and that of `SSL_CERT_FILE`, which OpenSSL and curl read too.
///
/// The library reads no environment, so the program does.
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
            error.with_hint("the environment variable `SSL_CERT_FILE` names it")
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
        Error::new(format!("could not use {name}: {error}")).with_hint_of(hint)
    })
}
