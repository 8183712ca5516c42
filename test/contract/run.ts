/**
 * `npm run conformance -- --url https://quarry.example --admin email:password`: holds any running
 * service against the specification, rule by rule. Without `--admin` the administrator is read
 * from QUARRY_SMOKE_ADMIN. It makes resources of its own through the
 * panel API and removes them again. Rate windows are waited for; a service that believes our
 * X-Forwarded-For (a local one with TRUSTED_PROXIES=127.0.0.1) is asked from ever new addresses.
 */
import { parseArgs } from "node:util";

import { whileWaiting } from "../../src/cli/progress.ts";
import { clientOf, type Client } from "./client.ts";
import type { Rule } from "./rule.ts";
import { RULES, whyNot } from "./table.ts";
import { setUpWorld, type Admin, type Sabotage, type World } from "./world.ts";

const USAGE = "usage: npm run conformance -- --url ADDRESS --admin EMAIL:PASSWORD [--only TEXT]";
const administrator = process.env["QUARRY_SMOKE_ADMIN"];

const { values } = parseArgs({
  options: {
    url: { type: "string" },
    admin: { type: "string", ...(administrator === undefined ? {} : { default: administrator }) },
    only: { type: "string", default: "" },
  },
});

function adminFrom(text: string): Admin {
  const at = text.indexOf(":");
  return { email: text.slice(0, at), password: text.slice(at + 1) };
}

/**
 * Points resources at a server that nobody runs, where the service is set up to speak with one;
 * elsewhere the rules that need an outage are left out.
 */
async function failingModels(client: Client, admin: Admin): Promise<Sabotage> {
  const origin = new URL(client.baseUrl).origin;
  const signedIn = await client.call({ method: "POST", path: "/panel/api/session", json: admin });
  const cookie = signedIn.headers.get("Set-Cookie")?.split(";", 1)[0] ?? "";
  const patch = async (path: string, json: unknown) =>
    await client.call({ method: "PATCH", path, json, cookie, headers: { Origin: origin } });
  const probe = await client.call({
    method: "POST",
    path: "/panel/api/inferences",
    cookie,
    headers: { Origin: origin },
    json: { name: "conformance probe", systemPrompt: "-", model: "local/nobody-there" },
  });
  if (probe.status !== 201) return {};
  const { id } = probe.body as { id: string };
  const path = `/panel/api/inferences/${id}`;
  await client.call({ method: "DELETE", path, cookie, headers: { Origin: origin } });
  return {
    failModel: async (name) =>
      void (await patch(`/panel/api/inferences/${name}`, { model: "local/nobody-there" })),
    failReranker: async (name) =>
      void (await patch(`/panel/api/rags/${name}`, { reranker: "local/nobody-there" })),
  };
}

type Counts = { passed: number; failed: number; skipped: number };

async function runRule(world: World, rule: Rule, counts: Counts): Promise<void> {
  const name = `${rule.section}: ${rule.rule}`;
  const missing = whyNot(rule, {
    "failing model": world.sabotage.failModel !== undefined,
    "failing reranker": world.sabotage.failReranker !== undefined,
    "own addresses": world.client.choosesAddress,
  });
  if (missing !== null) {
    counts.skipped += 1;
    console.log(`skip  ${name} (${missing})`);
    return;
  }
  try {
    await whileWaiting(process.stdout, `      ${name}`, Promise.resolve(rule.check(world)));
    counts.passed += 1;
    console.log(`ok    ${name}`);
  } catch (thrown) {
    counts.failed += 1;
    console.log(`FAIL  ${name}\n${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
}

/** Two calls in the windows of two addresses leave as much in each. */
async function choosesAddress(baseUrl: string): Promise<boolean> {
  const remainingOf = async (address: string) => {
    const headers = { "X-Forwarded-For": address };
    return (await fetch(`${baseUrl}/embed/conformance`, { headers })).headers.get("RateLimit");
  };
  const network = `10.${process.pid % 256}.${Date.now() % 256}`;
  return (await remainingOf(`${network}.1`)) === (await remainingOf(`${network}.2`));
}

async function main(url: string, admin: Admin, only: string): Promise<boolean> {
  const baseUrl = url.replace(/\/+$/, "");
  const send = async (request: Request) => await fetch(request);
  const client = clientOf(baseUrl, send, await choosesAddress(baseUrl));
  const counts: Counts = { passed: 0, failed: 0, skipped: 0 };
  const setting = failingModels(client, admin).then((by) => setUpWorld(client, admin, by));
  const world = await whileWaiting(process.stdout, "Creating resources", setting);
  try {
    const rules = RULES.filter(({ section, rule }) => `${section}: ${rule}`.includes(only));
    for (const rule of rules) await runRule(world, rule, counts);
  } finally {
    await world.tearDown();
  }
  console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  return counts.failed === 0;
}

if (values.url === undefined || !(values.admin ?? "").includes(":")) {
  console.error(USAGE);
  process.exitCode = 2;
} else {
  const isPassed = await main(values.url, adminFrom(values.admin ?? ""), values.only);
  process.exitCode = isPassed ? 0 : 1;
}
