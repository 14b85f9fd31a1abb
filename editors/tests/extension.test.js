// The extension without Visual Studio Code: a stub of its interface, and a client that speaks the protocol with the
// real server.

const assert = require("node:assert");
const { spawn } = require("node:child_process");
const Module = require("node:module");
const path = require("node:path");
const test = require("node:test");

const extension = path.join(__dirname, "../vscode");
const load = Module.createRequire(path.join(extension, "extension.js"));
const rpc = load("vscode-jsonrpc/node");

const URI = "file:///nowhere/robots.txt";

/** A client with the part of the interface of vscode-languageclient that the extension uses. */
class LanguageClient {
  constructor(id, _name, server, options) {
    Object.assign(this, { id, server, options });
    this.code2ProtocolConverter = { asUri: (uri) => uri.toString() };
  }

  async start() {
    this.child = spawn(this.server.command, ["--stdio"]);
    const { stdout, stdin } = this.child;
    const [reader, writer] = [
      new rpc.StreamMessageReader(stdout),
      new rpc.StreamMessageWriter(stdin),
    ];
    this.connection = rpc.createMessageConnection(reader, writer);
    this.connection.listen();
    await this.connection.sendRequest("initialize", { capabilities: {} });
    await this.connection.sendNotification("initialized", {});
    const text = "User-agent: *\nDisallow: /cart\n";
    const textDocument = { uri: URI, languageId: "robots", version: 1, text };
    await this.connection.sendNotification("textDocument/didOpen", { textDocument });
    LanguageClient.last = this;
  }

  sendRequest(method, params) {
    return this.connection.sendRequest(method, params);
  }

  async stop() {
    const ended = new Promise((resolve) => this.child.on("exit", resolve));
    await this.connection.sendRequest("shutdown");
    await this.connection.sendNotification("exit");
    assert.equal(await ended, 0);
    this.connection.dispose();
  }
}

const commands = new Map();
const errors = [];
const shown = [];
const answers = [];
const vscode = {
  workspace: {
    getConfiguration: () => ({ get: () => process.env.VERGER_LSP }),
    createFileSystemWatcher: (pattern) => ({ pattern }),
  },
  window: {
    activeTextEditor: { document: { languageId: "robots", uri: new URL(URI) } },
    showErrorMessage: (message) => errors.push(message),
    showInformationMessage: (message) => shown.push(message),
    showInputBox: async () => answers.shift(),
  },
  commands: { registerCommand: (name, run) => commands.set(name, run) },
};

const original = Module._load;
Module._load = (name, ...rest) => {
  if (name === "vscode") return vscode;
  if (name === "vscode-languageclient/node") {
    return { LanguageClient, TransportKind: { stdio: 0 } };
  }
  return original(name, ...rest);
};

test("the extension starts the server, and its commands ask it", async () => {
  const manifest = load("./package.json");
  const { activate, deactivate } = load("./extension.js");
  await activate({ subscriptions: [], asAbsolutePath: (it) => path.join(extension, it) });
  const declared = manifest.contributes.commands.map((it) => it.command);
  assert.deepEqual([...commands.keys()].sort(), declared.sort());
  const client = LanguageClient.last;
  assert.deepEqual(client.options.documentSelector[0], { language: "robots" });
  assert.equal(client.options.synchronize.fileEvents.pattern, "**/verger.toml");
  assert.equal(manifest.contributes.languages[0].id, "robots");
  answers.push("/cart", "GPTBot");
  await commands.get("verger.askCheck")();
  assert.match(shown[0], /`\/cart` for `GPTBot`: disallowed by `Disallow: \/cart`/);
  answers.push("HEAD");
  await commands.get("verger.askCompare")();
  assert.match(errors[0], /could not read this file at .* in git/);
  answers.push("cart", "");
  await commands.get("verger.askCheck")();
  assert.match(errors[1], /bad URL `cart`/);
  vscode.window.activeTextEditor = undefined;
  answers.push("/", "");
  await commands.get("verger.askCheck")();
  assert.match(errors[2], /open a robots.txt first/);
  await deactivate();
});
