use std::time::Instant;
use verger_identity::*;
fn rss() -> u64 {
    std::fs::read_to_string("/proc/self/statm")
        .unwrap()
        .split(' ')
        .nth(1)
        .unwrap()
        .parse::<u64>()
        .unwrap()
        * 4
}
fn main() {
    let a = rss();
    verger_registry::Registry::bundled();
    let b = rss();
    let identifier = Identifier::default();
    println!(
        "registry {} KiB, lists {} KiB, {} prefixes",
        b - a,
        rss() - b,
        identifier.lists().prefixes()
    );
    let at = "2026-09-10".parse().unwrap();
    let headers = [
        "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)",
        "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
        "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
        "Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)",
    ];
    for round in 0..4 {
        let start = Instant::now();
        let mut n = 0u32;
        for i in 0..100_000u32 {
            let ip = std::net::Ipv4Addr::from(
                0x42f94000u32.wrapping_add(i.wrapping_mul(2654435761) >> (i % 20)),
            );
            let id = identifier
                .identify(Request::new(headers[(i % 5) as usize], at).with_address(Ok(ip.into())));
            n += (id.verdict == Verdict::Verified) as u32;
        }
        println!("round {round}: {:.0}/s, {n} verified", 100_000.0 / start.elapsed().as_secs_f64());
    }
}
