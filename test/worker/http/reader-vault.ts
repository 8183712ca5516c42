import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";

import { appFor } from "../../../src/apps.ts";
import { Browser } from "../../support/browser-without-script.ts";
import { countedBindings } from "../../support/counted-bindings.ts";
import { queuesSettled } from "../../support/queues-settled.ts";
import { call, ORIGIN, signedIn } from "../../support/worker-client.ts";
import { connected } from "../protocols/connecting.ts";
import type { Probe } from "./reader-probes.ts";

export const ANN = "ann@example.com";
export const BOB = "bob@example.com";
const SECRET = "# Ann's note\n\nThe boiler code is k4711 and secret.";
/** Everybody may read what Ann's file says as well, in other words. */
export const FILES: Record<string, { text: string; readers?: string[] }> = {
  "ann.md": { text: SECRET, readers: [`user:${ANN}`] },
  "bob.md": { text: SECRET, readers: [`user:${BOB}`] },
  "hr/pay.md": { text: "# Pay\n\nThe boiler bonus is k8822.", readers: ["group:hr@example.com"] },
  "open.md": { text: "# Boiler\n\nThe boiler is in the cellar.", readers: ["domain:example.com"] },
  "untold.md": { text: "# Untold\n\nThe boiler of nobody is k9933." },
};

/** The scopes of a part of it. */
const PART = ["hr/pay.md", "hr/", "ann.md", "open.md"];

/** Text that only readers of other files than Bob's may see. */
export const FORBIDDEN = /ann\.md|"hr\/|pay\.md|untold\.md|k8822|k9933|hr@example/;

const TOKENS = { named: "named", ann: ANN, bob: BOB, none: null };
/** By token, by a program that a person connected, in the panel, and by automation key. */
export type Caller =
  | keyof typeof TOKENS
  | "ann's program"
  | "bob's program"
  | "bob's session"
  | "administrator"
  | "key"
  | "member's key";
export type Vault = Awaited<ReturnType<typeof filledVault>>;

export const PASSWORD = "correct horse battery";
const ALL = { rags: ["*"], inferences: ["*"], agents: ["*"] };
const bearer = (secret: string) => ({ Authorization: `Bearer ${secret}` });

/** A source with permissions, whatever searches it, and whoever may call. */
export async function filledVault() {
  const panel = await signedIn();
  await panel.send("POST", "/file-sources", {
    name: "vault",
    provider: "file_system",
    permissions: "on",
  });
  const openToMembers = true;
  await panel.send("POST", "/rags", { name: "vault", fileSource: "vault", openToMembers });
  const scopes = PART.map((value) => ({ type: "path", value }));
  await panel.send("POST", "/rags", { name: "vault-part", fileSource: "vault", scopes });
  const asking = {
    systemPrompt: "Answer.",
    model: "embedded/extractive",
    rags: ["vault"],
    openToMembers,
  };
  await panel.send("POST", "/inferences", { name: "ask", ...asking });
  await panel.send("POST", "/agents", { name: "spy", description: "Spies.", ...asking });
  for (const [path, { text, readers }] of Object.entries(FILES)) {
    const more = readers === undefined ? {} : { "X-File-Readers": JSON.stringify(readers) };
    await panel.put(`/file-sources/vault/files/${path}`, text, "text/markdown", more);
  }
  const callers = await callersOf(panel);
  await queuesSettled();
  return { panel, callers };
}

/** The headers that each caller is known by. */
async function callersOf(panel: Awaited<ReturnType<typeof signedIn>>) {
  const callers = new Map<Caller, Record<string, string>>();
  for (const name of ["named", "ann", "bob", "none"] as const) {
    const settings = { name, ...ALL, reader: TOKENS[name], manageScopes: false };
    const { token } = await panel.create("/tokens", settings);
    callers.set(name, bearer(token));
  }
  for (const [name, email] of Object.entries({ ann: ANN, bob: BOB })) {
    await panel.send("POST", "/users", { email, password: PASSWORD, role: "member" });
    const browser = new Browser();
    await browser.signIn(email, PASSWORD);
    const coverage = { rags: ["vault"], inferences: ["ask"], agents: ["spy"] };
    const { access_token: access } = await connected(browser, coverage);
    callers.set(`${name}'s program` as Caller, bearer(access));
    callers.set(`${name}'s session` as Caller, { Cookie: browser.cookies, Origin: ORIGIN });
  }
  callers.set("administrator", { Cookie: panel.cookie, Origin: ORIGIN });
  for (const [name, role] of Object.entries({ key: "admin", "member's key": "member" })) {
    const { key } = await panel.create("/keys", { name, role });
    callers.set(name as Caller, bearer(key));
  }
  return callers;
}

type ProbeCall = { caller: Caller; probe: Probe; headers: Record<string, string> };

export async function askVault(callers: Vault["callers"], { caller, probe, headers }: ProbeCall) {
  const { status, body } = await call(probe.body === undefined ? "GET" : "POST", probe.path, {
    headers: { ...callers.get(caller), ...headers },
    body: probe.body === undefined ? undefined : JSON.stringify(probe.body),
  });
  return { status, text: typeof body === "string" ? body : JSON.stringify(body) };
}

export const as = (reader: string, groups?: string) => {
  return { "Quarry-Reader": reader, ...(groups === undefined ? {} : { "Quarry-Groups": groups }) };
};

/** Counts the operations that a call of Bob's waits for, and the database rows that it reads. */
export async function costInVault(
  callers: Vault["callers"],
  { path, body }: Omit<Probe, "visible">,
) {
  const recorder = countedBindings(env);
  const context = createExecutionContext();
  const type = { "Content-Type": "application/json" };
  const accept = { Accept: "application/json, text/event-stream" };
  const request = new Request(`${ORIGIN}${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { ...callers.get("bob"), ...type, ...accept },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const app = await appFor(request);
  await (await app.fetch(request, recorder.env, context)).text();
  const trips = recorder.operations.map(({ binding, name }) => `${binding} ${name}`).sort();
  const rows = recorder.operations.reduce((sum, { rowsRead }) => sum + rowsRead, 0);
  await waitOnExecutionContext(context);
  return { trips, rows };
}
