// Starts the language server verger-lsp for robots.txt files, and asks for the arguments of its commands.

const { existsSync } = require("node:fs");
const vscode = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");

let client;

/** The program: that of the settings, in the extension, or in the PATH. */
function program(context) {
  const wanted = vscode.workspace.getConfiguration("verger").get("server");
  const name = process.platform === "win32" ? "verger-lsp.exe" : "verger-lsp";
  const packed = context.asAbsolutePath(`server/${name}`);
  return wanted || (existsSync(packed) ? packed : name);
}

async function run(command, ...values) {
  const editor = vscode.window.activeTextEditor;
  if (!client || editor?.document.languageId !== "robots") {
    vscode.window.showErrorMessage("Verger: open a robots.txt first.");
    return;
  }
  const uri = client.code2ProtocolConverter.asUri(editor.document.uri);
  const params = { command, arguments: [uri, ...values] };
  try {
    const answer = await client.sendRequest("workspace/executeCommand", params);
    vscode.window.showInformationMessage(answer);
  } catch (error) {
    vscode.window.showErrorMessage(`Verger: ${error.message}`);
  }
}

async function check() {
  const url = await vscode.window.showInputBox({ prompt: "URL or path", value: "/" });
  if (url === undefined) return;
  const prompt = "Crawler; empty for one that no group names";
  const crawler = await vscode.window.showInputBox({ prompt });
  if (crawler !== undefined) await run("verger.check", url, crawler);
}

async function compare() {
  const revision = await vscode.window.showInputBox({ prompt: "Commit", value: "HEAD" });
  if (revision !== undefined) await run("verger.compare", revision);
}

exports.activate = async (context) => {
  context.subscriptions.push(
    vscode.commands.registerCommand("verger.askCheck", check),
    vscode.commands.registerCommand("verger.askCompare", compare),
  );
  const server = { command: program(context), transport: TransportKind.stdio };
  client = new LanguageClient("verger", "Verger", server, {
    documentSelector: [{ language: "robots" }, { pattern: "**/robots.test.toml" }],
    synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher("**/verger.toml") },
  });
  await client.start();
};

exports.deactivate = () => client?.stop();
