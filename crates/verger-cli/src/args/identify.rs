//! The arguments of `verger identify` and `verger identity`.

use std::net::IpAddr;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};
use ipnet::IpNet;
use verger::access::Timestamp;
use verger_audit::log::{LogFormat, read_time};
use verger_fetch::guard::parse_net;
use verger_identity::{Request, read_address};

use super::ReportFormat;

/// Verify who sent a request: is this really Googlebot?
///
/// The User-Agent header of a request is a claim. Operators of crawlers publish three kinds of
/// proof: lists of addresses, domains of host names (reverse DNS), and signatures (Web Bot Auth).
/// One verified proof is enough. A request is judged by the lists that were valid at its time.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Identify {
    /// No argument: only for its error
    #[arg(hide = true, value_parser = no_log)]
    log: Option<String>,

    /// Address of the connection
    #[arg(long, value_name = "ADDRESS", value_parser = address, required_unless_present_any = ["batch", "headers"])]
    pub(crate) ip: Option<IpAddr>,

    /// User-Agent header of the request
    #[arg(long, value_name = "HEADER", conflicts_with = "batch")]
    pub(crate) user_agent: Option<String>,

    /// Time of the request, such as 2026-11-23T14:30:00Z, or as its log writes it [default: now]
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) at: Option<Timestamp>,

    /// File with the request line and header fields, for signatures and `--trusted-proxy`; `-` is
    /// standard input
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "batch")]
    pub(crate) headers: Option<PathBuf>,

    /// File of requests as JSON Lines, or an access log; `-` is standard input. Results are JSON
    /// Lines in order
    ///
    /// Keys: `ip`, `user_agent`, `at` (text, or seconds since 1970), `duration` (seconds before
    /// `at`), `headers` (an object), and for signatures `method`, `scheme`, `authority` and
    /// `target`.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with_all = ["ip", "at"])]
    pub(crate) batch: Option<PathBuf>,

    /// Format of the log of `--batch`, as in `log_format` of nginx [default: found from the first
    /// lines]
    #[arg(long, value_name = "FORMAT", value_parser = LogFormat::custom, requires = "batch")]
    pub(crate) log_format: Option<LogFormat>,

    #[command(flatten)]
    pub(crate) proof: ProofArgs,

    /// Format of the result of one request; `--batch` always writes JSON Lines
    #[arg(long, value_name = "FORMAT", default_value = "text", conflicts_with = "batch")]
    pub(crate) format: ReportFormat,
}

/// Proxies, lists, key sets and look-ups: the means to prove who sent a request.
#[derive(Debug, Args)]
pub(crate) struct ProofArgs {
    /// Network of a proxy or CDN in front of the site; can be repeated
    ///
    /// If the connection comes from it, `--proxy-header` has the address of the client. Without it,
    /// the addresses of known CDNs and of private networks are not checked.
    #[arg(long, value_name = "CIDR", value_parser = parse_net)]
    pub(crate) trusted_proxy: Vec<IpNet>,

    /// Field in which the trusted proxies write the address of the client
    #[arg(long, value_name = "NAME", default_value = PROXY_HEADER, requires = "trusted_proxy")]
    pub(crate) proxy_header: String,

    /// Host of the site, with its port unless it is the usual one; can be repeated [default: any]
    ///
    /// The signature of a request for another host fails: who runs that host could have sent it on.
    #[arg(long, value_name = "NAME")]
    pub(crate) authority: Vec<String>,

    /// Directory of lists (`verger identity update DIR`), instead of those of this release
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) lists: Option<PathBuf>,

    /// Key set of an agent, instead of fetching it: the URL of the agent and a file; can be
    /// repeated
    #[arg(long, value_name = "URL=FILE", value_parser = key_set)]
    pub(crate) key_set: Vec<(String, PathBuf)>,

    /// Look up neither host names nor key sets
    #[arg(long)]
    pub(crate) offline: bool,
}

fn no_log(_: &str) -> Result<String, &'static str> {
    Err("expected options; `--batch FILE` reads a log")
}

fn address(text: &str) -> Result<IpAddr, &'static str> {
    read_address(text).ok_or("expected an address such as 192.0.2.1 or 2001:db8::1")
}

/// A time, also one as a log writes it.
pub(super) fn time(text: &str) -> Result<Timestamp, String> {
    Request::time(text).or_else(|error| read_time(text.as_bytes()).ok_or(error))
}

fn key_set(text: &str) -> Result<(String, PathBuf), String> {
    // A URL of a key set can have a query with `=`, so the last one separates.
    let parts =
        text.rsplit_once('=').filter(|(url, file)| url.starts_with("https://") && !file.is_empty());
    let (url, file) = parts.ok_or("expected a URL and a file: https://bot.example=keys.json")?;
    Ok((url.to_owned(), file.into()))
}

/// Make a key for signed requests, print its key set, or update lists of addresses
#[derive(Debug, Subcommand)]
#[command(after_long_help = IDENTITY_EXAMPLES)]
pub(crate) enum Identity {
    /// Make a key in a new file that only you can read, and print its thumbprint
    #[command(after_long_help = IDENTITY_EXAMPLES)]
    Key(KeyFile),
    /// Print the key set of a key, to publish at /.well-known/http-message-signatures-directory
    #[command(after_long_help = IDENTITY_EXAMPLES)]
    Directory(KeyFile),
    /// Fetch the lists of all known crawlers into a new file of a directory; older files stay
    #[command(after_long_help = IDENTITY_EXAMPLES)]
    Update {
        /// Directory of lists, made if it is absent
        #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
        path: PathBuf,
    },
}

/// The file of a key.
#[derive(Debug, Args)]
pub(crate) struct KeyFile {
    /// File of the key
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) path: PathBuf,
}

pub(super) const PROXY_HEADER: &str = "X-Forwarded-For";

const EXAMPLES: &str = "\
Examples:
  Was it GPTBot in June? Use only the lists of this release:
    verger identify --ip 20.171.206.10 --user-agent GPTBot/1.2 --at 2026-06-01 --offline

  Verify the signature of a request to the own site:
    verger identify --headers request.txt --authority shop.example

  Identify the requests of a log behind a CDN:
    verger identify --batch requests.jsonl \\
      --trusted-proxy 173.245.48.0/20 --proxy-header CF-Connecting-IP

Exit codes:
  0  verified; with `--batch`: all requests
  1  failed or undecided; the output tells which
  2  an error";

const IDENTITY_EXAMPLES: &str = "\
Examples:
  Make a key, and the key set to publish:
    verger identity key bot-key.json
    verger identity directory bot-key.json > http-message-signatures-directory

  Update the lists of addresses every day, and use them:
    verger identity update ./lists
    verger identify --lists ./lists --ip 66.249.66.1 --user-agent Googlebot/2.1

Exit codes:
  0  success
  1  `update`: at least one list could not be fetched
  2  an error; an existing key is never replaced";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_set_has_a_url_and_a_file() {
        let (url, file) = key_set("https://bot.example/keys?a=b=keys.json").unwrap();
        assert_eq!((url.as_str(), file), ("https://bot.example/keys?a=b", "keys.json".into()));
        for text in [
            "",
            "keys.json",
            "https://bot.example",
            "http://bot.example=keys.json",
            "https://bot.example=",
        ] {
            assert!(key_set(text).is_err(), "{text}");
        }
    }
}
