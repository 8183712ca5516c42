import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { PROJECT } from "../../src/cli/installation.ts";
import { OpenAiDouble } from "../doubles/openai-compatible/openai-double.ts";
import { serveOpenAi } from "../doubles/openai-compatible/serve.ts";
import { makeRag } from "../end-to-end/local-service.ts";
import type { Counterpart, Tools } from "./tools.ts";

const HOST = "quarry.example.com";
const UPLOAD_BYTES = 20 * 1_048_576;

/** A proxy with its file of docs/examples, of which only ports, addresses and certificates change. */
export type Proxy = {
  name: string;
  command: string;
  debianPackage: string;
  versionArgs: string[];
  example: string;
  /** `https`, `quarry`: ports; `certificate`, `key`, `both`: files; `scratch`: a folder. */
  adapt: (example: string, at: ProxyPlaces) => string;
  args: (config: string, at: ProxyPlaces) => string[];
};
type ProxyPlaces = {
  https: number;
  quarry: number;
  certificate: string;
  key: string;
  both: string;
  scratch: string;
};

export const proxyCounterpart = (proxy: Proxy): Counterpart => ({
  about: `${proxy.name} with docs/examples/${proxy.example} in front of the service, over TLS`,
  async install(tools) {
    tools.needs("curl", "curl");
    tools.needs("openssl", "openssl");
    const { stdout, stderr } = await tools.run(
      tools.needs(proxy.command, proxy.debianPackage),
      proxy.versionArgs,
    );
    return /\d+\.\d+(?:\.\d+)?/.exec(stdout + stderr)?.[0] ?? "unknown";
  },
  check: (tools) => checkBehind(proxy, tools),
});

async function checkBehind(proxy: Proxy, tools: Tools): Promise<void> {
  const double = new OpenAiDouble({ models: ["chat"] });
  const model = await serveOpenAi(double);
  tools.onClose(model.close);
  const quarry = await tools.port();
  const direct = await tools.quarry(
    [
      `OPENAI_COMPATIBLE_BASE_URL:${model.baseUrl}`,
      "OPENAI_COMPATIBLE_API_KEY:none",
      `PUBLIC_BASE_URL:https://${HOST}`,
      "TRUSTED_PROXIES:127.0.0.1",
    ],
    quarry,
  );
  const at = await certificates(tools, { https: await tools.port(), quarry });
  const config = join(tools.scratch, proxy.example);
  const example = readFileSync(join(PROJECT, "docs/examples", proxy.example), "utf8");
  writeFileSync(config, proxy.adapt(example, at));
  const curl = curlBehind(tools, at);
  const { output } = await tools.start(
    tools.needs(proxy.command, proxy.debianPackage),
    proxy.args(config, at),
    at.https,
  );
  await tools.check("the page of sign-in comes over HTTP/2", async () => {
    const { status, text } = await curl("/panel", ["-L", "-w", "\n%{http_version}"]);
    assert.match(text, /<form[^]*\n2$/, output());
    assert.equal(status, 200);
  });
  const { key, token } = await keysOf(direct.url);
  const authorized = ["-H", `Authorization: Bearer ${key}`];

  await tools.check("a person signs in and has a session", async () => {
    const jar = join(tools.scratch, "cookies");
    const options = ["-H", `Origin: https://${HOST}`, "-H", "Content-Type: application/json"];
    const body = JSON.stringify({ email: "admin@localhost", password: "quarry" });
    const signIn = await curl("/panel/api/session", ["-c", jar, ...options, "-d", body]);
    assert.equal(signIn.status, 200, signIn.text);
    const jarText = readFileSync(jar, "utf8");
    assert.match(jarText, /#HttpOnly_.*\tTRUE\t/);
    const rags = await curl("/panel/api/rags", ["-b", jar]);
    assert.equal(rags.status, 200, rags.text);
  });
  await tools.check("the client's address is the socket's, whatever it claims", async () => {
    const claims = ["X-Forwarded-For: 203.0.113.9", "Forwarded: for=203.0.113.9"];
    const headers = claims.flatMap((claim) => ["-H", claim]);
    const wrong = JSON.stringify({ email: "nobody@example.com", password: "wrong" });
    const options = ["-H", `Origin: https://${HOST}`, "-H", "Content-Type: application/json"];
    await curl("/panel/api/session", [...headers, ...options, "-d", wrong]);
    const { text } = await curl("/panel/api/audit?pageSize=50", authorized);
    assert.ok(!text.includes("203.0.113.9"), text);
    assert.match(text, /127\.0\.0\.1/);
  });
  await tools.check("a file of 20 MB is uploaded, its path with a slash and %2F", async () => {
    const file = join(tools.scratch, "large.txt");
    writeFileSync(file, "Otters eat fish.\n".padEnd(64, " ").repeat(UPLOAD_BYTES / 64));
    const path = "/panel/api/file-sources/docs/files/2026/a%2Fb%20%C3%BC.txt";
    const upload = await curl(path, [...authorized, "-T", file]);
    assert.equal(upload.status, 201, upload.text);
    assert.match(upload.text, /"path":"2026\/a\/b ü\.txt"/);
  });
  await tools.check("events of an answer arrive before its end", async () => {
    let release = () => undefined as void;
    const released = new Promise<void>((resolve) => (release = resolve));
    double.send = (events) => eventsInTwo(events, released);
    const options = [
      "-N",
      "-H",
      `Authorization: Bearer ${token}`,
      "-H",
      "Accept: text/event-stream",
    ];
    const url = "/api/inferences/answering";
    const answer = await curl(url, [...options, "-d", '{"prompt":"Hello"}'], (text) => {
      if (text.includes("event: delta")) release();
    });
    assert.match(answer.text, /event: result/);
  });
  await tools.check("other names, and a service's own names, get no answer of Quarry", async () => {
    for (const host of ["localhost", "127.0.0.1", "other.example.com"]) {
      const { status, text } = await curl("/robots.txt", ["-H", `Host: ${host}`]);
      assert.ok([400, 403, 404, 421].includes(status) || text === "", `${host}: ${status}`);
      assert.ok(!text.includes("Disallow"), text);
    }
  });
  await tools.check("no door of a development server opens", async () => {
    for (const host of [HOST, "localhost"]) {
      const path = "/cdn-cgi/explorer/api/d1/database/x/raw";
      const { status, text } = await curl(path, ["-H", `Host: ${host}`, "-d", "{}"]);
      assert.ok([400, 403, 404, 421].includes(status) || text === "", `${host}: ${status}`);
    }
  });
}

/** By the loopback address, as a program on the same machine calls it behind no proxy. */
async function keysOf(url: string) {
  const rag = await makeRag(url, `https://${HOST}`);
  const naming = { name: "Answering", identifier: "answering" };
  const body = { ...naming, model: "local/chat", systemPrompt: "Be brief." };
  await rag.api.POST("/inferences", { body });
  return rag;
}

function eventsInTwo(events: string[], released: Promise<void>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let next = 0;
  return new ReadableStream({
    async pull(controller) {
      const event = events[next];
      if (event === undefined) return controller.close();
      // The second half waits until the first has arrived.
      if (next++ === Math.ceil(events.length / 2)) await released;
      controller.enqueue(encoder.encode(event));
    },
  });
}

async function certificates(tools: Tools, ports: { https: number; quarry: number }) {
  const [certificate, key, both] = ["cert.pem", "key.pem", "both.pem"].map((name) =>
    join(tools.scratch, name),
  ) as [string, string, string];
  const subject = ["-subj", `/CN=${HOST}`, "-addext", `subjectAltName=DNS:${HOST}`];
  const kind = ["-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"];
  await tools.run("openssl", ["req", ...kind, "-keyout", key, "-out", certificate, ...subject]);
  writeFileSync(both, readFileSync(certificate, "utf8") + readFileSync(key, "utf8"));
  return { ...ports, certificate, key, both, scratch: tools.scratch };
}

/** Calls by the public name and port 443, which lead to the proxy. */
function curlBehind(tools: Tools, { https, certificate }: ProxyPlaces) {
  const connection = ["--connect-to", `${HOST}:443:127.0.0.1:${https}`, "--cacert", certificate];
  return async (path: string, args: string[], onText: (text: string) => void = () => undefined) => {
    const common = ["-sS", "--max-time", "60", ...connection, "-w", "\n%{http_code}"];
    const child = spawn("curl", [...common, ...args, `https://${HOST}${path}`]);
    tools.onClose(() => child.kill());
    let text = "";
    for await (const piece of child.stdout) {
      text += String(piece);
      onText(text);
    }
    const cut = text.lastIndexOf("\n");
    const last = text.slice(cut + 1);
    // A second `-w` takes the place of the first.
    if (last.length !== 3) return { status: 200, text };
    return { status: Number(last), text: text.slice(0, cut) };
  };
}
