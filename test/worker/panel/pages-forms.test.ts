import { env } from "cloudflare:workers";
import { afterAll, beforeAll, expect, test } from "vitest";

import { Browser } from "../../support/browser-without-script.ts";
import { queuesSettled } from "../../support/queues-settled.ts";
import { call, ORIGIN, signedIn } from "../../support/worker-client.ts";

const PROMPTED = { systemPrompt: "Answer.", model: "embedded/extractive", rags: ["docs"] };
const browser = new Browser();
let api: Awaited<ReturnType<typeof signedIn>>;

/** What a form was shown with, as its browser sends it back. */
const fieldIn = (html: string, name: string) =>
  new RegExp(`name="${name}"[^>]* value="([^"]*)"`)
    .exec(html)?.[1]
    ?.replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&") ?? "";

beforeAll(async () => {
  await browser.signIn();
  api = await signedIn();
  await api.send("POST", "/file-sources", { name: "Docs", provider: "file_system" });
  await api.send("POST", "/rags", { name: "Docs", fileSource: "docs" });
  await api.send("POST", "/inferences", { name: "Ask", ...PROMPTED });
});
afterAll(queuesSettled);

/** Opens a form, lets the API change the record meanwhile, and sends what was changed in the form. */
async function edit(path: string, shown: Record<string, string>, change: Record<string, string>) {
  await browser.open(path);
  const seen = fieldIn(browser.html, "seen");
  expect(seen).not.toBe("");
  return async () => await browser.post(path, { ...shown, ...change, seen });
}

test("a form undoes nothing that was saved since it was opened", async () => {
  const asShown = { name: "Ask", systemPrompt: "Answer.", model: "embedded/extractive" };
  const rest = { ...asShown, rags: "docs", nativeRag: "on", temperature: "", maxOutputTokens: "" };
  const send = await edit("/panel/inferences/ask/settings", rest, { systemPrompt: "Be brief." });
  await api.send("PATCH", "/inferences/ask", { name: "Renamed", temperature: 0.5 });
  expect((await send()).location).toBe("/panel/inferences/ask");
  expect((await api.send("GET", "/inferences/ask")).body).toMatchObject({
    name: "Renamed",
    systemPrompt: "Be brief.",
    temperature: 0.5,
    rags: ["docs"],
    nativeRag: true,
  });
});

test("where two changed the same field the second is told, and decides", async () => {
  const path = "/panel/inferences/ask/settings";
  const shown = { name: "Renamed", model: "embedded/extractive", rags: "docs", temperature: "0.5" };
  const mine = { systemPrompt: "Mine." };
  const send = await edit(path, { ...shown, nativeRag: "on", maxOutputTokens: "" }, mine);
  await api.send("PATCH", "/inferences/ask", { systemPrompt: "Theirs." });
  expect((await send()).status).toBe(409);
  expect(browser.html).toContain("System prompt was changed by somebody else meanwhile");
  expect(browser.html).toContain("Mine.</textarea>");
  const again = { ...shown, ...mine, nativeRag: "on", seen: fieldIn(browser.html, "seen") };
  expect((await browser.post(path, again)).location).toBe("/panel/inferences/ask");
  expect((await api.send("GET", "/inferences/ask")).body).toMatchObject({ systemPrompt: "Mine." });
});

test("settings of a RAG, a source and a user are kept in the same way", async () => {
  const rag = { name: "Docs", chunkSize: "400", chunkOverlap: "60", searchMode: "hybrid" };
  const sendRag = await edit("/panel/rags/docs/settings", { ...rag, reranker: "" }, { name: "R" });
  await api.send("PATCH", "/rags/docs", { searchMode: "semantic" });
  expect((await sendRag()).location).toBe("/panel/rags/docs");
  expect((await api.send("GET", "/rags/docs")).body).toMatchObject({
    name: "R",
    searchMode: "semantic",
  });

  const web = { name: "Site", provider: "web", config: { maxDepth: 2, pushHosts: ["a.test"] } };
  await api.send("POST", "/file-sources", web);
  const site = { name: "Site", "config.maxDepth": "2", "config.pushHosts": "a.test" };
  const shown = { ...site, scanIntervalMinutes: "360" };
  const sendSite = await edit("/panel/sources/site/settings", shown, { name: "Our site" });
  await api.send("PATCH", "/file-sources/site", { config: { maxDepth: 5 } });
  await sendSite();
  expect((await api.send("GET", "/file-sources/site")).body).toMatchObject({
    name: "Our site",
    config: { maxDepth: 5 },
  });

  const person = { email: "reader@quarry.test", role: "member" };
  const made = await api.send("POST", "/users", { ...person, password: "quiet amber lantern" });
  const { id } = made.body as { id: string };
  const path = `/panel/settings/users/${id}`;
  const sendUser = await edit(path, { ...person, password: "" }, { email: "reads@quarry.test" });
  await api.send("PATCH", `/users/${id}`, { role: "admin" });
  await sendUser();
  await browser.open(path);
  expect(fieldIn(browser.html, "email")).toBe("reads@quarry.test");
  expect(browser.html).toContain('<option value="admin" selected="">');
});

test("the cost of another passage length is asked with this form's change only", async () => {
  const shown = { name: "R", chunkSize: "400", chunkOverlap: "60", searchMode: "semantic" };
  const send = await edit("/panel/rags/docs/settings", shown, { chunkSize: "200" });
  const { location } = await send();
  expect(location).toMatch(/^\/panel\/rags\/docs\/settings\/cost\?/);
  await api.send("PATCH", "/rags/docs", { name: "Docs" });
  const fields = ["name", "chunkSize", "chunkOverlap", "reranker", "searchMode", "confirmed"];
  const values = [...fields, "seen"].map((name) => [name, fieldIn(browser.html, name)]);
  await browser.post("/panel/rags/docs/settings", Object.fromEntries(values));
  expect(browser.html).toContain("The new index is being built");
  expect((await api.send("GET", "/rags/docs")).body).toMatchObject({ name: "Docs" });
});

test("two administrators add models at once, and both are in the list, up to its end", async () => {
  const model = { kind: "chat", inputPrice: "1", outputPrice: "2", currency: "EUR" };
  const names = ["openai/a", "openai/b", "openai/c"];
  await Promise.all(
    names.map((name) => browser.post("/panel/settings/models", { ...model, model: name })),
  );
  const { body } = await api.send("GET", "/models");
  expect((body as { model: string }[]).map((one) => one.model)).toEqual(names);
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
  const sent = { headers: { ...headers, ...type }, body };
  expect((await call("POST", "/panel/settings/keys", sent)).status).toBe(413);
});

test("only somebody who was signed in signs out, and is recorded with their name", async () => {
  const events = async () => {
    const { results } = await env.DB.prepare(
      "select actor_name as name, action from audit_events order by id",
    ).all<{ name: string | null; action: string }>();
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
  expect((await events()).at(-1)).toEqual({ name: "admin@localhost", action: "session.sign-out" });
  expect((await leaving.open("/panel/account")).status).toBe(303);
});

test("parts of a source are chosen and left out by their exact names, with numbers", async () => {
  for (const path of ["notes/a.md", "%20notes/b.md", "other.md"]) {
    await api.put(`/file-sources/docs/files/${path}`, `# ${path}`);
  }
  await browser.open("/panel/rags/docs/scope/narrow");
  expect(browser.html).toContain("stay in the index");
  await browser.post("/panel/rags/docs/scope/narrow", { typed: "on", entry: " notes/" });
  expect(browser.html).toContain("Only what is chosen is indexed now.");
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
  expect(browser.html).toContain("1 file of it is no longer found");
  await browser.post("/panel/rags/docs/scope/remove", { type: "path", value: " notes/" });
  expect(await scopes()).toEqual(["notes/"]);
  await browser.open("/panel/rags/docs/scope/everything");
  expect(browser.html).toContain("Forgets 1 choice of folders");
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
