// Verifies requests that npm's `web-bot-auth` signs with `verger identify`, and ours with it.
//
// Usage: node web_bot_auth.mjs VERGER SIGN FOLDER, where SIGN is the example `sign`, and FOLDER has the
// package in `node_modules`.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const [verger, sign, folder] = process.argv.slice(2);
const require = createRequire(join(folder, "package.json"));
const { generateNonce, jwkToKeyID, signatureHeaders, verify } = require("web-bot-auth");
const { helpers, signerFromJWK, verifierFromJWK } = require("web-bot-auth/crypto");

const AGENT = "https://signature-agent.test";
const TARGET = "/a%20b?c=d";
const MINUTE = 60_000;

const temporary = mkdtempSync(join(folder, "keys-"));
const [secret, other, keys] = ["key.json", "other.json", "keys.json"].map((name) =>
  join(temporary, name),
);
for (const file of [secret, other]) execFileSync(verger, ["identity", "key", file]);
writeFileSync(keys, execFileSync(verger, ["identity", "directory", secret]));
const read = (file) => JSON.parse(readFileSync(file, "utf-8"));

/** Our answer for a request. */
function identified({ headers }, authority = "shop.example") {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\n`);
  const input = `GET ${TARGET} HTTP/1.1\nHost: ${authority}\n${lines.join("")}`;
  const given = ["identify", "--headers", "-", "--offline", "--format", "json", "--key-set"];
  const { stdout } = spawnSync(verger, [...given, `${AGENT}=${keys}`], {
    input,
    encoding: "utf-8",
  });
  const { status, reason } = JSON.parse(stdout).signature;
  return reason === undefined ? status : `${status}: ${reason}`;
}

/** A request that the package signs. */
async function signed(
  agent,
  { key = secret, created = new Date(), lifetime = 5 * MINUTE, more = {} } = {},
) {
  const message = {
    method: "GET",
    url: `https://shop.example${TARGET}`,
    headers: { "Signature-Agent": agent },
  };
  const jwk = read(key);
  const signer = await signerFromJWK(jwk);
  signer.keyid = await jwkToKeyID(jwk, helpers.WEBCRYPTO_SHA256, helpers.BASE64URL_DECODE);
  const expires = new Date(created.getTime() + lifetime);
  const added = await signatureHeaders(message, signer, {
    created,
    expires,
    nonce: generateNonce(),
    ...more,
  });
  return { headers: { ...message.headers, ...added } };
}

const bare = `"${AGENT}"`;
const ago = (time) => new Date(Date.now() - time);
const theirs = [
  ["a bare string", await signed(bare), "verified"],
  ["a label", await signed(bare, { more: { key: "sig2" } }), "verified"],
  ["expired", await signed(bare, { created: ago(20 * MINUTE) }), "failed: expired"],
  ["not yet created", await signed(bare, { created: ago(-20 * MINUTE) }), "failed: future"],
  [
    "a lifetime of two days",
    await signed(bare, { lifetime: 2 * 24 * 60 * MINUTE }),
    "failed: long_lived",
  ],
  ["an unknown key", await signed(bare, { key: other }), "failed: unknown_key"],
];
for (const [name, request, expected] of theirs) assert.equal(identified(request), expected, name);
assert.equal(identified(await signed(bare), "other.example"), "failed: wrong_signature");

// Ours by theirs. Its newest release verifies the older form of the field only (its issue 126).
const given = [secret, AGENT, "shop.example", TARGET, "--text"];
const head = execFileSync(sign, given, { encoding: "utf-8" });
const fields = head
  .trimEnd()
  .split("\n")
  .slice(2)
  .map((line) => line.split(": "));
const ours = {
  method: "GET",
  url: `https://shop.example${TARGET}`,
  headers: Object.fromEntries(fields),
};
const by = async (file) => verifierFromJWK({ ...read(file), d: undefined });
await verify(ours, await by(secret));
await assert.rejects(async () => verify(ours, await by(other)));
await assert.rejects(async () =>
  verify({ ...ours, url: "https://other.example/" }, await by(secret)),
);
console.log("requests of web-bot-auth and ours are verified by both");
