import { execFile } from "node:child_process";
import { request } from "node:http";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

import { listen } from "../doubles/listen.ts";

const require = createRequire(import.meta.url);
const run = promisify(execFile);
/** Checks that do not apply to this server, and why. */
const BASELINE = join(import.meta.dirname, "mcp-conformance.yml");

/** Passes requests on with a token: the suite sends none. */
async function withToken(url: string, token: string) {
  const { hostname, port } = new URL(url);
  const { address, stop } = await listen((incoming, answer) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${token}` };
    const target = { hostname, port, path: incoming.url, method: incoming.method, headers };
    const outgoing = request(target, (got) => {
      answer.writeHead(got.statusCode ?? 500, got.headers);
      got.pipe(answer);
    });
    incoming.pipe(outgoing);
  });
  return { address: `${address}/mcp`, stop };
}

/**
 * https://github.com/modelcontextprotocol/conformance: its scenarios for servers. Returns what it
 * prints; it ends with an error where another scenario fails, or passes, than the list says.
 */
export async function conformance(url: string, token: string, folder: string): Promise<string> {
  const proxy = await withToken(url, token);
  const script = join(
    dirname(require.resolve("@modelcontextprotocol/conformance/package.json")),
    "dist/index.js",
  );
  const args = ["server", "--url", proxy.address, "--expected-failures", BASELINE];
  try {
    return (await run(process.execPath, [script, ...args], { cwd: folder })).stdout;
  } finally {
    await proxy.stop();
  }
}
