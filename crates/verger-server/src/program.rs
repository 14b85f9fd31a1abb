//! The program: arguments, signals and exit codes.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::num::NonZero;
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use verger::Untrusted;
use verger_fetch::background::check_resources;

use crate::error::StartError;
use crate::run::{Server, check};
use crate::settings::{Action, Settings, command, parse};
use crate::telemetry::start_log;

/// Runs the program with a command line, which begins with its name, until a signal ends it.
///
/// The exit code is 0 after a signal and after `--help` and the like, and 2 after an error, which
/// is on standard error: wrong arguments or settings, a file that cannot be read, an address that
/// cannot be used.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    match parse(arguments) {
        Err(error) => {
            // Help and the version are not errors.
            let _ = error.print();
            if error.use_stderr() { FAILURE.into() } else { ExitCode::SUCCESS }
        }
        Ok(action) => match action.and_then(run) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                report(&error);
                FAILURE.into()
            }
        },
    }
}

/// The exit code of a service that could not start.
const FAILURE: u8 = 2;

fn report(error: &StartError) {
    let mut out = io::stderr().lock();
    let _ = writeln!(out, "error: {error}");
    if let Some(hint) = error.hint() {
        let _ = writeln!(out, "hint: {hint}");
    }
}

fn run(action: Action) -> Result<(), StartError> {
    let write = |text: &[u8]| {
        let written = io::stdout().write_all(text).and_then(|()| io::stdout().flush());
        written.map_err(|error| StartError::new(format!("could not write: {error}")))
    };
    match action {
        Action::Man => {
            let mut page = Vec::new();
            let written = clap_mangen::Man::new(command()).render(&mut page);
            written.map_err(|error| StartError::new(error.to_string()))?;
            write(&page)
        }
        Action::Completions(shell) => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut command(), "verger-serve", &mut script);
            write(&script)
        }
        Action::ShowConfig(text) => write(text.as_bytes()),
        Action::CheckConfig(settings) => {
            runtime(&settings)?.block_on(check(&settings))?;
            write(b"the settings are valid\n")
        }
        Action::Serve(settings) => {
            start_log(settings.json_log, &settings.log_level)?;
            let runtime = runtime(&settings)?;
            let result = runtime.block_on(serve(*settings));
            runtime.shutdown_timeout(END);
            result
        }
    }
}

fn runtime(settings: &Settings) -> Result<Runtime, StartError> {
    let threads = match settings.threads {
        0 => thread::available_parallelism().map_or(1, NonZero::get),
        threads => threads,
    };
    let mut builder = Builder::new_multi_thread();
    builder.enable_all().thread_name("verger-serve").worker_threads(threads);
    let started = check_resources(threads).and_then(|()| builder.build());
    started.map_err(|error| {
        StartError::new(format!("could not start threads: {error}"))
            .with_hint("too many processes or open files, or too little memory: see `ulimit -a`")
    })
}

/// Serves until a signal.
async fn serve(settings: Settings) -> Result<(), StartError> {
    let mut signals = signals()
        .map_err(|error| StartError::new(format!("could not wait for signals: {error}")))?;
    let server = Server::start(settings).await?;
    for address in server.addresses() {
        tracing::info!(%address, "listening");
    }
    while reloads(&mut signals).await {
        match server.reload() {
            Ok(()) => tracing::info!("the tokens were read again"),
            Err(error) => {
                let error = error.to_string();
                tracing::error!(error = %Untrusted::new(&error), "the previous tokens stay valid");
            }
        }
    }
    tracing::info!("stopping");
    let is_finished = server.stop().await;
    tracing::info!(is_finished, "stopped");
    Ok(())
}

/// SIGINT, SIGTERM and SIGHUP.
#[cfg(unix)]
type Signals = [tokio::signal::unix::Signal; 3];

#[cfg(unix)]
fn signals() -> io::Result<Signals> {
    use tokio::signal::unix::{SignalKind, signal};
    Ok([
        signal(SignalKind::interrupt())?,
        signal(SignalKind::terminate())?,
        signal(SignalKind::hangup())?,
    ])
}

/// Waits for a signal: true for SIGHUP, after which the files of tokens are read again.
#[cfg(unix)]
async fn reloads([interrupt, terminate, hangup]: &mut Signals) -> bool {
    tokio::select! {
        _ = interrupt.recv() => false,
        _ = terminate.recv() => false,
        _ = hangup.recv() => true,
    }
}

#[cfg(not(unix))]
type Signals = ();

#[cfg(not(unix))]
fn signals() -> io::Result<Signals> {
    Ok(())
}

#[cfg(not(unix))]
async fn reloads((): &mut Signals) -> bool {
    let _ = tokio::signal::ctrl_c().await;
    false
}

/// Time for the threads of the runtime to end.
const END: Duration = Duration::from_secs(1);
