import { env } from "cloudflare:workers";
import { afterAll, beforeAll, expect, test, vi } from "vitest";

import { HOUR_MS } from "../../../src/core/time.ts";
import { panelApi } from "../../../src/panel/api/app.ts";
import { panelPages } from "../../../src/panel/pages/app.ts";
import { queuesSettled } from "../../support/queues-settled.ts";
import { call, signedIn } from "../../support/worker-client.ts";
import { BOB, filledVault } from "./reader-vault.ts";

/** What only readers of other files than Bob's may know. */
const FORBIDDEN = /ann\.md|pay\.md|untold\.md|8822|9933/;
const MEMBER = { email: BOB, password: "correct horse battery", role: "member" };

let admin: Awaited<ReturnType<typeof signedIn>>;
let bob: Awaited<ReturnType<typeof signedIn>>;
const ids = { run: "", question: "" };

beforeAll(async () => {
  ({ panel: admin } = await filledVault());
  await admin.send("POST", "/users", MEMBER);
  bob = await signedIn(MEMBER);
  const scopes = [{ type: "path", value: "ann.md" }];
  await admin.made("/rags", { name: "vault-part", fileSource: "vault", scopes });
  await admin.made("/question-sets", { name: "secrets", rag: "vault" });
  const asked = { question: "boiler code", expected: [{ file: "ann.md" }] };
  await admin.send("POST", "/question-sets/secrets/questions", asked);
  const leftOut = { path: "ann.md", excluded: true };
  const { status: answered } = await admin.send("PUT", "/file-sources/vault/exclusions", leftOut);
  expect(answered).toBe(204);
  const { id: run } = await admin.made("/question-sets/secrets/runs", {});
  const { body } = await admin.send("GET", "/question-sets/secrets/questions");
  const { data } = body as { data: { id: string }[] };
  Object.assign(ids, { run, question: data[0]?.id });
  const status = async () =>
    (await admin.send("GET", `/question-sets/secrets/runs/${run}`)).body as { status: string };
  await vi.waitFor(async () => expect((await status()).status).toBe("done"), 60_000);
}, 180_000);

afterAll(queuesSettled);

const NAMES: [RegExp, string][] = [
  [/^(\/(?:file-sources|sources|rags)\/):id/, "$1vault"],
  [/^(\/(?:question-sets|evaluation)\/):(?:id|set)/, "$1secrets"],
  [/^(\/inferences\/):id/, "$1ask"],
  [/^(\/agents\/):id/, "$1spy"],
  [/:path(?:\{[^}]*\})?/, "ann.md"],
];
const QUERIES: [RegExp, string][] = [
  [/\/file(?:\/original)?$/, "?path=ann.md"],
  [/\/compare$/, "?first=RUN&second=RUN"],
  [/\/comparison$/, "?with=RUN"],
  [/^\/search$/, "?rag=vault&q=boiler+bonus"],
  [/\/passages$/, "?file=ann.md"],
  [/\/preview$/, "?path=ann.md"],
];

/** A route with what there is in place of its parameters. */
function addressOf(route: string): string {
  const path = NAMES.reduce((text, [name, value]) => text.replace(name, value), route)
    .replace(/:run\b/, ids.run)
    .replace(/:question\b/, ids.question);
  const query = QUERIES.find(([of]) => of.test(path))?.[1] ?? "";
  return path + query.replaceAll("RUN", ids.run);
}

const reading = ({ routes }: { routes: { method: string; path: string }[] }) => [
  ...new Set(
    routes
      .filter(({ method, path }) => method === "GET" && !path.includes("*"))
      .map(({ path }) => path),
  ),
];

test("no page or answer of the panel tells a member of files that it may not read", async () => {
  const all = [
    ...reading(panelApi()).map((path) => ["/panel/api", path] as const),
    ...reading(panelPages()).map((path) => ["/panel", path] as const),
  ];
  const told: string[] = [];
  for (const [app, route] of all) {
    const address = app + addressOf(route);
    const seenBy = async (cookie: string) => {
      const { body } = await call("GET", address, { headers: { Cookie: cookie } });
      return typeof body === "string" ? body : JSON.stringify(body);
    };
    expect({ address, body: await seenBy(bob.cookie) }).not.toMatchObject({
      body: expect.stringMatching(FORBIDDEN),
    });
    if (FORBIDDEN.test(await seenBy(admin.cookie))) told.push(app + route);
  }
  // Otherwise nothing was asked for; the log is written after the answers that it is about.
  expect(told.filter((route) => !/\/(?:audit|log)$/.test(route)).sort()).toEqual([
    "/panel/api/file-sources/:id/exclusions",
    "/panel/api/file-sources/:id/files",
    "/panel/api/file-sources/:id/folders",
    "/panel/api/file-sources/:id/manifest",
    "/panel/api/file-sources/:id/permissions",
    "/panel/api/question-sets/:id/export",
    "/panel/api/question-sets/:id/questions",
    "/panel/api/question-sets/:id/runs/:run/results",
    "/panel/api/rags",
    "/panel/evaluation/:set",
    "/panel/evaluation/:set/questions/:question",
    "/panel/evaluation/:set/runs/:run",
    "/panel/rags/:id/preview",
    "/panel/rags/:id/scope/narrow",
    "/panel/search",
    "/panel/sources/:id",
    "/panel/sources/:id/file",
    "/panel/sources/:id/files.csv",
    "/panel/sources/:id/left-out",
    "/panel/sources/:id/permissions",
  ]);
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
    };
    const sources = (await send("GET", "/file-sources")).body as { total: number };
    const lists = ["/panel/rags", "/panel/sources"].map(
      async (path) => (await call("GET", path, { headers: { Cookie: cookie } })).body,
    );
    const named = (await Promise.all(lists)).map((page) => String(page).includes("/vault"));
    const told = [overview.files?.indexed, overview.scansUnderWay?.length];
    return [rags.data[0]?.totalFiles, ...told, sources.total, ...named];
  };
  expect(await counts(admin.send, admin.cookie)).toEqual([5, 5, 1, 1, true, true]);
  expect(await counts(bob.send, bob.cookie)).toEqual([2, 0, 0, 0, false, false]);
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
