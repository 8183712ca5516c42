import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { composeServices } from "../../../src/compose.ts";
import { openDatabase } from "../../../src/db/sql.ts";
import { createApp } from "../../../src/http/app.ts";
import { foldUsage } from "../../../src/jobs/fold-usage.ts";
import { countedRows, noRows } from "../../support/counted-rows.ts";
import { usageMessage } from "../../support/usage-message.ts";
import { call, ORIGIN, signedIn, outcomeOf } from "../../support/worker-client.ts";
import { addRag, program } from "../protocols/world.ts";

const panel = await signedIn();
const keyOf = async (role: string) =>
  program((await panel.create("/keys", { name: role, role }))["key"] ?? "");

/** Samples by series; each line is a sample, or of a family whose samples follow it. */
function parsed(text: string): Record<string, number> {
  const samples: Record<string, number> = {};
  const lines = text.split("\n");
  expect(lines.slice(-2)).toEqual(["# EOF", ""]);
  let family = "";
  const families = new Set<string>();
  for (const line of lines.slice(0, -2)) {
    const [, word, name = ""] = /^# (TYPE|HELP) (\w+) \S/.exec(line) ?? [];
    if (word === "TYPE") {
      expect(families.has(name)).toBe(false);
      families.add((family = name));
    } else if (word === undefined) {
      const label = String.raw`\w+="(?:[^"\\]|\\.)*"`;
      const form = new RegExp(
        String.raw`^(${family}(?:_total|_bucket|_count|_sum)?(?:\{${label}(?:,${label})*\})?) ([\d.e-]+)$`,
      );
      const [, series = line, value] = form.exec(line) ?? [];
      expect({ line, isNew: !(series in samples) }).toEqual({ line, isNew: true });
      samples[series] = Number(value);
      expect(samples[series]).not.toBeNaN();
    }
  }
  return samples;
}

test("a member's key reads counters and gauges in OpenMetrics", async () => {
  await addRag(panel, "notes", { "leave.md": "# Leave\n\nThirty days." });
  const { token } = await panel.create("/tokens", { name: "Shop", rags: ["*"] });
  const shop = program(token ?? "");
  for (let count = 0; count < 3; count++) {
    await shop.post("/api/rags/notes/retrieve", { semanticSearch: ["leave"] });
  }
  await shop.post("/dify/retrieval", { knowledge_id: "none", query: "leave" });
  const used = { inputTokens: 100, outputTokens: 10, cost: 0.5, currency: "USD" };
  const model = 'local/"big"\\model';
  const services = { db: openDatabase(env.DB), now: Date.now };
  await foldUsage(services, [usageMessage({ ...used, model, at: Date.now() })]);

  const subject = { kind: "service" };
  await panel.create("/limits", { subject, amount: 10, unit: "calls", period: "day" });
  // Nobody has this name.
  const endpoint = await panel.create("/event-endpoints", { url: "https://receiver.invalid/" });
  await panel.send("POST", `/event-endpoints/${endpoint.id}/test`, {});

  const member = await keyOf("member");
  const answer = await member.get("/metrics");
  expect(answer.headers.get("Content-Type")).toBe(
    "application/openmetrics-text; version=1.0.0; charset=utf-8",
  );
  const modelLabel = String.raw`model="local/\"big\"\\model"`;
  const samples = parsed(answer.body as string);
  expect(samples).toMatchObject({
    'quarry_calls_total{surface="api",status="200"}': 3,
    'quarry_calls_total{surface="dify",status="404"}': 1,
    'quarry_call_duration_seconds_bucket{surface="api",le="+Inf"}': 3,
    'quarry_call_duration_seconds_count{surface="api"}': 3,
    quarry_degraded_total: 0,
    [`quarry_model_tokens_total{direction="input",${modelLabel}}`]: 100,
    [`quarry_model_tokens_total{direction="output",${modelLabel}}`]: 10,
    [`quarry_cost_usd_total{${modelLabel}}`]: 0.5,
    'quarry_files{status="indexed"}': 1,
    'quarry_files{status="error"}': 0,
    quarry_oldest_pending_seconds: 0,
    quarry_passages: 1,
    'quarry_event_deliveries_total{result="failed"}': 1,
    'quarry_limit_used_ratio{limit="service calls day"}': 0,
  });
  const buckets = Object.entries(samples).filter(([series]) =>
    series.includes('_bucket{surface="api"'),
  );
  expect(buckets).toHaveLength(11);
  expect(buckets.map(([, value]) => value)).toEqual(
    buckets.map(([, value]) => value).toSorted((a, b) => a - b),
  );
  // Series have no names of files, tokens, RAGs or paths.
  expect(Object.keys(samples).join()).not.toMatch(/leave|Shop|notes|retrieve/);
  const later = parsed((await member.get("/metrics")).body as string);
  const calls = 'quarry_calls_total{surface="api",status="200"}';
  expect(later[calls]).toBe(samples[calls]);
});

test("only an automation key reads them", async () => {
  const { token } = await panel.create("/tokens", { name: "All", rags: ["*"] });
  expect(outcomeOf(await program(token ?? "").get("/metrics"))).toBe("401 Unauthorized");
  expect(outcomeOf(await call("GET", "/metrics"))).toBe("401 Unauthorized");
  expect(outcomeOf(await call("GET", "/metrics", { headers: { Cookie: panel.cookie } }))).toBe(
    "401 Unauthorized",
  );
  expect((await (await keyOf("admin")).get("/metrics")).status).toBe(200);
});

test("a call writes no row to the database for the request log", async () => {
  const { token } = await panel.create("/tokens", { name: "Rows", rags: ["*"] });
  const counts = noRows();
  const app = createApp(composeServices);
  const bindings = { ...env, DB: countedRows(env.DB, counts) };
  const ask = async () => {
    const context = createExecutionContext();
    const request = new Request(`${ORIGIN}/api/rags/notes/retrieve`, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}` },
      body: JSON.stringify({ semanticSearch: ["leave"] }),
    });
    expect((await app.fetch(request, bindings, context)).status).toBe(200);
    await waitOnExecutionContext(context);
  };
  // The first use of a token is written.
  await ask();
  counts.written = 0;
  await ask();
  expect(counts.written).toBe(0);
});
