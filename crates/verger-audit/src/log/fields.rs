//! Names of the fields of logs, and the parts of a request that they fill.

use std::borrow::Cow;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::LazyLock;
use std::time::Duration;

use verger::access::Timestamp;
use verger_identity::PROXY_FIELDS;

use super::escape::{cloudfront_path, decoded_agent};
use super::request::{Request, absolute, address, is_target, parts_of_line, scheme};
use super::time::{LogTime, number};
use crate::limits::HEADER_FIELDS_BYTES;

/// Declares the parts of a request with the names of their fields.
macro_rules! fields {
    ($($(#[$doc:meta])* $field:ident = $names:literal;)*) => {
        /// A part of a request, except header fields.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Field { $($(#[$doc])* $field,)* }

        /// Names of fields in lower case, without other characters than letters and digits if that
        /// is unambiguous; the first one of a field that a line has counts. They are those of
        /// variables of nginx, of columns of the W3C extended format, and of JSON: by convention,
        /// of Caddy, Traefik, Envoy, Cloudflare, Fastly, Akamai, and of the load balancers of
        /// Google and Microsoft.
        const NAMES: [(Field, &str); [$($names),*].len()] = [$((Field::$field, $names)),*];
    };
}

fields! {
    /// The request line.
    Line = "request requestline";
    /// The complete target.
    Target = "request_uri clientrequesturi clientrequesturl xenvoyoriginalpath csuri target \
              originalrequesturiwithargs";
    /// The complete target in lines of Traefik and if it is a URL, as in those of Azure Front Door;
    /// otherwise a path.
    RequestPath = "requestpath requesturi";
    /// `cs-uri-stem`, which `CloudFront` encodes.
    EncodedPath = "csuristem";
    /// The path of Akamai, as the client sent it.
    RawPath = "reqpath";
    /// The target, or only its path, which servers such as nginx and IIS decode or rewrite.
    Path = "uri url path request_path requesturl originalpath";
    Query = "csuriquery query querystring args querystr requestquery";
    Method = "requestmethod method clientrequestmethod csmethod reqmethod httpmethod";
    Agent = "httpuseragent useragent agent clientrequestuseragent requestuseragent";
    /// The User-Agent header, percent-encoded or with `+` for spaces.
    EncodedAgent = "csuseragent ua";
    Status = "status statuscode edgeresponsestatus responsecode downstreamstatus scstatus \
              responsestatus httpstatus httpstatuscode";
    /// The bytes of the body, or perhaps of the response.
    Bytes = "bodybytessent downstreamcontentsize edgeresponsebodybytes responsebodysize size bytes";
    /// The bytes of the response, or perhaps of its body.
    Sent = "bytessent scbytes edgeresponsebytes responsesize responsebytes sentbytes";
    /// The time of the beginning.
    Start = "starttime startutc startedat timestart edgestarttimestamp reqtimesec";
    /// Another time of the server, mostly of the end.
    Time = "timeiso8601 msec timelocal edgeendtimestamp at";
    /// A time of the server or of a collector of logs.
    Stamp = "ts timestamp datetime @timestamp";
    /// A day, and the time of day; or times.
    Day = "date";
    Clock = "time";
    /// A duration in seconds.
    Seconds = "request_time time-taken";
    /// A duration in milliseconds if it is a whole number, of Traefik in nanoseconds, otherwise in
    /// seconds.
    Duration = "duration";
    Peer = "remoteaddr remoteip peer clientip cip cliip clientaddr ip remoteaddress \
            downstreamremoteaddress client remotehost socketip";
    Host = "httphost authority xhostheader cshost requesthost clientrequesthost reqhost";
    /// The host, the virtual host, or the machine of the server or of a collector.
    AnyHost = "vhost virtualhost host servername domainname";
    Scheme = "scheme requestscheme clientrequestscheme csprotocol proto protocol";
    /// The port of the server.
    Port = "sport serverport reqport";
}

impl Field {
    /// Whether two values of a line cannot both be that of its request; of most fields, the first
    /// one counts.
    fn differs(self, one: &[u8], other: &[u8]) -> bool {
        match self {
            Self::Peer => address(one) != address(other),
            Self::AnyHost => {
                !one.eq_ignore_ascii_case(other) && one.contains(&b'.') == other.contains(&b'.')
            }
            Self::Stamp | Self::Clock => {
                let times = LogTime::read(one).zip(LogTime::read(other));
                times.map_or(one != other, |(a, b)| !a.is_near(b))
            }
            _ => false,
        }
    }
}

impl Named {
    /// Whether it is the target or its path.
    pub(crate) fn is_target(self) -> bool {
        matches!(self, Self::Part(field, _) if field == Field::Target || PATHS.contains(&field))
    }
}

/// Those of a path, perhaps without its query.
pub(crate) const PATHS: [Field; 4] =
    [Field::EncodedPath, Field::RawPath, Field::RequestPath, Field::Path];

/// The meaning of a name of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Named {
    /// A part, and the rank of the name: a lower one counts before a higher one.
    Part(Field, u8),
    /// A header field.
    Header(&'static str),
}

/// Header fields of Web Bot Auth.
const SIGNATURE: [&str; 3] = ["signature", "signature-input", "signature-agent"];

/// Maximum bytes of a known name.
const NAME_BYTES: usize = 32;

/// The meaning of a name in any case, if it is known.
pub(crate) fn named(name: &[u8]) -> Option<Named> {
    static NAMED: LazyLock<HashMap<Vec<u8>, Named>> = LazyLock::new(|| {
        let parts = NAMES.iter().flat_map(|(field, names)| {
            (0..).zip(names.split(' ')).map(|(rank, name)| (name.into(), Named::Part(*field, rank)))
        });
        let headers = SIGNATURE.iter().chain(&PROXY_FIELDS).flat_map(|name| {
            ["", "http", "request", "cs"].map(|start| {
                ((start.to_owned() + &name.replace('-', "")).into(), Named::Header(name))
            })
        });
        parts.chain(headers).collect()
    });
    let mut lower = [0; NAME_BYTES];
    let lower = lower.get_mut(..name.len())?;
    lower.copy_from_slice(name);
    lower.make_ascii_lowercase();
    if let Some(named) = NAMED.get(&*lower) {
        return Some(*named);
    }
    let mut end = 0;
    for at in 0..lower.len() {
        if lower[at].is_ascii_alphanumeric() {
            (lower[end], end) = (lower[at], end + 1);
        }
    }
    NAMED.get(&lower[..end]).filter(|_| end < name.len()).copied()
}

/// Octets of a line, or decoded ones.
pub(crate) type Text<'l> = Cow<'l, [u8]>;

/// A value, with depth and rank of its name.
type Ranked<'l> = (u8, u8, Text<'l>);

/// The values of the fields of a line.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts about a line")]
pub(crate) struct Parts<'l> {
    /// By [`Field`].
    values: [Option<Ranked<'l>>; NAMES.len()],
    pub(crate) headers: Vec<(&'static str, Text<'l>)>,
    /// Milliseconds, if the row has them; an error if they cannot be read.
    pub(crate) duration: Option<Result<u64, ()>>,
    /// The address of the connection, if its value has been parsed.
    pub(crate) peer: Option<IpAddr>,
    /// Whether it is a record of `CloudFront`, which encodes paths, and whose times are in UTC.
    pub(crate) is_of_cloudfront: bool,
    /// Whether the time of day is in UTC, without saying so.
    pub(crate) has_utc_clock: bool,
    /// Whether it is a line of Traefik, with whole targets and nanoseconds.
    pub(crate) is_of_traefik: bool,
    /// Whether the query is an object that is not empty.
    pub(crate) has_query_object: bool,
    /// Fields with two values that differ, of which nobody knows which one is that of the request.
    pub(crate) has_two: [bool; NAMES.len()],
}

impl<'l> Parts<'l> {
    /// Sets a value, unless there is one of a name with at most this depth and rank.
    pub(crate) fn put(&mut self, named: Named, depth: u8, value: Text<'l>) {
        match named {
            Named::Header(_) if is_absent(&value) => {}
            Named::Header(name) => match self.headers.iter_mut().find(|known| known.0 == name) {
                Some((_, known)) => known.to_mut().extend([b", ", &*value].concat()),
                None => self.headers.push((name, value)),
            },
            Named::Part(field, rank) => {
                let slot = &mut self.values[field as usize];
                let Some((at, of, known)) = slot else {
                    *slot = Some((depth, rank, value));
                    return;
                };
                // Caddy has `remote_ip` of the connection beside `client_ip` of trusted proxies.
                let is_of_caddy =
                    field == Field::Peer && *at == depth && matches!((*of, rank), (1, 3) | (3, 1));
                let is_absent = is_absent(known) || is_absent(&value);
                self.has_two[field as usize] |=
                    !is_of_caddy && !is_absent && field.differs(known, &value);
                let is_machine = |text: &Text<'_>| field == Field::AnyHost && !text.contains(&b'.');
                let order = |depth, rank, text: &Text<'_>| (is_machine(text), depth, rank);
                if order(depth, rank, &value) < order(*at, *of, known) {
                    *slot = Some((depth, rank, value));
                }
            }
        }
    }

    /// Sets a value of a line that is text.
    pub(crate) fn set(&mut self, field: Field, value: impl Into<Text<'l>>) {
        self.put(Named::Part(field, 0), 0, value.into());
    }

    /// Whether there is a value, also an absent one.
    pub(crate) fn has(&self, field: Field) -> bool {
        self.values[field as usize].is_some()
    }

    /// The value, unless it is an absent one.
    pub(crate) fn value(&self, field: Field) -> Option<&[u8]> {
        Some(&*self.values[field as usize].as_ref()?.2).filter(|value| !is_absent(value))
    }

    fn take(&mut self, field: Field) -> Option<Text<'l>> {
        let value = self.values[field as usize].take()?.2;
        Some(value).filter(|value| !is_absent(value))
    }

    /// The request, whose texts are taken; `None` if there is no target.
    pub(crate) fn request(&mut self) -> Option<Request<'l>> {
        let (method, target, is_target_unclear) = self.method_and_target()?;
        let times = self.times();
        let encoded = self.take(Field::EncodedAgent).map(|text| convert(text, decoded_agent));
        let user_agent = self.take(Field::Agent).or(encoded);
        // One without a dot is the name of a machine, and no origin has an empty one.
        let is_two = self.has_two[Field::AnyHost as usize];
        let any = self.take(Field::AnyHost).filter(|host| host.contains(&b'.'));
        let any = any.map(|host| if is_two { Text::default() } else { host });
        let mut host = self.take(Field::Host).or(any);
        let port = self.value(Field::Port).and_then(|port| match port {
            b"80" => Some("http"),
            b"443" => Some("https"),
            _ => None,
        });
        let mut scheme = self.value(Field::Scheme).and_then(scheme).or(port);
        if let Some((of_target, authority, _)) = absolute(&target) {
            scheme = Some(of_target);
            host = Some(Cow::Owned(authority.to_vec()));
        }
        let status = self.value(Field::Status).and_then(|text| match text {
            // HAProxy, if nothing was sent.
            b"-1" => Some(0),
            _ if text.len() == 3 => number(text)?.try_into().ok(),
            _ => None,
        });
        let has_body = self.has(Field::Bytes);
        let bytes = if has_body { Field::Bytes } else { Field::Sent };
        // Apache writes `-` for 0.
        let in_bytes = |text: &[u8]| if text == b"-" { Some(0) } else { number(text) };
        let body_bytes = self.values[bytes as usize].as_ref().and_then(|it| in_bytes(&it.2));
        let peer = self.peer.or_else(|| self.value(Field::Peer).and_then(address));
        let (at, end, is_local) = times.unwrap_or_default();
        Some(Request {
            at,
            end,
            is_local,
            peer: peer.filter(|_| !self.has_two[Field::Peer as usize]),
            host,
            scheme,
            method,
            target,
            is_target_unclear,
            status,
            body_bytes,
            header_bytes: if has_body { 0 } else { HEADER_FIELDS_BYTES },
            user_agent,
            headers: std::mem::take(&mut self.headers),
            ..Request::default()
        })
    }

    /// With whether the target may be another one.
    fn method_and_target(&mut self) -> Option<(Text<'l>, Text<'l>, bool)> {
        let split = |line: Text<'l>| match line {
            Cow::Borrowed(line) => parts_of_line(line).map(|(a, b)| (a.into(), b.into())),
            Cow::Owned(line) => {
                parts_of_line(&line).map(|(a, b)| (a.to_vec().into(), b.to_vec().into()))
            }
        };
        let (method, target) = self.take(Field::Line).and_then(split).unzip();
        // Some frameworks write it in lower case.
        let upper = |method: Text<'_>| method.to_ascii_uppercase().into();
        let method = method.or_else(|| self.take(Field::Method).map(upper)).unwrap_or_default();
        let whole = target
            .or_else(|| self.take(Field::Target))
            .or_else(|| {
                let path = self.value(Field::RequestPath)?;
                let is_whole = self.is_of_traefik || absolute(path).is_some();
                is_whole.then(|| self.take(Field::RequestPath)).flatten()
            })
            .filter(|target| is_target(target));
        let has_query = self.has_query_object || self.value(Field::Query).is_some();
        let is_exact = match &whole {
            // Some frameworks give the name of the whole target to its path.
            Some(target) => !has_query || target.contains(&b'?'),
            None if self.has(Field::Query) => {
                self.is_of_cloudfront && self.has(Field::EncodedPath) || self.has(Field::RawPath)
            }
            None => false,
        };
        let target = whole.or_else(|| self.path())?;
        is_target(&target).then_some((method, target, !is_exact))
    }

    /// The target of a path and a query.
    fn path(&mut self) -> Option<Text<'l>> {
        let is_encoded = self.is_of_cloudfront && self.has(Field::EncodedPath);
        let path = PATHS.into_iter().find_map(|field| self.take(field))?;
        let path = if is_encoded { convert(path, cloudfront_path) } else { path };
        let Some(query) = self.take(Field::Query).filter(|_| !path.contains(&b'?')) else {
            return Some(path);
        };
        let query = if is_encoded { convert(query, cloudfront_path) } else { query };
        let mark = if query.starts_with(b"?") { &b""[..] } else { b"?" };
        Some(Cow::Owned([&path, mark, &query].concat()))
    }

    /// The times of beginning and end, and whether they are local; `None` if they are unknown.
    fn times(&self) -> Option<(Option<Timestamp>, Option<Timestamp>, bool)> {
        let value = |field| self.value(field).filter(|text| !is_short_number(text));
        // One that cannot be read is not replaced by another one.
        let one = |field| {
            let time = value(field).map(LogTime::read)?;
            Some(time.filter(|_| !self.has_two[field as usize]))
        };
        let day = || value(Field::Day).and_then(LogTime::read).map(Some);
        let clock = || {
            let zone = if self.has_utc_clock { &b"Z"[..] } else { b"" };
            let with_day = |day: &[u8]| {
                LogTime::read(&[day, b" ", value(Field::Clock).unwrap_or_default(), zone].concat())
            };
            Some(one(Field::Clock)?.or_else(|| value(Field::Day).and_then(with_day)))
        };
        // Nobody knows which of two times is that of a collector.
        let other = || match (one(Field::Stamp), clock().or_else(day)) {
            (Some(a), Some(b)) => Some(a.zip(b).filter(|(a, b)| a.is_near(*b)).map(|(a, _)| a)),
            (a, b) => a.or(b),
        };
        let written = one(Field::Time).or_else(other).flatten();
        let duration = self.duration();
        let is_local = |time: LogTime| !time.has_zone && !self.is_of_cloudfront;
        let Some(start) = one(Field::Start) else {
            let end = written?;
            let at = duration.ok().map(|it| end.before(it.unwrap_or(0)));
            return Some((at, Some(end.before(0)), is_local(end)));
        };
        let start = start?;
        let of_duration = duration.ok().flatten().map(|it| start.after(it));
        let end = of_duration.or_else(|| Some(written?.before(0)));
        let at = start.before(0);
        let end = end.filter(|end| *end >= at);
        Some((Some(at), end, is_local(start)))
    }

    /// Milliseconds; an error if they cannot be read.
    fn duration(&self) -> Result<Option<u64>, ()> {
        let of_value = |field| {
            let Some(text) = self.value(field) else { return Ok(None) };
            match (field, number(text)) {
                // They can be milliseconds.
                (Field::Seconds, Some(_)) => Ok(None),
                (Field::Duration, Some(whole)) if self.is_of_traefik => Ok(Some(whole / 1_000_000)),
                (Field::Duration, Some(whole)) => Ok(Some(whole)),
                // Also with an exponent.
                _ => {
                    let seconds = str::from_utf8(text).ok().and_then(|text| text.parse().ok());
                    let duration = Duration::try_from_secs_f64(seconds.ok_or(())?);
                    duration.map_err(drop)?.as_millis().try_into().map(Some).map_err(drop)
                }
            }
        };
        let all = [self.duration.transpose(), of_value(Field::Seconds), of_value(Field::Duration)];
        all.into_iter().find(|it| *it != Ok(None)).unwrap_or(Ok(None))
    }
}

/// Whether a value is a number that is no time, such as a duration.
fn is_short_number(text: &[u8]) -> bool {
    let whole = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    (1..10).contains(&whole) && matches!(text.get(whole), None | Some(b'.'))
}

/// A value that logs write for an absent one.
pub(crate) fn is_absent(value: &[u8]) -> bool {
    matches!(value, b"" | b"-")
}

fn convert(text: Text<'_>, with: fn(&[u8]) -> Text<'_>) -> Text<'_> {
    match text {
        Cow::Borrowed(text) => with(text),
        Cow::Owned(text) => Cow::Owned(with(&text).into_owned()),
    }
}
