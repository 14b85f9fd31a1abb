//! The program: arguments, the client, and the session over standard input and output.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::builder::RangedU64ValueParser;
use clap::{CommandFactory as _, Parser, ValueHint};
use clap_complete::Shell;
use ipnet::IpNet;
use verger::{Dialect, ProductToken, TokenProblem};
use verger_fetch::client::RobotsClient;
use verger_fetch::fetch::Identity;
use verger_fetch::guard::{Guard, parse_net};
use verger_fetch::limits::{Limits, PAGE};
use verger_fetch::polite::Politeness;
use verger_identity::SigningKey;
use verger_json::NamedCrawler;

use crate::limits::LONGEST_WAIT;
use crate::server::Server;

/// Serve an agent over MCP on standard input and output: ask before fetching
///
/// The agent gets the tools `check`, `fetch`, `explain`, `rights`, `lint`, `diff` and `crawlers`.
/// The identity, the networks and the dialect are those of these arguments; no call of a tool
/// changes them.
#[derive(Debug, Parser)]
#[command(name = "verger-mcp", version, after_long_help = EXAMPLES)]
struct Arguments {
    /// Name of the crawler for which sites are asked, a product token such as `ExampleBot`
    #[arg(long, value_name = "NAME", required = true)]
    agent: Option<String>,

    /// User-Agent header of requests [default: `NAME verger-mcp/VERSION`]
    #[arg(long, value_name = "HEADER")]
    user_agent: Option<String>,

    /// Value of the From header of requests, an email address [default: no From header]
    #[arg(long, value_name = "ADDRESS")]
    from: Option<String>,

    /// File with the key that signs requests (Web Bot Auth), made by `verger identity key`
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "signature_agent")]
    key: Option<PathBuf>,

    /// URL of the crawler's site, which publishes the key
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url, requires = "key")]
    signature_agent: Option<String>,

    /// Allow connections to a private, loopback or other non-public network or address, such as
    /// 10.0.0.0/8 or 127.0.0.1; can be repeated
    #[arg(long, value_name = "CIDR", value_parser = parse_net)]
    allow_net: Vec<IpNet>,

    /// Dialect of every robots.txt
    #[arg(long, value_name = "NAME", default_value = Dialect::default().name)]
    dialect: Dialect,

    /// Let the model choose another dialect for a robots.txt that it passes as text
    #[arg(long)]
    allow_dialects: bool,

    /// Maximum bytes of a page, from 65,536 to 67,108,864; the rest is not read
    #[arg(long, value_name = "N", default_value_t = PAGE.default)]
    #[arg(value_parser = RangedU64ValueParser::<usize>::new().range(PAGE.least as u64..=PAGE.most as u64))]
    max_bytes: usize,

    /// Write the manual page
    #[arg(long, exclusive = true)]
    man: bool,

    /// Write completions for a shell
    #[arg(long, value_name = "SHELL", exclusive = true)]
    completions: Option<Shell>,
}

const EXAMPLES: &str = "\
Examples:
  Serve an agent that fetches as ExampleBot:
    verger-mcp --agent ExampleBot --user-agent 'ExampleBot/1.0 (+https://bot.example/)'

  List the tools by hand:
    npx @modelcontextprotocol/inspector --cli verger-mcp --agent ExampleBot --method tools/list

Exit codes:
  0  the client closed the session
  2  an argument is invalid, or the session could not start";

/// Runs the program with a command line, which begins with its name, until the client closes the
/// session.
///
/// Standard output is for the protocol, standard error for messages. The exit code is 0 at the end
/// of a session, and 2 after an error. The process ends here after wrong arguments and `--help`.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments = Arguments::parse_from(arguments);
    let mut text = Vec::new();
    if arguments.man {
        let _ = clap_mangen::Man::new(Arguments::command()).render(&mut text);
    } else if let Some(shell) = arguments.completions {
        clap_complete::generate(shell, &mut Arguments::command(), "verger-mcp", &mut text);
    }
    let done = if text.is_empty() {
        serve(&arguments)
    } else {
        io::stdout().write_all(&text).map_err(|error| format!("could not write: {error}"))
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr().lock(), "error: {error}");
            ExitCode::from(2)
        }
    }
}

fn serve(arguments: &Arguments) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| format!("could not start threads: {error}"))?;
    let (read, write) = rmcp::transport::stdio();
    let served = runtime.block_on(async { server(arguments)?.serve(read, write).await });
    // A pending read of standard input does not end.
    runtime.shutdown_timeout(END);
    served
}

/// Time for the threads of the runtime to end.
const END: Duration = Duration::from_millis(100);

fn server(arguments: &Arguments) -> Result<Server, String> {
    let agent = arguments.agent.as_deref().unwrap_or_default();
    let dialect = arguments.dialect;
    let crawler = NamedCrawler::agent(agent, &dialect);
    let is_wrong = |token: &ProductToken| {
        matches!(token.problem(), Some(TokenProblem::Empty | TokenProblem::NeverNamed { .. }))
    };
    // The words of a header would each be a token.
    if agent.contains(char::is_whitespace) || crawler.crawler().tokens().iter().any(is_wrong) {
        return Err("`--agent`: expected a product token such as `ExampleBot`".to_owned());
    }
    let default = format!("{agent} verger-mcp/{}", env!("CARGO_PKG_VERSION"));
    let header = arguments.user_agent.as_deref().unwrap_or(&default);
    let mut identity = Identity::new(header).map_err(|error| format!("`--user-agent`: {error}"))?;
    if let Some(from) = &arguments.from {
        identity = identity.with_from(from).map_err(|error| format!("`--from`: {error}"))?;
    }
    let guard = arguments.allow_net.iter();
    let guard = guard.fold(Guard::new(), |guard, net| guard.with_allowed_net(*net));
    let politeness = Politeness {
        // A page is fetched at the user's request, so visit times do not matter.
        visit_times: false,
        longest_wait: Some(LONGEST_WAIT),
        ..Politeness::default()
    };
    let mut builder = RobotsClient::builder(crawler.crawler().clone(), identity)
        .dialect(dialect)
        .guard(guard)
        .limits(Limits { page: arguments.max_bytes, ..Limits::default() })
        .politeness(politeness);
    if let Some((file, agent)) = arguments.key.as_ref().zip(arguments.signature_agent.as_ref()) {
        let key = SigningKey::open(file).map_err(|error| format!("`--key`: {error}"))?;
        let signer = key.for_agent(agent);
        let signer = signer.map_err(|error| format!("`--signature-agent`: {error}"))?;
        builder = builder.signer(Arc::new(signer));
    }
    let client = builder.build().map_err(|error| format!("could not start: {error}"))?;
    Ok(Server::new(client, crawler, dialect, arguments.allow_dialects, arguments.max_bytes))
}
