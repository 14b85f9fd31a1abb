//! Rules of access: names of the service in `Host`, requests of web pages, tokens, and rates.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError, RwLock};
use std::time::Instant;

use hyper::header::{
    AUTHORIZATION, CONTENT_LENGTH, HOST, HeaderMap, HeaderName, HeaderValue, ORIGIN,
    TRANSFER_ENCODING,
};
use hyper::{Request, Uri};
use sha2::{Digest as _, Sha256};
use subtle::{Choice, ConstantTimeEq as _};

use crate::error::StartError;
use crate::generations::Generations;
use crate::limits::RATES;
use crate::problem::{Kind, Problem};
use crate::secrets::read_tokens;
use crate::settings::Settings;

/// The right of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Right {
    /// Questions.
    Ask,
    /// Also imports of records.
    Import,
}

/// The rules of access.
#[derive(Debug)]
pub(crate) struct AccessControl {
    /// Names in `Host`, in lower case, without ports.
    names: Vec<String>,
    token_file: Option<PathBuf>,
    admin_token_file: Option<PathBuf>,
    tokens: RwLock<Tokens>,
    rates: Option<Rates>,
}

/// Hashes of the valid tokens.
#[derive(Debug, Default)]
struct Tokens {
    ask: Vec<[u8; 32]>,
    import: Vec<[u8; 32]>,
}

impl AccessControl {
    /// Reads the files of tokens. `bound` are the addresses of the service.
    pub(crate) fn new(settings: &Settings, bound: &[SocketAddr]) -> Result<Self, StartError> {
        let Settings { host, token_file, admin_token_file, rate, .. } = settings;
        let local = ["localhost", "127.0.0.1", "[::1]"].map(str::to_owned);
        let addresses = bound.iter().filter(|address| !address.ip().is_unspecified());
        let addresses = addresses.map(|address| match address.ip() {
            IpAddr::V4(address) => address.to_string(),
            IpAddr::V6(address) => format!("[{address}]"),
        });
        let names = local.into_iter().chain(addresses).chain(host.iter().cloned()).collect();
        let control = Self {
            names,
            token_file: token_file.clone(),
            admin_token_file: admin_token_file.clone(),
            tokens: RwLock::default(),
            rates: (*rate > 0).then(|| Rates::new(*rate)),
        };
        let open = bound.iter().find(|address| !address.ip().is_loopback());
        if let Some(address) = open.filter(|_| token_file.is_none()) {
            let error = StartError::new(format!(
                "expected `--token-file` for address {address}, which other machines can reach"
            ));
            return Err(error
                .with_hint("`openssl rand -hex 32 > tokens && chmod 600 tokens` makes a token"));
        }
        control.reload()?;
        Ok(control)
    }

    /// Reads the files of tokens again. After an error the previous tokens stay valid.
    pub(crate) fn reload(&self) -> Result<(), StartError> {
        let read = |path: &Option<PathBuf>| path.as_deref().map(read_tokens).transpose();
        let ask = read(&self.token_file)?.unwrap_or_default();
        let import = read(&self.admin_token_file)?.unwrap_or_default();
        *self.tokens.write().unwrap_or_else(PoisonError::into_inner) = Tokens { ask, import };
        Ok(())
    }

    /// Rejects requests with another name of the service, and those of scripts of web pages.
    pub(crate) fn check_names<B>(&self, request: &Request<B>) -> Result<(), Problem> {
        let headers = request.headers();
        let mut hosts = headers.get_all(HOST).iter();
        let host = match (hosts.next(), hosts.next()) {
            (Some(host), None) => host.to_str().ok(),
            (None, _) => {
                let detail = "missing the Host header";
                return Err(Problem::new(Kind::BadRequest, detail).closing());
            }
            (Some(_), Some(_)) => {
                let detail = "the request has several Host headers";
                return Err(Problem::new(Kind::BadRequest, detail).closing());
            }
        };
        let authority = request.uri().authority().map(hyper::http::uri::Authority::as_str);
        let is_known = host.is_some_and(|host| self.is_own(host))
            && authority.is_none_or(|authority| self.is_own(authority));
        if !is_known {
            let detail =
                "expected a Host header with a name of this service; `--host NAME` adds one";
            return Err(Problem::new(Kind::Misdirected, detail));
        }
        // Programs send no Origin. A web page of another site may not use the service.
        let is_own_page = |origin: &HeaderValue| {
            origin.to_str().is_ok_and(|it| self.is_own_page(it, host.unwrap_or_default()))
        };
        if headers.get_all(ORIGIN).iter().all(is_own_page) {
            return Ok(());
        }
        let detail = "expected no Origin header: web pages of other sites may not use this service";
        Err(Problem::new(Kind::Forbidden, detail))
    }

    /// Whether an authority is a name of this service, with any valid port.
    fn is_own(&self, authority: &str) -> bool {
        let (name, port) = match authority.rsplit_once(':') {
            Some((name, port)) if !port.ends_with(']') => (name, Some(port)),
            _ => (authority, None),
        };
        let is_port = |port: &str| {
            !port.is_empty()
                && port.bytes().all(|byte| byte.is_ascii_digit())
                && port.parse::<u16>().is_ok()
        };
        port.is_none_or(is_port) && self.names.iter().any(|own| own.eq_ignore_ascii_case(name))
    }

    /// Whether a page is served by this service itself, under the name of this request.
    fn is_own_page(&self, origin: &str, host: &str) -> bool {
        let Ok(origin) = origin.parse::<Uri>() else { return false };
        let authority = origin.authority().map(hyper::http::uri::Authority::as_str);
        authority
            .is_some_and(|authority| authority.eq_ignore_ascii_case(host) && self.is_own(authority))
    }

    /// Rejects requests without a token for this right.
    pub(crate) fn check_token(&self, headers: &HeaderMap, right: Right) -> Result<(), Problem> {
        if self.token_file.is_none() && self.admin_token_file.is_none() {
            // Without the lock, which all requests share.
            return Ok(());
        }
        let tokens = self.tokens.read().unwrap_or_else(PoisonError::into_inner);
        let Tokens { ask, import } = &*tokens;
        if ask.is_empty() && (import.is_empty() || right == Right::Ask) {
            return Ok(());
        }
        let detail = "expected `Authorization: Bearer TOKEN` with a token of this service";
        let unauthorized = || Problem::new(Kind::Unauthorized, detail);
        let mut values = headers.get_all(AUTHORIZATION).iter();
        let (Some(value), None) = (values.next(), values.next()) else {
            return Err(unauthorized());
        };
        let bytes = value.as_bytes();
        let (scheme, token) = bytes.split_at(bytes.len().min(7));
        if !scheme.eq_ignore_ascii_case(b"bearer ") {
            return Err(unauthorized());
        }
        // Hashes have one length, and all of them are compared: the time says nothing about a
        // token.
        let given: [u8; 32] = Sha256::digest(token).into();
        let is_one_of = |tokens: &[[u8; 32]]| {
            let found = tokens.iter().map(|token| token.ct_eq(&given));
            bool::from(found.fold(Choice::from(0), |found, equal| found | equal))
        };
        let (may_ask, may_import) = (is_one_of(ask), is_one_of(import));
        match right {
            _ if may_import => Ok(()),
            Right::Ask if may_ask => Ok(()),
            Right::Import if may_ask => {
                let detail =
                    "expected a token of `--admin-token-file`: this one may not import records";
                Err(Problem::new(Kind::Forbidden, detail))
            }
            _ => Err(unauthorized()),
        }
    }

    /// Rejects requests beyond the rate of an address.
    pub(crate) fn check_rate(&self, address: IpAddr) -> Result<(), Problem> {
        let Some(rates) = &self.rates else { return Ok(()) };
        if rates.takes(address, Instant::now()) {
            return Ok(());
        }
        let detail =
            format!("expected at most {} requests per second from one address", rates.rate);
        Err(Problem::new(Kind::TooManyRequests, detail).with_retry_after(1))
    }
}

/// Rejects requests whose end is ambiguous, so that a proxy in front may see other requests.
pub(crate) fn check_framing(headers: &HeaderMap) -> Result<(), Problem> {
    if headers.contains_key(TRANSFER_ENCODING) && headers.contains_key(CONTENT_LENGTH) {
        let detail = "the request has both Content-Length and Transfer-Encoding";
        return Err(Problem::new(Kind::BadRequest, detail).closing());
    }
    Ok(())
}

/// Rejects requests that a page of another site makes without a script, for example for an image:
/// they have no Origin, but browsers name the relation of the sites.
pub(crate) fn check_site(headers: &HeaderMap) -> Result<(), Problem> {
    let mut sites = headers.get_all(&SITE).iter().map(HeaderValue::as_bytes);
    if sites.all(|site| matches!(site, b"same-origin" | b"none")) {
        return Ok(());
    }
    let detail = "expected a request of this service's page or of a program: web pages of other \
                  sites may not use this service";
    Err(Problem::new(Kind::Forbidden, detail))
}

/// Parsed once: a name as text would be parsed for each request.
static SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// A token bucket for each address.
#[derive(Debug)]
struct Rates {
    rate: u32,
    buckets: Mutex<Generations<IpAddr, Bucket>>,
}

#[derive(Clone, Copy, Debug)]
struct Bucket {
    left: f64,
    at: Instant,
}

impl Rates {
    fn new(rate: u32) -> Self {
        Self { rate, buckets: Mutex::new(Generations::new(RATES)) }
    }

    /// Takes one request of an address; false if it has none left.
    fn takes(&self, address: IpAddr, now: Instant) -> bool {
        // One client has a whole network of version 6. Those of version 4 have mapped addresses on
        // a socket of both versions.
        let address = match address.to_canonical() {
            IpAddr::V6(address) => {
                let bits = address.to_bits() & !u128::from(u64::MAX);
                IpAddr::V6(bits.into())
            }
            address @ IpAddr::V4(_) => address,
        };
        let most = f64::from(self.rate) * 2.0;
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        let before = buckets.get(&address).copied();
        let mut bucket = before.unwrap_or(Bucket { left: most, at: now });
        let refilled =
            now.saturating_duration_since(bucket.at).as_secs_f64() * f64::from(self.rate);
        bucket.left = (bucket.left + refilled).min(most);
        bucket.at = now;
        let takes = bucket.left >= 1.0;
        if takes {
            bucket.left -= 1.0;
        }
        buckets.insert(address, bucket, 1);
        takes
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Duration;

    use super::*;
    use crate::limits::TOKEN_FILE_BYTES;

    fn control(names: &[&str], files: [Option<&Path>; 2]) -> Result<AccessControl, StartError> {
        let host = names.iter().map(|&name| name.to_owned()).collect();
        let [token_file, admin_token_file] = files.map(|file| file.map(Path::to_owned));
        let bound = ["127.0.0.1:8730".parse().unwrap(), "10.1.2.3:80".parse().unwrap()];
        let bound = if token_file.is_some() { &bound[..] } else { &bound[..1] };
        let settings = Settings { host, token_file, admin_token_file, ..Settings::default() };
        AccessControl::new(&settings, bound)
    }

    fn request(headers: &[(&str, &str)]) -> Request<()> {
        let builder =
            headers.iter().fold(Request::get("/"), |it, (name, value)| it.header(*name, *value));
        builder.body(()).unwrap()
    }

    fn status(result: Result<(), Problem>) -> u16 {
        result.map_or_else(|problem| problem.kind().status().as_u16(), |()| 200)
    }

    #[test]
    fn only_own_names_are_served() {
        let control = control(&["robots.example"], [None, None]).unwrap();
        for (host, expected) in [
            ("localhost", 200),
            ("LOCALHOST:8730", 200),
            ("127.0.0.1:1", 200),
            ("[::1]", 200),
            ("[::1]:8730", 200),
            ("robots.example:443", 200),
            ("evil.example", 421),
            ("localhost.evil.example", 421),
            ("127.0.0.1.", 421),
            ("127.0.0.1:99999", 421),
            ("127.0.0.1:", 421),
            ("127.0.0.1:+1", 421),
            ("user@127.0.0.1", 421),
            ("", 421),
        ] {
            assert_eq!(
                status(control.check_names(&request(&[("host", host)]))),
                expected,
                "{host}"
            );
        }
        let both = request(&[("host", "localhost"), ("host", "localhost")]);
        assert_eq!(status(control.check_names(&both)), 400);
        assert_eq!(status(control.check_names(&request(&[]))), 400);
    }

    #[test]
    fn only_own_pages_may_ask() {
        let control = control(&["robots.example"], [None, None]).unwrap();
        let (own, other) = ("http://localhost:8730", "https://evil.example");
        for (origins, expected) in [
            (&[own][..], 200),
            (&["http://127.0.0.1:8730"], 403),
            (&[other], 403),
            (&["http://localhost:8731"], 403),
            (&["null"], 403),
            (&[""], 403),
            (&[own, own], 200),
            (&[own, other], 403),
            (&[other, own], 403),
            (&[own, ""], 403),
        ] {
            let mut fields = vec![("host", "localhost:8730")];
            fields.extend(origins.iter().map(|origin| ("origin", *origin)));
            assert_eq!(status(control.check_names(&request(&fields))), expected, "{origins:?}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn tokens_are_from_private_files_and_long() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens");
        let write = |text: &str, mode: u32| {
            std::fs::write(&path, text).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
            control(&[], [Some(&path), None])
        };
        let token = "0123456789abcdef0123456789abcdef";
        assert!(write(token, 0o644).unwrap_err().to_string().contains("has mode 644"));
        assert!(
            write("short", 0o600).unwrap_err().to_string().contains("line 1: expected a token")
        );
        let long = format!("{token}\n").repeat(usize::try_from(TOKEN_FILE_BYTES / 33).unwrap() + 1);
        assert!(write(&long, 0o600).unwrap_err().to_string().contains("expected at most"));
        assert!(write("\n# none\n", 0o600).unwrap_err().to_string().contains("contains no token"));
        assert!(control(&[], [Some(folder.path()), None]).is_err());
        let control = write(&format!("# first\n{token}\n"), 0o600).unwrap();
        let check = |value: &str, right| {
            status(control.check_token(request(&[("authorization", value)]).headers(), right))
        };
        assert_eq!(check(&format!("Bearer {token}"), Right::Ask), 200);
        assert_eq!(check(&format!("bearer {token}"), Right::Ask), 200);
        assert_eq!(check(&format!("Bearer {token}"), Right::Import), 403);
        for wrong in
            ["", "Bearer", "Bearer ", &format!("Bearer {token}x"), &format!("Basic {token}"), token]
        {
            assert_eq!(check(wrong, Right::Ask), 401, "{wrong}");
        }
        assert_eq!(status(control.check_token(&HeaderMap::new(), Right::Ask)), 401);
    }

    #[test]
    fn addresses_of_other_machines_need_tokens() {
        let open = ["0.0.0.0:80", "[::]:80", "192.0.2.1:80"];
        for address in open {
            let error = AccessControl::new(&Settings::default(), &[address.parse().unwrap()]);
            assert!(
                error.unwrap_err().to_string().contains("expected `--token-file`"),
                "{address}"
            );
        }
    }

    #[test]
    fn pages_of_other_sites_are_refused_also_without_scripts() {
        let check = |values: &[&str]| {
            let fields: Vec<_> = values.iter().map(|value| ("Sec-Fetch-Site", *value)).collect();
            status(check_site(request(&fields).headers()))
        };
        for (values, expected) in [
            (&[][..], 200),
            (&["same-origin"], 200),
            (&["none"], 200),
            (&["same-site"], 403),
            (&["cross-site"], 403),
            (&["same-origin", "cross-site"], 403),
        ] {
            assert_eq!(check(values), expected, "{values:?}");
        }
    }

    #[test]
    fn rates_are_limited_for_each_address() {
        let rates = Rates::new(10);
        let (start, first) = (Instant::now(), IpAddr::from([192, 0, 2, 1]));
        let taken = |address, at| (0..100).filter(|_| rates.takes(address, at)).count();
        assert_eq!(taken(first, start), 20);
        assert_eq!(taken(first, start + Duration::from_secs(1)), 10);
        assert_eq!(taken(IpAddr::from([192, 0, 2, 2]), start), 20);
        let v6 = |text: &str| text.parse::<IpAddr>().unwrap();
        assert_eq!(taken(v6("2001:db8::1"), start), 20);
        assert_eq!(taken(v6("2001:db8::2"), start), 0, "the same network");
        // On a socket of both versions.
        assert_eq!(taken(v6("::ffff:192.0.2.3"), start), 20);
        assert_eq!(taken(v6("::ffff:192.0.2.4"), start), 20);
        assert_eq!(taken(IpAddr::from([192, 0, 2, 3]), start), 0, "the same client");
        for number in 0..100_000_u32 {
            rates.takes(IpAddr::V4(number.into()), start);
        }
        let remembered: usize = rates.buckets.lock().unwrap().weight();
        assert!(remembered <= RATES, "{remembered}");
    }
}
