import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { vi } from "vitest";

import { composeServices } from "../../../src/compose.ts";
import { createApp } from "../../../src/http/app.ts";
import { countedBindings } from "../../support/counted-bindings.ts";
import { call, ORIGIN, signedIn } from "../../support/worker-client.ts";
import type { Probe } from "./reader-probes.ts";

export const ANN = "ann@example.com";
export const BOB = "bob@example.com";
const SECRET = "# Ann's note\n\nThe boiler code is 4711 and secret.";
/** Everybody may read what Ann's file says as well, in other words. */
export const FILES: Record<string, { text: string; readers?: string[] }> = {
  "ann.md": { text: SECRET, readers: [`user:${ANN}`] },
  "bob.md": { text: SECRET, readers: [`user:${BOB}`] },
  "hr/pay.md": { text: "# Pay\n\nThe boiler bonus is 8822.", readers: ["group:hr@example.com"] },
  "open.md": { text: "# Boiler\n\nThe boiler is in the cellar.", readers: ["domain:example.com"] },
  "untold.md": { text: "# Untold\n\nThe boiler of nobody is 9933." },
};

export type Reader = "named" | "ann" | "bob" | "none";
export type Vault = Awaited<ReturnType<typeof filledVault>>;

/** A source with permissions, whatever searches it, and tokens of every kind of reader. */
export async function filledVault() {
  const panel = await signedIn();
  const tokens = new Map<Reader, string>();
  await panel.send("POST", "/file-sources", {
    name: "vault",
    provider: "file_system",
    permissions: "on",
  });
  await panel.send("POST", "/rags", { name: "vault", fileSource: "vault" });
  const asking = { systemPrompt: "Answer.", model: "embedded/extractive", rags: ["vault"] };
  await panel.send("POST", "/inferences", { name: "ask", ...asking });
  await panel.send("POST", "/agents", { name: "spy", description: "Spies.", ...asking });
  for (const [path, { text, readers }] of Object.entries(FILES)) {
    const more = readers === undefined ? {} : { "X-File-Readers": JSON.stringify(readers) };
    await panel.put(`/file-sources/vault/files/${path}`, text, "text/markdown", more);
  }
  const all = { rags: ["*"], inferences: ["*"], agents: ["*"] };
  const readers = { named: "named", ann: ANN, bob: BOB, none: null };
  for (const [name, reader] of Object.entries(readers)) {
    const { token } = await panel.made("/tokens", { name, ...all, reader });
    tokens.set(name as Reader, token);
  }
  await vi.waitFor(
    async () => {
      const { body } = await panel.send("GET", "/rags/vault");
      const { processedFiles } = body as { processedFiles: number };
      if (processedFiles < Object.keys(FILES).length) throw new Error("not indexed yet");
    },
    { timeout: 120_000, interval: 50 },
  );
  return { panel, tokens };
}

type Asked = { token: Reader; probe: Probe; headers: Record<string, string> };

export async function askVault(tokens: Vault["tokens"], { token, probe, headers }: Asked) {
  const { status, body } = await call(probe.body === undefined ? "GET" : "POST", probe.path, {
    headers: { Authorization: `Bearer ${tokens.get(token) ?? ""}`, ...headers },
    body: probe.body === undefined ? undefined : JSON.stringify(probe.body),
  });
  return { status, text: typeof body === "string" ? body : JSON.stringify(body) };
}

export const as = (reader: string, groups?: string) => {
  return { "Quarry-Reader": reader, ...(groups === undefined ? {} : { "Quarry-Groups": groups }) };
};

/** What a call of Bob's waits for, and the rows of the database that it reads. */
export async function costInVault(tokens: Vault["tokens"], { path, body }: Omit<Probe, "seen">) {
  const counted = countedBindings(env);
  const context = createExecutionContext();
  const type = { "Content-Type": "application/json" };
  const request = new Request(`${ORIGIN}${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { Authorization: `Bearer ${tokens.get("bob") ?? ""}`, ...type },
    body: body === undefined ? null : JSON.stringify(body),
  });
  await (await createApp(composeServices).fetch(request, counted.env, context)).text();
  const trips = counted.operations.map(({ binding, name }) => `${binding} ${name}`).sort();
  const rows = counted.operations.reduce((sum, { rowsRead }) => sum + rowsRead, 0);
  await waitOnExecutionContext(context);
  return { trips, rows };
}
