import { env } from "cloudflare:workers";
import { afterAll, expect, test } from "vitest";

import { Browser } from "../../support/browser-without-script.ts";
import { queuesSettled } from "../../support/queues-settled.ts";
import { call, ORIGIN, signedIn } from "../../support/worker-client.ts";

const PROMPTED = { systemPrompt: "Answer.", model: "embedded/extractive", rags: ["docs"] };
const browser = new Browser();

/** Returns a field's value in a form, as a browser sends it back. */
const fieldIn = (html: string, name: string) =>
  new RegExp(`name="${name}"[^>]* value="([^"]*)"`)
    .exec(html)?.[1]
    ?.replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&") ?? "";

await browser.signIn();
const api = await signedIn();
await api.folderWithRag("Docs");
await api.send("POST", "/inferences", { name: "Ask", ...PROMPTED });
afterAll(queuesSettled);

type Form = {
  path: string;
  /** The record's address in the API, by which somebody else changes it. */
  record: string;
  theirs: Record<string, unknown>;
  shownValues: Record<string, string>;
  mine: Record<string, string>;
  expectedRecord: Record<string, unknown>;
};

/** The records that forms change, each with another's change meanwhile. */
async function forms(): Promise<Form[]> {
  const web = { name: "Site", provider: "web", config: { maxDepth: 2, pushHosts: ["a.test"] } };
  await api.send("POST", "/file-sources", web);
  const person = { email: "reader@quarry.test", role: "member" };
  const { id } = await api.create("/users", { ...person, password: "quiet amber lantern" });
  const user = id;
  const rag = { name: "Docs", chunkSize: "400", chunkOverlap: "60", searchMode: "hybrid" };
  return [
    {
      path: "/panel/inferences/ask/settings",
      record: "/inferences/ask",
      theirs: { systemPrompt: "Theirs.", temperature: 0.5 },
      shownValues: {
        name: "Ask",
        systemPrompt: "Answer.",
        model: "embedded/extractive",
        rags: "docs",
        conversation: "rewrite",
        planning: "off",
      },
      mine: { systemPrompt: "Mine." },
      expectedRecord: { systemPrompt: "Mine.", temperature: null, nativeRag: false },
    },
    {
      path: "/panel/rags/docs/settings",
      record: "/rags/docs",
      theirs: { searchMode: "semantic" },
      shownValues: { ...rag, reranker: "" },
      mine: { name: "Ours" },
      expectedRecord: { name: "Ours", searchMode: "hybrid", reranker: null },
    },
    {
      path: "/panel/sources/site/settings",
      record: "/file-sources/site",
      theirs: { config: { maxDepth: 5 } },
      shownValues: { name: "Site", "config.maxDepth": "2", scanIntervalMinutes: "360" },
      mine: { name: "Our site" },
      expectedRecord: { name: "Our site", config: expect.objectContaining({ maxDepth: 2 }) },
    },
    {
      path: `/panel/settings/users/${user}`,
      record: `/users/${user}`,
      theirs: { role: "admin" },
      shownValues: { ...person, password: "" },
      mine: { email: "reads@quarry.test" },
      expectedRecord: {},
    },
  ];
}

test("a form says that the record has changed, and replaces it when sent again", async () => {
  for (const { path, record, theirs, shownValues, mine, expectedRecord } of await forms()) {
    await browser.open(path);
    const updatedAt = fieldIn(browser.html, "updatedAt");
    await api.send("PATCH", record, theirs);
    const form = { ...shownValues, ...mine };
    expect((await browser.post(path, { ...form, updatedAt })).status).toBe(409);
    expect(browser.html).toContain("Somebody else changed this meanwhile");
    expect(browser.html).toContain(Object.values(mine)[0]);
    const latest = fieldIn(browser.html, "updatedAt");
    expect(Number(latest)).toBeGreaterThan(Number(updatedAt));
    expect((await browser.post(path, { ...form, updatedAt: latest })).location).toBe(path);
    expect((await api.send("GET", record)).body).toMatchObject(expectedRecord);
    await browser.open(path);
    expect(Number(fieldIn(browser.html, "updatedAt"))).toBeGreaterThan(Number(latest));
  }
});

test("the cost of another passage length is asked before the settings are saved", async () => {
  const shownValues = { name: "Docs", chunkSize: "200", chunkOverlap: "60", searchMode: "hybrid" };
  await browser.open("/panel/rags/docs/settings");
  const updatedAt = fieldIn(browser.html, "updatedAt");
  const { location } = await browser.post("/panel/rags/docs/settings", {
    ...shownValues,
    updatedAt,
  });
  expect(location).toMatch(/^\/panel\/rags\/docs\/settings\/cost\?/);
  const fields = [...Object.keys(shownValues), "reranker", "confirmed", "updatedAt"];
  const values = fields.map((name) => [name, fieldIn(browser.html, name)]);
  await browser.post("/panel/rags/docs/settings", Object.fromEntries(values));
  expect(browser.html).toContain("The new index is being built");
  expect((await api.send("GET", "/rags/docs")).body).toMatchObject({
    name: "Docs",
    chunkSize: 200,
  });
});

test("a RAG's page says how far a copy of its source is, and why a step failed", async () => {
  await api.folderWithRag("Copied");
  // Later than now, so that the sweep takes no step of it.
  const copying = "copy_of = id, copy_error = 'storage is full', updated_at = 9e12";
  await env.DB.exec(`update file_sources set ${copying} where identifier = 'copied'`);
  await browser.open("/panel/rags/copied");
  expect(browser.html).toMatch(/still being copied.*0 of.*tried again: storage is full/s);
  await env.DB.exec("update file_sources set copy_of = null where identifier = 'copied'");
  await browser.open("/panel/rags/copied");
  expect(browser.html).not.toContain("being copied");
});

test("two administrators add models at once, and both are in the list, up to its end", async () => {
  const model = { kind: "chat", inputPrice: "1", outputPrice: "2", currency: "EUR" };
  const names = ["openai/a", "openai/b", "openai/c"];
  await Promise.all(
    names.map((name) => browser.post("/panel/settings/models", { ...model, model: name })),
  );
  const { body } = await api.send("GET", "/models");
  expect((body as { model: string }[]).map((entry) => entry.model)).toEqual(names);
  const many = Array.from({ length: 1_000 }, (_, at) => ({
    model: `openai/m-${at}`,
    kind: "chat",
    inputPrice: 1,
    outputPrice: 1,
    currency: "EUR",
  }));
  await api.send("PUT", "/models", many);
  expect((await browser.post("/panel/settings/models", { ...model, model: "a/b" })).status).toBe(
    400,
  );
  expect(browser.html).toContain("at most 1000 models");
  await browser.post("/panel/settings/models", { ...model, model: "openai/m-7" });
  expect(browser.html).toContain("The model is in the list.");
  await api.send("PUT", "/models", []);
});

test("forms that anybody may send are small, and no form has a million fields", async () => {
  const strange = new Browser();
  const long = { theme: "x".repeat(20_000) };
  expect((await strange.post("/panel/theme", long)).status).toBe(413);
  expect((await strange.post("/panel/sign-in", long)).status).toBe(413);
  const headers = { Origin: ORIGIN, Cookie: browser.cookies };
  const type = { "Content-Type": "application/x-www-form-urlencoded" };
  const body = "a=&".repeat(20_001);
  const init = { headers: { ...headers, ...type }, body };
  expect((await call("POST", "/panel/settings/keys", init)).status).toBe(413);
});

test("only somebody who was signed in signs out, and is recorded with their name", async () => {
  // Reads and pushes are gathered, and written when they have ended.
  const events = async () => {
    const { results } = await env.DB.prepare(
      `select id, actor_name as name, action from audit_events
        where action not in ('rags.read', 'file-sources.files.put') order by id`,
    ).all<{ id: string; name: string | null; action: string }>();
    return results;
  };
  const before = await events();
  const stranger = new Browser();
  for (const path of ["/panel/sign-out", "/panel/rags/docs/retry", "/panel/theme"]) {
    await stranger.post(path);
    await stranger.post(path, {}, { Origin: "https://evil.test" });
  }
  expect(await events()).toEqual(before);
  const leaving = await new Browser().signIn();
  await leaving.post("/panel/sign-out");
  await expect
    .poll(async () => (await events()).filter(({ id }) => before.every((old) => old.id !== id)))
    .toContainEqual({
      id: expect.any(String),
      name: "admin@localhost",
      action: "session.sign-out",
    });
  expect((await leaving.open("/panel/account")).status).toBe(303);
});

test("parts of a source are chosen and left out by their exact names, with numbers", async () => {
  for (const path of ["notes/a.md", "%20notes/b.md", "other.md"]) {
    await api.put(`/file-sources/docs/files/${path}`, `# ${path}`);
  }
  await browser.open("/panel/rags/docs/scope/narrow");
  expect(browser.html).toContain("You can add more parts next");
  await browser.post("/panel/rags/docs/scope/narrow", { typed: "on", entry: " notes/" });
  expect(browser.html).toContain("Only the chosen parts are indexed now.");
  const add = { type: "path", typed: "on", value: " notes/ " };
  await browser.post("/panel/rags/docs/scope/add", add);
  const scopes = async () =>
    ((await api.send("GET", "/rags/docs")).body as { scopes: { value: string }[] }).scopes
      .map(({ value }) => value)
      .sort();
  expect(await scopes()).toEqual([" notes/", "notes/"]);
  await browser.open("/panel/rags/docs/scope?path=%20notes/");
  expect(browser.html).toContain("b.md");
  await browser.open("/panel/rags/docs/scope/remove?type=path&value=%20notes/&path=");
  expect(browser.html).toContain("no longer finds its 1 file, unless");
  await browser.post("/panel/rags/docs/scope/remove", { type: "path", value: " notes/" });
  expect(await scopes()).toEqual(["notes/"]);
  await browser.open("/panel/rags/docs/scope/everything");
  expect(browser.html).toContain("Discards 1 choice of folders");
  await browser.post("/panel/rags/docs/scope/everything");
  expect((await api.send("GET", "/rags/docs")).body).toMatchObject({ scopeMode: "global" });
  await browser.open("/panel/sources/docs/file/remove?path=other.md");
  expect(browser.html).toMatch(/Deletes.*other\.md.*10 bytes/s);
});

test("what forms are sent to leads to their page when it is opened", async () => {
  for (const [path, page] of [
    ["/panel/account/password", "/panel/account"],
    ["/panel/account/second-factor/confirm", "/panel/account/second-factor"],
    ["/panel/inferences/ask/run", "/panel/inferences/ask"],
    ["/panel/rags/docs/scope/add", "/panel/rags/docs/scope"],
    ["/panel/sources/docs/upload", "/panel/sources/docs"],
    ["/panel/", "/panel"],
    ["/panel/rags/docs/", "/panel/rags/docs"],
    ["/panel/search/?q=otters&rag=docs", "/panel/search?q=otters&rag=docs"],
    ["/panel/caf%C3%A9%0d%0aX-Y:%20z/", "/panel/caf%C3%A9%0d%0aX-Y:%20z"],
  ]) {
    const { status, headers } = await browser.open(path ?? "");
    expect([path, status, headers.get("Location")]).toEqual([path, 303, page]);
  }
});

test("something called “new” has its own page", async () => {
  await api.send("POST", "/rags", { name: "New", fileSource: "docs" });
  expect((await browser.open("/panel/rags/new")).status).toBe(200);
  expect(browser.html).toContain("What it indexes");
});

test("a key and a model are removed after a question that says what is lost", async () => {
  await browser.post("/panel/settings/keys", { name: "<b>nightly</b>", role: "member" });
  const [, id = ""] = /href="\/panel\/settings\/keys\/([^"/]+)\/remove"/.exec(browser.html) ?? [];
  await browser.open(`/panel/settings/keys/${id}/remove`);
  expect(browser.html).toMatch(/&lt;b&gt;nightly&lt;\/b&gt;<\/bdi> stops working at once/);
  const removal = `/panel/settings/keys/${id}/remove`;
  expect(browser.html).toContain(`action="${removal}"`);
  await browser.post(removal);
  expect(browser.html).toContain("is removed and has stopped working.");
  expect((await browser.open(removal)).status).toBe(404);
  expect((await browser.post(removal)).status).toBe(404);

  const model = { model: "local/x?&y", kind: "chat", currency: "EUR" };
  await browser.post("/panel/settings/models", { ...model, inputPrice: "2", outputPrice: "3.5" });
  const [, link = ""] =
    /href="(\/panel\/settings\/models\/remove\?[^"]+y&[^"]*)"/.exec(browser.html) ?? [];
  await browser.open(link.replaceAll("&amp;", "&"));
  expect(browser.html).toContain("2 EUR for input, 3.5 EUR for output");
  expect(browser.html).toContain('name="model" value="local/x?&amp;y"');
  await browser.post("/panel/settings/models/remove", model);
  expect(browser.html).toContain("The model is no longer in the list.");
  expect(browser.html).not.toContain("local/x?");
  expect((await browser.open("/panel/settings/models/remove?model=none&kind=chat")).status).toBe(
    404,
  );
});
