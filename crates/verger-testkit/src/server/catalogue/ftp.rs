//! FTP: greetings (F001 to F053), replies to the login and to TYPE (F054 to F071), addresses and
//! ports of the data connection (F072 to F086), and transfers (F087 to F135).
//!
//! REP-ACCESS-11: 550 means an absent file only as a reply to RETR; to any other command it is a
//! failure.
//!
//! The data is only at the address of the control connection. The world counts a dial to any other
//! address, or to a closed port, as a stray.

use crate::server::{Ftp, PUBLIC, Passive, RULES, Script, ServerAction, Service, Setup};

use super::dns::answer;
use super::entry::{Attack, HOST, REFUSED, ids, rules};
use super::expect::{Claim, Class};

const CODES: [&str; 53] = [
    "110", "120", "125", "150", "200", "202", "211", "212", "213", "214", "215", "220", "221",
    "225", "226", "227", "228", "229", "230", "231", "232", "234", "250", "257", "331", "332",
    "350", "421", "425", "426", "430", "434", "450", "451", "452", "500", "501", "502", "503",
    "504", "530", "532", "534", "550", "551", "552", "553", "000", "999", "22", "2200", "abc", "",
];

pub(super) fn greetings() -> Vec<Attack> {
    ids('F', 1)
        .zip(CODES)
        .map(|(id, code)| {
            let classes: &[Class] = match code {
                "220" => &[Class::Rules],
                // The server is ready soon, or already logged in.
                "120" => &[Class::Rules, Class::Unreachable],
                "230" => &[Class::Unreachable, Class::Rules],
                _ => &[Class::Unreachable],
            };
            let mut greeting = Script::text(format!("{code} hello\r\n"));
            if code == "120" {
                greeting = greeting.then_text("220 ready\r\n");
            }
            // A client that continues gets a reply to every command.
            entry(id, &format!("greets with \"{code}\""), Ftp::new().greeting(greeting), classes)
        })
        .collect()
}

/// A host with an FTP server.
pub(super) fn entry(id: &'static str, what: &str, ftp: Ftp, classes: &[Class]) -> Attack {
    let setup = Setup::new().host(HOST).place(21, Service::Ftp(Box::new(ftp)));
    Attack::new(id, format!("FTP: {what}"), setup, classes.to_vec())
        .asking(format!("ftp://{HOST}/"))
        .claim(Claim::Body(rules()))
}

const NEVER: &[Class] = &[Class::Unreachable];
const GOOD: &[Class] = &[Class::Rules];
const FAILURE_OR_RULES: &[Class] = &[Class::Unreachable, Class::Rules];

const REPLIES: [(&str, &str, &[Class]); 18] = [
    ("USER", "530 no", NEVER),
    ("USER", "331 password please", GOOD),
    ("USER", "332 account please", NEVER),
    ("USER", "421 closing", NEVER),
    ("USER", "230 logged in", GOOD),
    ("USER", "202 superfluous", FAILURE_OR_RULES),
    ("USER", "500 what", NEVER),
    ("USER", "junk", NEVER),
    ("PASS", "530 no", NEVER),
    ("PASS", "332 account please", NEVER),
    ("PASS", "421 closing", NEVER),
    ("PASS", "230 logged in", GOOD),
    ("PASS", "500 what", NEVER),
    ("PASS", "junk", NEVER),
    ("TYPE", "500 what", NEVER),
    ("TYPE", "550 no", NEVER),
    ("TYPE", "501 what", NEVER),
    ("TYPE", "504 not that", NEVER),
];

pub(super) fn login_replies() -> Vec<Attack> {
    ids('F', 54)
        .zip(REPLIES)
        .map(|(id, (verb, reply, classes))| {
            let ftp = Ftp::new().on(verb, Script::text(format!("{reply}\r\n")));
            entry(id, &format!("{verb} answered \"{reply}\""), ftp, classes)
        })
        .collect()
}

const UNREACHABLE_OR_BLOCKED: &[Class] = &[Class::Unreachable, Class::Blocked];

/// Replies to EPSV, or to PASV if they begin with 227.
const PASSIVE_REPLIES: [&str; 15] = [
    "227 Entering Passive Mode (127,0,0,1,0,22)",
    "227 Entering Passive Mode (10,0,0,1,4,1)",
    "227 Entering Passive Mode (169,254,169,254,0,80)",
    "227 Entering Passive Mode (255,255,255,255,255,255)",
    "227 Entering Passive Mode (1,2,3,4,999,1)",
    "227 Entering Passive Mode (1,2,3)",
    "227 no numbers",
    "227 (1,2,3,4,5,6",
    // Replaced by a very long list of numbers.
    "227 1,",
    "229 Entering Extended Passive Mode (|||0|)",
    "229 Entering Extended Passive Mode (|||65536|)",
    "229 Entering Extended Passive Mode (|1|127.0.0.1|22|)",
    "229 junk",
    "229 (!!!22!)",
    "500 EPSV not understood",
];

/// Ports above 1023 that a client may dial at the control peer after ignoring the address. They are
/// closed, but such a dial is not a stray.
const PORTS: [u16; 3] = [1025, 65_535, 1286];

pub(super) fn passive() -> Vec<Attack> {
    ids('F', 72)
        .zip(PASSIVE_REPLIES)
        .map(|(id, reply)| {
            let script = if reply == "227 1," {
                Script::text(format!("227 {}\r\n", "1,".repeat(5000)))
            } else {
                Script::text(format!("{reply}\r\n"))
            };
            let no = || Script::text("500 no\r\n");
            let (ftp, classes) = match &reply[..3] {
                "227" => (Ftp::new().on("EPSV", no()).on("PASV", script), UNREACHABLE_OR_BLOCKED),
                "229" => (Ftp::new().on("EPSV", script).on("PASV", no()), UNREACHABLE_OR_BLOCKED),
                // PASV works, for a client that uses it as a fallback.
                _ => (Ftp::new().on("EPSV", script), &[Class::Rules, Class::Unreachable][..]),
            };
            let mut entry = entry(id, &format!("passive mode: \"{reply}\""), ftp, classes);
            for port in PORTS {
                entry.setup = entry.setup.place_at((PUBLIC, port).into(), Service::Refused);
            }
            entry
        })
        .collect()
}

const EITHER: &[Class] = &[Class::Rules, Class::Unreachable];
const NO_FILE: &[Class] = &[Class::Allow];

pub(super) fn transfers() -> Vec<Attack> {
    let mut all = replies();
    all.extend(data());
    all.extend(retrievals());
    all.extend(contents());
    all.extend(urls());
    all.extend(elsewhere());
    all
}

fn text(text: &str) -> Script {
    Script::text(format!("{text}\r\n"))
}

fn greets(script: Script) -> Ftp {
    Ftp::new().greeting(script)
}

fn replies() -> Vec<Attack> {
    let lines = || b"220-x\r\n".to_vec();
    vec![
        entry(
            "F087",
            "a greeting without an end",
            greets(Script::of(ServerAction::Forever(lines()))),
            NEVER,
        )
        .claim(Claim::BeforeDeadline),
        entry(
            "F088",
            "a reply of 10 MB on one line",
            greets(
                Script::text("220 ")
                    .then(ServerAction::Times(vec![b'a'; 1000], 10_000))
                    .then_never(),
            ),
            NEVER,
        )
        .claim(Claim::BeforeDeadline),
        entry("F089", "lines that end in LF alone", greets(Script::text("220 ready\n")), EITHER),
        entry("F090", "NUL in a reply", greets(text("220 a\0b")), EITHER),
        entry("F091", "ESC in a reply", Ftp::new().on("USER", text("530 \x1b[2J\x07 no")), NEVER),
        entry(
            "F092",
            "a greeting of a million lines",
            greets(Script::of(ServerAction::Times(lines(), 1_000_000)).then_text("220 ready\r\n")),
            NEVER,
        )
        .claim(Claim::BeforeDeadline),
        entry(
            "F093",
            "a reply that drips",
            greets(Script::of(ServerAction::DripForever(lines()))),
            NEVER,
        ),
        entry(
            "F094",
            "replies before their commands",
            greets(text("220 ready\r\n331 password\r\n230 logged in")),
            EITHER,
        ),
        entry(
            "F095",
            "two replies to a command",
            Ftp::new().on("USER", text("331 a\r\n331 b")),
            EITHER,
        ),
        entry(
            "F122",
            "closes after USER",
            Ftp::new().on("USER", Script::of(ServerAction::Close)),
            NEVER,
        ),
        entry(
            "F123",
            "gives up in the middle",
            Ftp::new().on("TYPE", text("421 closing").then(ServerAction::Close)),
            NEVER,
        ),
        entry("F134", "never greets", greets(Script::of(ServerAction::Never)), NEVER),
        entry(
            "F135",
            "too many users",
            Ftp::new().on("PASS", text("530 too many users").then(ServerAction::Close)),
            NEVER,
        ),
        entry("F115", "wants TLS", Ftp::new().on("USER", text("534 TLS please")), NEVER),
        // No client sends AUTH, so the injected text after it has no effect.
        entry(
            "F116",
            "offers TLS and injects plain text",
            Ftp::new().on("AUTH", text("234 go on\r\n230 logged in")),
            GOOD,
        ),
    ]
}

fn data() -> Vec<Attack> {
    let half = || Script::text(&RULES[..14]);
    vec![
        entry(
            "F096",
            "426 after half of the data",
            Ftp::new().data(half()).closing(text("426 aborted")),
            NEVER,
        ),
        entry("F097", "a data port in the dark", Ftp::new().passive(Passive::Silent), NEVER),
        entry(
            "F098",
            "a data connection without data",
            Ftp::new().data(Script::of(ServerAction::Never)),
            NEVER,
        ),
        entry(
            "F099",
            "data without end",
            Ftp::new().data(Script::of(ServerAction::Forever(vec![b'#'; 4096]))),
            &[Class::RulesTruncated],
        ),
        entry(
            "F100",
            "data that drips",
            Ftp::new().data(Script::of(ServerAction::DripForever(b"# \n".to_vec()))),
            NEVER,
        ),
        // Without SIZE this is not detectable; with it, the data is too short.
        Attack {
            claims: Vec::new(),
            ..entry(
                "F101",
                "data closed before its end, and a 226",
                Ftp::new().data(half()),
                EITHER,
            )
        },
        entry(
            "F102",
            "226 before the data",
            Ftp::new().opening(text("150 now\r\n226 done")).closing(Script::new()),
            EITHER,
        ),
        entry("F103", "no 226", Ftp::new().closing(Script::of(ServerAction::Close)), NEVER),
        entry(
            "F106",
            "the data is reset",
            Ftp::new()
                .opening(text("125 go"))
                .data(half().then_reset())
                .closing(Script::of(ServerAction::Never)),
            NEVER,
        ),
        entry(
            "F107",
            "announces 99 GB",
            Ftp::new().opening(text("150 here (99999999999 bytes)")),
            EITHER,
        ),
        entry(
            "F114",
            "two transfers for one command",
            Ftp::new().opening(text("150 now\r\n226 done\r\n150 again")),
            EITHER,
        ),
    ]
}

fn retrievals() -> Vec<Attack> {
    vec![
        entry("F104", "no such file", Ftp::new().on("RETR", text("550 no such file")), NO_FILE),
        entry(
            "F105",
            "permission denied",
            Ftp::new().on("RETR", text("550 permission denied")),
            NO_FILE,
        ),
        entry(
            "F121",
            "a link in a circle",
            Ftp::new().on("RETR", text("550 too many links")),
            NO_FILE,
        ),
        entry("F108", "a size of -1", Ftp::new().on("SIZE", text("213 -1")), EITHER),
        entry(
            "F109",
            "a size of 67 bits",
            Ftp::new().on("SIZE", text("213 99999999999999999999")),
            EITHER,
        ),
        entry("F110", "a time that is none", Ftp::new().on("MDTM", text("213 junk")), GOOD),
        entry("F111", "a time in 9999", Ftp::new().on("MDTM", text("213 99991231235959")), GOOD),
        entry(
            "F112",
            "a transfer that goes on elsewhere",
            Ftp::new().on("REST", text("350 go on")),
            GOOD,
        )
        .claim(Claim::NeverSent("REST")),
    ]
}

fn contents() -> Vec<Attack> {
    let listing = b"drwxr-xr-x 2 ftp ftp 4096 Jan 01 2026 robots.txt\r\n";
    let file = |id, what: &str, bytes: &[u8]| Attack {
        claims: vec![Claim::Body(bytes.to_vec())],
        ..entry(id, what, Ftp::new().data(Script::text(bytes)), GOOD)
    };
    vec![
        file("F118", "lines end as in ASCII mode", b"User-agent: *\r\nDisallow: /x\r\n"),
        file("F119", "lines that end in CR alone", b"User-agent: *\rDisallow: /x\r"),
        file("F120", "a listing instead of the file", listing),
        file(
            "F129",
            "a redirect as text",
            b"HTTP/1.1 302 Found\r\nLocation: http://elsewhere.example/\r\n\r\n",
        ),
    ]
}

/// The robots.txt of an origin has one path, for all checked paths.
fn urls() -> Vec<Attack> {
    [
        ("F124", "a line end in the URL", format!("ftp://{HOST}/robots.txt\r\nDELE x")),
        ("F125", "an encoded line end in the URL", format!("ftp://{HOST}/%0d%0aDELE%20x")),
        ("F126", "a type in the URL", format!("ftp://{HOST}/x;type=a")),
        ("F127", "two slashes in the URL", format!("ftp://{HOST}//robots.txt")),
        ("F128", "credentials in the URL", format!("ftp://me:secret@{HOST}/x")),
    ]
    .map(|(id, what, url)| {
        entry(id, what, Ftp::new(), &[Class::Rules, Class::Invalid])
            .asking(url)
            .claim(Claim::NeverSent("DELE"))
            .claim(Claim::NeverSent("secret"))
    })
    .into()
}

fn elsewhere() -> Vec<Attack> {
    let speaks = |id, what: &str, text: &str| {
        let service = Service::Raw(Script::text(text).then_never());
        let setup = Setup::new().host(HOST).place(21, service);
        Attack::new(id, what, setup, NEVER.to_vec()).asking(format!("ftp://{HOST}/"))
    };
    let v6 = ([0x2606, 0x4700, 0, 0, 0, 0, 0, 0x1111], 21).into();
    let over_v6 = Setup::new().name(HOST, [answer("2606:4700::1111")]);
    let no_epsv = Ftp::new()
        .on("EPSV", text("500 no"))
        .on("PASV", text("227 Entering Passive Mode (10,0,0,1,4,1)"));
    let mut from_elsewhere = entry(
        "F113",
        "data at another address",
        Ftp::new()
            .on("EPSV", text("229 Entering Extended Passive Mode (|1|10.0.0.1|1025|)"))
            .on("PASV", text("227 Entering Passive Mode (10,0,0,1,4,1)")),
        NEVER,
    );
    from_elsewhere.setup = from_elsewhere.setup.place(1025, Service::Refused);
    vec![
        from_elsewhere,
        Attack::new(
            "F117",
            "FTP: PASV over IPv6",
            over_v6
                .place_at(v6, Service::Ftp(Box::new(no_epsv)))
                .place_at((v6.ip(), 1025).into(), Service::Refused),
            NEVER.to_vec(),
        )
        .asking(format!("ftp://{HOST}/")),
        speaks("F130", "speaks HTTP on the port of FTP", "HTTP/1.1 400 Bad Request\r\n\r\n"),
        speaks("F131", "speaks SSH on the port of FTP", "SSH-2.0-OpenSSH_9.9\r\n"),
        Attack::new("F132", "FTP: loopback", Setup::new(), REFUSED.to_vec())
            .asking("ftp://127.0.0.1/")
            .claim(Claim::Dials(0)),
        Attack::new(
            "F133",
            "FTP: a private address",
            Setup::new().name(HOST, [answer("10.0.0.1")]),
            REFUSED.to_vec(),
        )
        .asking(format!("ftp://{HOST}/"))
        .claim(Claim::Dials(0)),
    ]
}
