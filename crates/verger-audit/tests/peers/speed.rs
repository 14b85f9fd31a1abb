//! Measures the audit on a generated log: `speed generate 10000000 >LOG`, then `speed read LOG`, or
//! `speed audit LOG`.

use std::env;
use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write as _, stderr, stdout};
use std::time::{Duration, Instant};

use verger::access::Timestamp;
use verger_audit::log::{LogOptions, read_log};
use verger_audit::{Audit, History, Options, Version};
use verger_identity::Identifier;

const AGENTS: [&str; 10] = [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/149.0.0.0 Safari/537.36",
    "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 19_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.1 Mobile/15E148 Safari/604.1",
    "curl/8.5.0",
    "-",
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)",
    "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
    "Mozilla/5.0 (Linux; Android 5.0) AppleWebKit/537.36 (KHTML, like Gecko) Mobile Safari/537.36 (compatible; Bytespider; spider-feedback@bytedance.com)",
    "Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)",
];

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<_> = env::args().skip(1).collect();
    let [command, argument] = &args[..] else {
        return Err("expected a command and a value".into());
    };
    if command == "generate" {
        return generate(argument.parse()?);
    }
    let identifier = Identifier::default();
    let mut history = History::new();
    for version in 0..8_u64 {
        let rules: Vec<_> =
            (0..40).map(|at| format!("Disallow: /private/{version}/{at}/")).collect();
        let rules = rules.join("\n");
        let text = Some(format!("User-agent: *\nCrawl-delay: 1\n{rules}").into_bytes().into());
        let from = Timestamp::EPOCH.after(Duration::from_secs(1_790_000_000 + version * 1_000_000));
        history.add(Version { from, text, name: version.to_string() });
    }
    let origin = "https://shop.example".parse()?;
    let mut audit = Audit::new(vec![(origin, history)], &identifier, Options::default());
    let begin = Instant::now();
    let is_audit = command == "audit";
    let totals = read_log(File::open(argument)?, &LogOptions::default(), |request| {
        if is_audit {
            audit.add(&request, |claim| identifier.identify(claim, Timestamp::EPOCH));
        }
    })?;
    let seconds = begin.elapsed().as_secs_f64();
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let memory = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default();
    let report = audit.finish();
    writeln!(stderr(), "{totals:?}\n{:?}\n{seconds:.2} s, {memory}", report.verdicts)?;
    Ok(())
}

/// Writes lines: half of them of crawlers, over 80 days.
fn generate(lines: u64) -> Result<(), Box<dyn Error>> {
    let mut out = BufWriter::new(stdout().lock());
    let mut random = 1_u64;
    for line in 0..lines {
        random =
            random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let pick = |shift: u64, of: u64| (random >> shift) % of;
        let second = 1_790_100_000 + line * 80 * 86_400 / lines;
        let text = Timestamp::from_seconds(second).to_string();
        let (date, time) = text.trim_end_matches('Z').split_once('T').unwrap_or_default();
        let month =
            ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
                [date[5..7].parse::<usize>()? - 1];
        let (year, day) = (&date[..4], &date[8..]);
        let path = match pick(20, 100) {
            0 => "/robots.txt".to_owned(),
            1..10 => format!("/private/{}/{}/{}", pick(30, 8), pick(34, 40), pick(40, 1_000)),
            _ => format!(
                "/articles/{}/{}.html?page={}",
                pick(30, 100),
                pick(40, 10_000),
                pick(25, 9)
            ),
        };
        let agent = usize::try_from(pick(50, 10))?;
        // A crawler visits a site from about fifty addresses in a day.
        let (high, low) =
            if agent < 5 { (pick(33, 20), pick(45, 250)) } else { (agent as u64, pick(45, 50)) };
        let agent = AGENTS[agent];
        writeln!(
            out,
            "203.0.{high}.{low} - - [{day}/{month}/{year}:{time} +0000] \"GET {path} HTTP/1.1\" 200 {} \"-\" \"{agent}\"",
            pick(30, 100_000),
        )?;
    }
    Ok(out.flush()?)
}
