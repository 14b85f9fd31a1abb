//! `cargo xtask test --only lint-formats`: the files for other tools, checked by these tools.
//!
//! SARIF: its published schema, from a package of npm, and sarif-tools. `verger.toml`: its JSON
//! schema. `action.yml`: the schema of GitHub. The hooks: pre-commit itself runs them.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::disk;
use crate::npm;
use crate::python::Environment;
use crate::shell::{Built, Result, execute, output, program, root, target_dir};

/// Tools of `PyPI`.
const TOOLS: [&str; 3] = ["check-jsonschema>=0.39,<1", "pre-commit>=4,<5", "sarif-tools>=3,<4"];

/// The package of npm with the schema of SARIF, and its path there.
const SCHEMA: (&str, &str) = (
    "@microsoft/jest-sarif@1.0.0-beta.0",
    "node_modules/@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json",
);

/// A file with problems of each severity, fixes, bytes that are not UTF-8, and a byte order mark.
const ROBOTS: &[u8] =
    b"\xef\xbb\xbfDisallow: /x\nUser-agent: *\nDissalow: /\xff\nDisallow: /caf\xc3\xa9%4\n\
    Disallow: /a\nDisallow: /a\nfoo {0} [x](http://evil)\nSitemap: /s\n";

/// Checks all files.
pub(crate) fn run() -> Result {
    let folder = target_dir().join("lint-formats");
    disk::remove_folder(&folder)?;
    disk::create_folder(&folder)?;
    let tools = Environment::new(target_dir().join("lint-env"));
    tools.install(TOOLS)?;
    let verger = Built::by_tests()?.verger();
    disk::write(&folder.join("robots.txt"), ROBOTS)?;
    sarif(&tools, &verger, &folder)?;
    schemas(&tools, &folder)?;
    hooks(&tools, &verger, &folder)
}

fn check_schema(tools: &Environment, arguments: &[&Path]) -> Result {
    execute(Command::new(tools.tool("check-jsonschema")).args(arguments))
}

fn sarif(tools: &Environment, verger: &Path, folder: &Path) -> Result {
    let schema = npm::install_package("sarif-schema", SCHEMA.0)?.join(SCHEMA.1);
    let lint = |arguments: &[&str], name: &str| -> Result {
        let lint = ["lint", "--format", "sarif", "--exit-zero"];
        let mut command = Command::new(verger);
        let log = output(command.args(lint).args(arguments).current_dir(folder))?;
        let file = folder.join(name);
        disk::write(&file, log)?;
        // The schema has a regular expression that ECMAScript rejects.
        let variant: [&Path; 2] = ["--regex-variant".as_ref(), "python".as_ref()];
        let files: [&Path; 3] = ["--schemafile".as_ref(), &schema, &file];
        check_schema(tools, &[&variant[..], &files].concat())?;
        // It fails if it cannot read the file.
        execute(Command::new(tools.tool("sarif")).arg("summary").arg(&file))
    };
    lint(&["robots.txt", "--portable", "google,yandex,bing"], "problems.sarif")?;
    lint(&["--select", "utf-16", "robots.txt"], "empty.sarif")
}

fn schemas(tools: &Environment, folder: &Path) -> Result {
    let schema = root().join("docs/verger.schema.json");
    check_schema(tools, &["--check-metaschema".as_ref(), &schema])?;
    let page = fs::read_to_string(root().join("docs/linting.md")).map_err(|it| it.to_string())?;
    let example = page.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next());
    let good = folder.join("good.toml");
    disk::write(&good, example.ok_or("expected an example of `verger.toml` in docs/linting.md")?)?;
    check_schema(tools, &["--schemafile".as_ref(), &schema, &good])?;
    let bad = folder.join("bad.toml");
    disk::write(&bad, "[lint]\nselct = []\n")?;
    if check_schema(tools, &["--schemafile".as_ref(), &schema, &bad]).is_ok() {
        return Err("expected the schema to reject an unknown key, but it is accepted".to_owned());
    }
    let action = root().join("action.yml");
    check_schema(tools, &["--builtin-schema".as_ref(), "vendor.github-actions".as_ref(), &action])
}

/// Runs the hooks in a repository with two files, of which one has a problem.
fn hooks(tools: &Environment, verger: &Path, folder: &Path) -> Result {
    let manifest = root().join(".pre-commit-hooks.yaml");
    execute(Command::new(tools.tool("pre-commit")).arg("validate-manifest").arg(&manifest))?;
    let hooks = folder.join("hooks");
    let site = folder.join("site");
    for folder in [&hooks, &site] {
        disk::create_folder(folder)?;
        execute(program("git", ["init", "--quiet"]).current_dir(folder))?;
    }
    disk::copy(&manifest, &hooks.join(".pre-commit-hooks.yaml"))?;
    commit(&hooks)?;
    let run = |id: &str, robots: &[u8]| -> Result<bool> {
        disk::write(&site.join("robots.txt"), robots)?;
        disk::write(&site.join("other.txt"), "foo\n")?;
        execute(program("git", ["add", "."]).current_dir(&site))?;
        // Its own folder, and the program of this checkout.
        let path = env::var_os("PATH").unwrap_or_default();
        let first = [verger.parent().unwrap_or(verger).to_owned()];
        let path = env::join_paths(first.into_iter().chain(env::split_paths(&path)));
        let mut command = Command::new(tools.tool("pre-commit"));
        command.args(["try-repo", "../hooks", id, "--all-files"]).current_dir(&site);
        command.env("PRE_COMMIT_HOME", folder.join("cache"));
        command.env("PATH", path.map_err(|error| error.to_string())?);
        Ok(command.status().map_err(|error| error.to_string())?.success())
    };
    let fine = b"User-agent: *\nDisallow: /cart\n";
    let repeated = b"User-agent: *\nDisallow: /cart\nDisallow: /cart\n";
    let cases: [(&str, &[u8], bool); 5] = [
        ("verger-lint", fine, true),
        ("verger-lint", ROBOTS, false),
        ("verger-fmt", fine, true),
        ("verger-fmt", b"USER-AGENT:*\nDisallow: /cart\n", false),
        ("verger-lint-fix", repeated, false),
    ];
    for (id, robots, is_good) in cases {
        if run(id, robots)? != is_good {
            return Err(format!("expected hook {id} to {}", if is_good { "pass" } else { "fail" }));
        }
    }
    // The last hook has fixed the file.
    if disk::read_bytes(&site.join("robots.txt"))? == fine {
        return Ok(());
    }
    Err("expected hook verger-lint-fix to fix the file".to_owned())
}

fn commit(folder: &Path) -> Result {
    execute(program("git", ["add", "."]).current_dir(folder))?;
    let author = ["-c", "user.name=test", "-c", "user.email=test@shop.example"];
    execute(program("git", author).args(["commit", "--quiet", "-m", "hooks"]).current_dir(folder))
}
