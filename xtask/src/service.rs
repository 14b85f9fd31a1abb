//! The description of the HTTP service compared with its responses by an independent tool,
//! schemathesis from `PyPI`.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use crate::python::Environment;
use crate::shell::{Result, cargo, executable, execute, target_dir};

/// The tool.
const SCHEMATHESIS: &str = "schemathesis==4.32.5";

/// Generated requests for each operation.
const EXAMPLES: &str = "100";

/// Starts the service, and sends requests that schemathesis makes from its description: the status,
/// media type and body of each response must be described, and no response may be an error of the
/// service.
pub(crate) fn run() -> Result {
    let environment = Environment::new(target_dir().join("service-env"));
    environment.install([SCHEMATHESIS])?;
    execute(&mut cargo(["build", "--package", "verger-server"]))?;
    let program = executable(&target_dir().join("debug").join("verger-serve"));
    let service = Service::start(&program)?;
    let mut check = Command::new(environment.tool("schemathesis"));
    check.args(["run", &format!("{}/openapi.json", service.url), "--max-examples", EXAMPLES]);
    check.args(["--checks", "not_a_server_error,status_code_conformance,content_type_conformance"]);
    check.args(["--checks", "response_schema_conformance,unsupported_method"]);
    execute(check.current_dir(target_dir()))
}

/// A running service, stopped at the end.
struct Service {
    child: Child,
    url: String,
}

impl Service {
    fn start(program: &std::path::Path) -> Result<Self> {
        let mut command = Command::new(program);
        command.args(["--listen", "127.0.0.1:0", "--fetch-seconds", "1", "--wait-ms", "500"]);
        let child = command.stderr(Stdio::piped()).spawn();
        let mut child = child.map_err(|error| format!("could not run verger-serve: {error}"))?;
        let log = child.stderr.take().ok_or("no log")?;
        let mut lines = BufReader::new(log).lines().map_while(std::result::Result::ok);
        let address = lines.find_map(|line| Some(line.split_once("address=")?.1.trim().to_owned()));
        // Otherwise a full pipe would stop the service.
        std::thread::spawn(move || lines.for_each(drop));
        let url = format!("http://{}", address.ok_or("verger-serve does not listen")?);
        Ok(Self { child, url })
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
