//! Signs a GET request: `cargo run -p verger-identity --example sign -- KEY AGENT AUTHORITY TARGET`.
//! With `--text` after that, `Signature-Agent` is a bare string.
//!
//! Prints the head of the request. A crawler with its own HTTP library sends these three fields.

use std::error::Error;
use std::io::Write as _;
use std::time::SystemTime;

use verger::access::Timestamp;
use verger_identity::SigningKey;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, agent, authority, target, options @ ..] = &arguments[..] else {
        return Err("expected the file of a key, an agent, an authority and a target".into());
    };
    let mut signer = SigningKey::read(&std::fs::read_to_string(file)?)?.for_agent(agent)?;
    if options == ["--text"] {
        signer = signer.with_agent_as_text();
    }
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?;
    let url = format!("https://{authority}{target}").parse()?;
    let fields = signer.sign(&url, Timestamp::from_seconds(now.as_secs()))?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "GET {target} HTTP/1.1\nhost: {authority}")?;
    for (name, value) in fields {
        writeln!(out, "{name}: {value}")?;
    }
    Ok(())
}
