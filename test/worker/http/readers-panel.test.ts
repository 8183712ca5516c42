import { env } from "cloudflare:workers";
import { afterAll, beforeAll, expect, test } from "vitest";

import { MOUNTED } from "../../../src/apps.ts";
import { composeServices } from "../../../src/compose.ts";
import { HOUR_MS } from "../../../src/core/time.ts";
import { createApp } from "../../../src/http/app.ts";
import { eventually } from "../../support/eventually.ts";
import { queuesSettled } from "../../support/queues-settled.ts";
import { call, signedIn } from "../../support/worker-client.ts";
import { PANEL_DOORS, type PanelDoor } from "./panel-doors.ts";
import { PROBES, semanticSearch, type Probe } from "./reader-probes.ts";
import {
  ANN,
  as,
  askVault,
  BOB,
  FORBIDDEN,
  filledVault,
  PASSWORD,
  type Caller,
  type Vault,
} from "./reader-vault.ts";

let admin: Vault["panel"];
let callers: Vault["callers"];
let bob: Awaited<ReturnType<typeof signedIn>>;
const ids = { run: "", question: "" };

beforeAll(async () => {
  ({ panel: admin, callers } = await filledVault());
  bob = await signedIn({ email: BOB, password: PASSWORD });
  await admin.create("/question-sets", { name: "secrets", rag: "vault" });
  const question = { question: "boiler code", expected: [{ file: "ann.md" }] };
  await admin.send("POST", "/question-sets/secrets/questions", question);
  const leftOut = { path: "ann.md", excluded: true };
  const { status: answered } = await admin.send("PUT", "/file-sources/vault/exclusions", leftOut);
  expect(answered).toBe(204);
  const { id: run } = await admin.create("/question-sets/secrets/runs", {});
  const { body } = await admin.send("GET", "/question-sets/secrets/questions");
  const { data } = body as { data: { id: string }[] };
  Object.assign(ids, { run, question: data[0]?.id });
  const status = async () =>
    (await admin.send("GET", `/question-sets/secrets/runs/${run}`)).body as { status: string };
  await eventually(async () => expect((await status()).status).toBe("done"));
  // The log keeps whom a call reads for.
  const probe = { path: "/api/rags/vault", visible: null };
  await askVault(callers, { caller: "named", probe, headers: as("eve-k9933@elsewhere.org") });
});

afterAll(queuesSettled);

/** They tell of no file, or only whoever sends it. */
const NO_FILES =
  /^(?:GET|POST|HEAD|OPTIONS) \/(?:health|ready|metrics|robots.txt|assets\/\*|panel\/\*|panel\/api\/openapi.json|api\/docs.*|api\/openapi.*|api\/webhooks\/.*|oauth\/.*|token|register|\.well-known\/.*)?$/;

test("every route of the service is in a table of who is told what", async () => {
  const app = createApp(composeServices);
  for (const { mount } of MOUNTED) await mount(app);
  const routes = app.routes.filter(({ method }) => method !== "ALL");
  const names = new Set(routes.map(({ method, path }) => `${method} ${path}`));
  const probedRoutes = [
    ...Object.keys(PROBES),
    ...PANEL_DOORS.map(({ method, route }) => `${method} ${route}`),
  ];
  expect([...names].filter((name) => !NO_FILES.test(name)).sort()).toEqual(probedRoutes.sort());
});

test("no route names a file that its caller may not read", async () => {
  const readers: [Caller, Record<string, string>][] = [
    ["named", as(BOB)],
    ["named", {}],
    ["none", {}],
    ["bob", {}],
    ["bob's program", {}],
    ["bob's session", {}],
    ["administrator", as(BOB)],
    ["member's key", as(BOB)],
  ];
  for (const probe of Object.values(PROBES).flat()) {
    for (const [caller, headers] of readers) {
      const { text } = await askVault(callers, { caller, probe, headers });
      // A refusal may repeat what the call itself names.
      const observation = {
        caller,
        headers,
        path: probe.path,
        body: probe.body,
        text: text.replaceAll("ann.md", nameFor(probe)),
      };
      expect(observation).not.toMatchObject({ text: expect.stringMatching(FORBIDDEN) });
    }
    if (probe.names === undefined) continue;
    const { text } = await askVault(callers, { caller: "administrator", probe, headers: {} });
    expect(text).toMatch(probe.names);
  }
});

const nameFor = (probe: Probe) =>
  JSON.stringify(probe.body ?? probe.path).includes("ann.md") ? "" : "ann.md";

const scopesFor = async (caller: Caller, headers = {}) => {
  const probe = { path: "/api/rags/vault-part", visible: null };
  const { text } = await askVault(callers, { caller, probe, headers });
  const { fileSourceScopes: scopes } = JSON.parse(text) as {
    fileSourceScopes: { value: string }[];
  };
  return scopes.map(({ value }) => value);
};

test("scopes are told to whoever reads for nobody and may change them", async () => {
  const all = ["ann.md", "hr/", "hr/pay.md", "open.md"];
  expect(await scopesFor("administrator")).toEqual(all);
  for (const caller of ["ann", "bob's session", "named", "none"] as const)
    expect(await scopesFor(caller)).toEqual([]);
  expect(await scopesFor("administrator", as(ANN))).toEqual([]);
});

const NAMES: [RegExp, string][] = [
  [/\/(file-sources|sources)\/:id/, "/$1/vault"],
  [/\/rags\/:id/, "/rags/vault-part"],
  [/\/(question-sets|evaluation)\/:(?:id|set)/, "/$1/secrets"],
  [/\/inferences\/:id/, "/inferences/ask"],
  [/\/agents\/:id/, "/agents/spy"],
  [/\/:path\{[^}]*\}|(?<=files|text)\/\*/, "/hr/pay.md"],
];
const QUERIES: [RegExp, string][] = [
  [/\/file(?:\/\w+)?$/, "?path=hr/pay.md"],
  [/\/compare$/, "?first=RUN&second=RUN"],
  [/\/comparison$/, "?with=RUN"],
  [/^\/panel\/search$/, "?rag=vault&q=boiler+bonus"],
  [/\/(?:audit|log)$/, "?action=rags.read"],
  [/\/(?:passages|preview)$/, "?path=hr/pay.md"],
];
const form = (fields: Record<string, string>) => new URLSearchParams(fields).toString();
const json = (body: object) => JSON.stringify(body);
/** Without one, a change is sent by those alone whom it refuses. */
const BODIES: Record<string, string> = {
  "/panel/api/rags/:id/search": json({ semanticSearch, topK: 50 }),
  "/panel/api/rags/:id/preview": json({ path: "hr/pay.md" }),
  "/panel/api/file-sources/:id/files/:path{.+}/readers/check": json({
    reader: "eve@elsewhere.org",
    groups: ["hr@example.com"],
  }),
  "/panel/search": form({ q: "boiler bonus", with: "inference:ask" }),
  "/panel/inferences/:id/run": form({ q: "boiler bonus" }),
  "/panel/agents/:id/run": form({ q: "boiler bonus" }),
};

/** A route with what there is in place of its parameters. */
function addressOf(route: string): string {
  const path = NAMES.reduce((text, [name, value]) => text.replace(name, value), route)
    .replace(/:run\b/, ids.run)
    .replace(/:question\b/, ids.question);
  const query = QUERIES.find(([pattern]) => pattern.test(path))?.[1] ?? "";
  return path + query.replaceAll("RUN", ids.run);
}

const isApi = (route: string) => route.startsWith("/panel/api/");
/** Who does not sign in to the panel; its pages read no `Authorization`. */
const strangersAt = (route: string): Caller[] =>
  isApi(route) ? ["named", "ann", "ann's program"] : ["named", "key"];

/** Who is told of files that Bob may not read. */
function toldAt({ method, route, access }: PanelDoor): Caller[] {
  if (access === "" || access === "self") return [];
  if (!isApi(route)) return ["administrator"];
  const members = access === "reads" || (access === "files" && method === "GET");
  return ["administrator", "key", ...(members ? ["member's key" as const] : [])];
}

/** Who calls a door, each with the statuses that it may be answered with. */
function callersAt({ method, route, access }: PanelDoor): [Caller, RegExp][] {
  const [isGet, isOwn] = [method === "GET", access === "self"];
  if (isOwn && !isGet) return [];
  const refusal = isOwn ? /./ : /^[34]/;
  const member = access === "reads" ? /^200/ : isGet ? /./ : /^403/;
  const all: [Caller, RegExp][] = strangersAt(route).map((caller) => [caller, refusal]);
  all.push(["bob's session", member]);
  if (isApi(route)) all.push(["member's key", member]);
  if (isGet || route in BODIES) all.push(["administrator", /./]);
  if (isApi(route) && (isGet || route in BODIES)) all.push(["key", /./]);
  return all;
}

async function askDoor({ method, route }: PanelDoor, caller: Caller) {
  const body = method === "GET" ? undefined : (BODIES[route] ?? "{}");
  const type = isApi(route) ? "application/json" : "application/x-www-form-urlencoded";
  const headers = { ...callers.get(caller), "Content-Type": type };
  const { status, body: got } = await call(method, addressOf(route), { headers, body });
  return { status, text: typeof got === "string" ? got : JSON.stringify(got) };
}

test("no route of the panel tells of files that its caller may not read", async () => {
  const wrong: object[] = [];
  for (const door of PANEL_DOORS) {
    const tellers = toldAt(door);
    // One after the other: a module that a route imports belongs to the request that waits for it.
    for (const [caller, statuses] of callersAt(door)) {
      const { status, text } = await askDoor(door, caller);
      const isTold = FORBIDDEN.test(text);
      if (isTold === tellers.includes(caller) && statuses.test(`${status}`)) continue;
      wrong.push({ ...door, caller, status, isTold });
    }
  }
  expect(wrong).toEqual([]);
});

test("the panel counts for a member only files that it may read", async () => {
  const ofVault = "where identifier = 'vault'";
  await env.DB.batch([
    env.DB.prepare(
      `insert into scan_runs (id, file_source_id, started_at)
       select 'run', id, 1 from file_sources ${ofVault}`,
    ),
    env.DB.prepare(
      `update file_sources set scan_run_id = 'run', scan_claimed_until = 9000000000000 ${ofVault}`,
    ),
  ]);
  const counts = async (send: typeof bob.send, cookie: string) => {
    const rags = (await send("GET", "/rags")).body as { data: { totalFiles: number }[] };
    const overview = (await send("GET", "/overview")).body as {
      files?: { indexed: number };
      scansUnderWay?: unknown[];
      queues?: unknown[];
    };
    const sources = (await send("GET", "/file-sources")).body as { total: number };
    const lists = ["/panel/rags", "/panel/sources"].map(
      async (path) => (await call("GET", path, { headers: { Cookie: cookie } })).body,
    );
    const mentions = (await Promise.all(lists)).map((page) => String(page).includes("/vault"));
    const { files, scansUnderWay: scans, queues } = overview;
    const overviewCounts = [files?.indexed, scans?.length, queues?.length];
    return [rags.data[0]?.totalFiles, ...overviewCounts, sources.total, ...mentions];
  };
  expect(await counts(admin.send, admin.cookie)).toEqual([5, 5, 1, 3, 1, true, true]);
  expect(await counts(bob.send, bob.cookie)).toEqual([2, 0, 0, 0, 0, false, false]);
  await env.DB.batch([
    env.DB.prepare(`update file_sources set scan_run_id = null, scan_claimed_until = 0 ${ofVault}`),
    env.DB.prepare("delete from scan_runs where id = 'run'"),
  ]);
});

test("groups count for a member while the provider that told them vouches", async () => {
  const headers = { Cookie: bob.cookie };
  const counts = async () => {
    const files = await call("GET", "/api/rags/vault/files?page=1", { headers });
    const rags = (await bob.send("GET", "/rags")).body as { data: { totalFiles: number }[] };
    return [(files.body as { total: number }).total, rags.data[0]?.totalFiles];
  };
  const ofBob = "(select id from users where email = ?1)";
  await env.DB.prepare(
    `insert into user_identities (user_id, issuer, subject, groups, created_at, checked_at)
     values (${ofBob}, 'https://id.example.com', 'bob', '["HR@example.com"]', 0, 0)`,
  )
    .bind(BOB)
    .run();
  expect(await counts()).toEqual([2, 2]);
  await env.DB.prepare(`update sessions set vouched_until = ?2 where user_id = ${ofBob}`)
    .bind(BOB, Date.now() + HOUR_MS)
    .run();
  expect(await counts()).toEqual([3, 3]);
});

const CHANGING = /nonce="[^"]*"|\d{4}-\d\d-\d\dT[\d:.]+Z|<time.*?<\/time>|[\d.]+ ms/g;
/** They count calls, or order sessions by them, some time after these were made. */
const COUNTS_CALLS =
  /^\/panel(?:\/api\/(?:usage|overview|sessions)|\/account|\/first-steps|\/inferences|\/agents)?$/;

test("files that a member may not read change nothing that the panel tells it", async () => {
  const doors = PANEL_DOORS.filter(
    ({ method, route, access }) =>
      method === "GET" && access !== "self" && !COUNTS_CALLS.test(route),
  );
  const readPages = async () => {
    const all: Record<string, string> = {};
    for (const door of doors) {
      all[door.route] = (await askDoor(door, "bob's session")).text.replaceAll(CHANGING, "");
    }
    return all;
  };
  const before = await readPages();
  const readers = { "X-File-Readers": '["user:ann@example.com"]' };
  for (const [name, text] of Object.entries({ one: "# New\n\nA new boiler.", empty: "" })) {
    await admin.put(`/file-sources/vault/files/new/${name}.md`, text, "text/markdown", readers);
  }
  await admin.send("DELETE", "/file-sources/vault/files/untold.md");
  await queuesSettled();
  expect(await readPages()).toEqual(before);
});
