import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";

import { Browser } from "../../support/browser-without-script.ts";
import { panelWith } from "../../support/panel-with.ts";
import { PAYLOADS, runnable } from "../../support/payloads.ts";
import { call } from "../../support/worker-client.ts";

const MEMBER = { email: "reader@localhost", password: "quiet amber lantern" };

/** Each is signed in once: hashing passwords is slow on purpose. */
const admin = new Browser();
const member = new Browser();

/** Controls, and the mark that turns the direction of what follows. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const HIDDEN = /[\u0000-\u0008\u202E]/;

beforeAll(async () => {
  await admin.signIn();
  await admin.post("/panel/settings", { ...MEMBER, role: "member" });
  await member.signIn(MEMBER.email, MEMBER.password);
});

test("the root leads people to the panel and tells programs what is here", async () => {
  const page = await call("GET", "/", { headers: { Accept: "text/html,*/*" } });
  expect([page.status, page.headers.get("Location")]).toEqual([302, "/panel"]);
  const { body } = await call("GET", "/");
  expect(body).toMatchObject({ name: "Quarry", panel: "http://localhost/panel" });
});

test("the first visit leads from nothing to a RAG, and the overview tells the rest", async () => {
  await admin.open("/panel");
  expect(admin.text).toContain("From nothing to an answer");
  expect((await admin.post("/panel/first-steps/folder")).location).toBe("/panel/sources/documents");
  expect(admin.text).toContain("There are no files yet.");
  await admin.post("/panel/first-steps/rag");
  expect(admin.text).toContain("The RAG is created");
  expect(admin.text).not.toContain("Step 1 of 5");
  expect(admin.html).toMatch(/value="Ask documents".*value="documents" checked=""/s);
  const fields = { systemPrompt: "Answer.", model: "embedded/extractive", rags: "documents" };
  await admin.post("/panel/new/inference", { name: "First", ...fields, nativeRag: "on" });
  await admin.open("/panel/first-steps");
  const [token = ""] = /\/panel\/tokens\/new[^"]*/.exec(admin.html) ?? [];
  await admin.open(token.replaceAll("&amp;", "&"));
  expect(admin.html).toMatch(/value="first".*"documents" checked="".*"first" checked=""/s);
  await admin.post("/panel/inferences/first/remove");
  await admin.open("/panel");
  expect(admin.text).toContain("From nothing to an answer");
  expect((await admin.post("/panel/first-steps/close")).location).toBe("/panel");
  expect(admin.text).not.toMatch(/From nothing to an answer|First steps/);
  await admin.open("/panel/first-steps");
  expect(admin.text).toContain("From nothing to an answer");
});

test("a file is uploaded without a script, listed, read and removed", async () => {
  const form = new FormData();
  form.append("files", new File(["# Leave\n\nThere are 26 days."], "leave.md"));
  form.append("files", new File(["# Out"], "../out.md"));
  const response = await admin.sendRaw("/panel/sources/documents/upload", new Response(form));
  expect(response.location).toBe("/panel/sources/documents");
  expect(admin.text).toMatch(/2 files: 1 uploaded, 1 failed\. \.\.\/out\.md: .*leave\.md/);
  await admin.open("/panel/sources/documents?path=EAVE");
  expect(admin.html).toContain("/panel/sources/documents/file?path=leave.md");
  await admin.open("/panel/sources/documents?path=other");
  expect(admin.text).toContain("No matches.");
  await admin.open("/panel/sources/documents/file?path=leave.md");
  expect(admin.text).toMatch(/27 bytes.*text\/markdown.*Documents (waiting|being read|indexed)/);
  await admin.post("/panel/sources/documents/file/remove", { path: "leave.md" });
  expect(admin.text).toContain("The file is removed");
  await admin.open("/panel/sources/documents/file?path=leave.md");
  expect(admin.text).toContain("The file was deleted.");
});

test("a form that failed keeps what was typed, with the message at its field", async () => {
  const typed = {
    kind: "s3",
    name: "Bucket",
    "config.endpoint": "not an address",
    "config.region": "eu-1",
    "config.bucket": "",
    "config.credentials.secretAccessKey": "top secret",
    scanIntervalMinutes: "360",
  };
  const { status, location } = await admin.post("/panel/new/source", typed);
  expect({ status, location }).toEqual({ status: 400, location: null });
  expect(admin.html).toContain('value="not an address"');
  expect(admin.html).not.toContain("top secret");
  const problemAt = (field: string) =>
    new RegExp(`id="field-${field}-problem">([^<]*)<`).exec(admin.html)?.[1];
  expect(problemAt("config-bucket")).toBe("Bucket is required");
  expect(problemAt("config-endpoint")).toMatch(/^Endpoint must be/);
  expect(problemAt("config-credentials-accessKeyId")).toMatch(/required/);

  const unready = { name: "Ask", systemPrompt: "Answer.", model: "local/llama" };
  await admin.post("/panel/new/inference", unready);
  expect(problemAt("model")).toMatch(/^Model local\/llama needs the setting/);
});

test("a member sees every page, and is offered nothing to change", async () => {
  for (const path of [
    "/panel",
    "/panel/sources",
    "/panel/sources/documents",
    "/panel/sources/documents/settings",
    "/panel/settings",
    "/panel/settings/keys",
    "/panel/settings/models",
    "/panel/first-steps",
    "/panel/account",
  ]) {
    expect({ path, status: (await member.open(path)).status }).toEqual({ path, status: 200 });
    const forms = [...member.html.matchAll(/<form method="post" action="([^"]+)"/g)];
    const own = /^\/panel\/(account\/|theme$|sign-out$|first-steps\/close$)/;
    expect(forms.map(([, to = ""]) => to).filter((to) => !own.test(to))).toEqual([]);
    expect(member.html).not.toMatch(/href="[^"]*\/(new|remove)[/?"]/);
  }
  expect((await member.post("/panel/new/source", { name: "Mine" })).status).toBe(403);
  expect((await member.open("/panel/settings/log")).status).toBe(403);
  expect((await member.open("/panel/new/source")).status).toBe(403);
  expect((await member.open("/panel/settings/models/remove")).status).toBe(403);
});

test("a key is shown once, with where it belongs", async () => {
  const fields = { name: "ci", role: "member", expiresAt: "2999-12-30" };
  const { location } = await admin.post("/panel/settings/keys", fields);
  expect(location).toBe("/panel/settings/keys");
  expect(admin.html).toMatch(/qrya_[0-9A-Za-z]{38}/);
  expect(admin.html).toContain("2999-12-30T23:59:59");
  await admin.open("/panel/settings/keys");
  expect(admin.html).not.toContain("qrya_");
});

test("a new source shows its webhook's secret, and why it cannot be read", async () => {
  const unreachable = { "config.apiBaseUrl": "https://github.invalid" };
  const config = { "config.owner": "acme", "config.credentials": "github_pat_x", ...unreachable };
  const source = { kind: "github", name: "Code", ...config };
  await admin.post("/panel/new/source", { ...source, "config.owner": "https://github.com/acme" });
  expect(admin.text).toContain("Owner must be the name alone, without an address");
  await admin.post("/panel/new/source", source);
  expect(admin.html).toMatch(/qryw_[0-9A-Za-z]{38}/);
  const failed =
    "The source is created. The connection to github.invalid failed (a name that is unknown";
  expect(admin.text).toContain(failed);
});

test("a source is removed only by its name, and not while a RAG uses it", async () => {
  await admin.post("/panel/new/source", { kind: "file_system", name: "Old folder" });
  const remove = "/panel/sources/old-folder/remove";
  expect((await admin.post(remove, { confirmation: "old" })).status).toBe(400);
  expect(admin.text).toContain("Name must match");
  expect((await admin.post(remove, { confirmation: "Old folder" })).location).toBe(
    "/panel/sources",
  );
  expect(admin.text).toContain("“Old folder” is removed.");
  const used = await admin.post("/panel/sources/documents/remove", { confirmation: "Documents" });
  expect(used.status).toBe(409);
  await admin.open("/panel/sources/documents/settings");
  expect(admin.text).toContain("1 RAG uses it. Remove it first: Documents");
  expect(admin.html).toContain('href="/panel/rags/documents"');
});

test("a model gets a price, a changed one, and leaves the list", async () => {
  const model = { model: "openai/x", kind: "chat", inputPrice: "1", outputPrice: "2" };
  await admin.post("/panel/settings/models", { ...model, currency: "usd" });
  await admin.post("/panel/settings/models", { ...model, outputPrice: "3", currency: "EUR" });
  expect(admin.text).toMatch(/openai\/x chat 1 EUR 3 EUR/);
  await admin.post("/panel/settings/models", { ...model, inputPrice: "cheap", currency: "EUR" });
  expect(admin.text).toContain("Price of input must be a number");
  await admin.post("/panel/settings/models/remove", { model: "openai/x", kind: "chat" });
  expect(admin.text).toContain("The list is empty.");
});

test("what was done through pages is told as what was done through the API", async () => {
  await admin.open("/panel/settings/log");
  const text = admin.text;
  for (const action of ["users.create", "keys.create", "file-sources.remove", "models.put"]) {
    expect(text).toContain(action);
  }
  expect(text).toMatch(/reader@localhost panel\.refused|panel\.refused.*refused, 403/);
  await admin.open("/panel/settings/log?action=keys.create");
  expect(admin.text).not.toContain("models.put");
});

test("a page reads as many rows of 3,000 files and events as of 300", async () => {
  const open = panelWith();
  const rowsOf = async (path: string) => {
    const { status, read: rows } = await open(path, { cookie: admin.cookies });
    expect({ path, status }).toEqual({ path, status: 200 });
    return rows;
  };
  const paths = [
    "/panel",
    "/panel/sources",
    "/panel/sources/many",
    "/panel/sources/many?path=folder/1",
    "/panel/sources/many?status=error",
    "/panel/sources/many/file?path=folder/1.md",
    "/panel/settings",
    "/panel/settings/log",
  ];
  await admin.post("/panel/new/source", { kind: "file_system", name: "Many" });
  await addFiles(0, 300);
  const before = await readAll(paths, rowsOf);
  await addFiles(300, 3_000);
  const after = await readAll(paths, rowsOf);
  const grown = paths.filter((path) => (after[path] ?? 0) > (before[path] ?? 0) + 5);
  expect(grown).toEqual([]);
});

async function readAll(paths: string[], rowsOf: (path: string) => Promise<number>) {
  const rows: Record<string, number> = {};
  for (const path of paths) rows[path] = await rowsOf(path);
  return rows;
}

/** Files of the source `many`, half of which failed in a RAG of it, and as many events. */
async function addFiles(from: number, to: number): Promise<void> {
  const numbers = `with recursive n(i) as (select ${from} union all select i + 1 from n where i < ${to - 1})`;
  const source = "(select id from file_sources where identifier = 'many')";
  const rag = "(select id from rags where identifier = 'documents')";
  await env.DB.batch(
    [
      `update rags set file_source_id = ${source} where identifier = 'documents'`,
      `${numbers} insert into files (id, file_source_id, path, name, size, mime_type, version,
         metadata, created_at)
       select 'many-' || i, ${source}, 'folder/' || i || '.md', i || '.md', 1, 'text/markdown',
         '1', '{}', 0 from n`,
      `${numbers} insert into rag_files (rag_id, generation, file_id, path, status, revision,
         error_message)
       select ${rag}, 1, 'many-' || i, 'folder/' || i || '.md',
         case i % 2 when 0 then 'error' else 'indexed' end, 1, 'damaged' from n`,
      `${numbers} insert into audit_events (id, at, actor_kind, action, fields, status, address,
         request_id)
       select 'many-' || i, i, 'none', 'x', '[]', 200, '', '' from n`,
    ].map((sql) => env.DB.prepare(sql)),
  );
}

test("nothing that strangers wrote runs, in any field that is shown", async () => {
  const pages = new Set([
    "/panel",
    "/panel/sources",
    "/panel/settings/keys",
    "/panel/settings/log",
  ]);
  for (const [at, payload] of PAYLOADS.entries()) {
    const identifier = `hostile-${at}`;
    const folder = { kind: "file_system", name: payload, identifier };
    const response = await admin.post("/panel/new/source", folder);
    expect(response.location).toBe(`/panel/sources/${identifier}`);
    expect({ payload, run: runnable(admin.html) }).toEqual({ payload, run: [] });
    await admin.post("/panel/settings/keys", { name: payload, role: "member" });
    for (const tab of ["", "/settings"]) pages.add(`/panel/sources/${identifier}${tab}`);
    pages.add(`/panel/sources/documents?path=${encodeURIComponent(payload)}`);
    pages.add(`/panel/settings/log?action=${encodeURIComponent(payload)}`);
  }
  await env.DB.prepare(
    `insert into files (id, file_source_id, path, url, name, size, mime_type, version, metadata,
       created_at)
     select 'hostile-' || key, (select id from file_sources where identifier = 'documents'),
       value, value, value, 1, value, '1', '{}', 0 from json_each(?1)`,
  )
    .bind(JSON.stringify(PAYLOADS))
    .run();
  await env.DB.prepare(
    `insert into scan_runs (id, file_source_id, started_at, finished_at, error)
     select 'run-' || key, (select id from file_sources where identifier = 'hostile-0'), key, key,
       value from json_each(?1)`,
  )
    .bind(JSON.stringify(PAYLOADS))
    .run();
  await env.DB.prepare(
    `insert into rag_files (rag_id, generation, file_id, path, status, revision, error_message,
       notes)
     select (select id from rags where identifier = 'documents'), 1, 'hostile-' || key, value,
       'error', 1, value, json_array(value) from json_each(?1)`,
  )
    .bind(JSON.stringify(PAYLOADS))
    .run();
  pages.add("/panel/sources/hostile-0/runs").add("/panel/sources/documents");
  pages.add("/panel/rags/documents").add("/panel/rags");
  for (const payload of PAYLOADS) {
    pages.add(`/panel/sources/documents/file?path=${encodeURIComponent(payload)}`);
  }
  for (const path of pages) {
    const { status } = await admin.open(path);
    const observation = {
      path,
      status,
      run: runnable(admin.html),
      hidden: HIDDEN.test(admin.text),
    };
    expect(observation).toEqual({ path, status: 200, run: [], hidden: false });
  }
});
