import { beforeAll, expect, test } from "vitest";

import { queuesSettled } from "../../support/queues-settled.ts";
import { call, ORIGIN, signedIn } from "../../support/worker-client.ts";
import { admin, beginAsAdmin } from "./archive-world.ts";

const HERE = "/panel/settings/archive";
const headers = () => ({ Cookie: admin.cookie, Origin: ORIGIN, "Sec-Fetch-Site": "same-origin" });
const post = async (path: string, body: FormData | URLSearchParams) =>
  await call("POST", HERE + path, { headers: headers(), body });

/** As a browser sends the form of the page with a chosen file. */
async function upload(bytes: ArrayBuffer | string, values: Record<string, string>) {
  const form = new FormData();
  for (const [name, value] of Object.entries(values)) form.append(name, value);
  form.append("file", new File([bytes], "quarry.zip"));
  const { body, headers: more } = new Response(form);
  const encoded = await new Response(body).arrayBuffer();
  return await call("POST", `${HERE}/import`, {
    headers: {
      ...headers(),
      "Content-Type": more.get("Content-Type") ?? "",
      "Content-Length": String(encoded.byteLength),
    },
    body: encoded,
  });
}

async function exported(choice: Record<string, string>): Promise<ArrayBuffer> {
  const { status, headers: answer } = await post("/export", new URLSearchParams(choice));
  expect(status).toBe(303);
  const location = answer.get("Location") ?? "";
  const { exports } = await import("cloudflare:workers");
  const request = new Request(new URL(location, ORIGIN), { headers: headers() });
  const download = await exports.default.fetch(request);
  expect(download.headers.get("Content-Disposition")).toContain(".zip");
  return await download.arrayBuffer();
}

const formIn = (html: string) => ({
  action: /action="\/panel\/settings\/archive(\/imports\/[^"/]+)"/.exec(html)?.[1] ?? "",
  values: Object.fromEntries(
    [...html.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)].map(
      ([, name = "", value = ""]) => [name, value],
    ),
  ),
});

beforeAll(async () => {
  await beginAsAdmin();
  for (const name of ["Docs", "Notes"]) {
    await admin.folderWithRag(name);
    await admin.put(`/file-sources/${name.toLowerCase()}/files/a.md`, `# ${name}\n\nA stone.`);
  }
  await queuesSettled();
});

test("the page says what an archive of everything has", async () => {
  const { body } = await call("GET", HERE, { headers: headers() });
  const text = String(body).replaceAll(/<!-- -->|\s+/g, " ");
  expect(text).toMatch(/the whole service: 2 files \( ?\d\d bytes ?\) and 2 passages \(about/);
});

test("what is chosen is downloaded; an import shows its changes first", async () => {
  const bytes = await exported({ sources: "docs", vectors: "on" });
  const text = new TextDecoder("latin1").decode(bytes);
  expect(text).toContain("files/docs/a.md");
  expect(text).not.toContain("files/notes/");
  const refusal = await upload(bytes, { onConflict: "refuse" });
  expect(String(refusal.body)).toMatch(/fileSources\.docs.*?taken.*?rags\.docs.*?taken/s);
  const fields = new URLSearchParams({ onConflict: "rename", suffix: "new" });
  const page = await post(formIn(String(refusal.body)).action, fields);
  expect(page.status).toBe(200);
  for (const part of ["rags.docs", "renamed", "docs-new", "1 file, 1 passage, 0 calls"]) {
    expect(page.body).toContain(part);
  }
  expect((await admin.send("GET", "/rags/docs-new")).status).toBe(404);
  const { action, values } = formIn(String(page.body));
  const response = await post(action, new URLSearchParams(values));
  expect(response).toMatchObject({ status: 303 });
  expect((await admin.send("GET", "/rags/docs-new")).body).toMatchObject({ processedFiles: 1 });
  const all = new TextDecoder("latin1").decode(await exported({ access: "on" }));
  expect(all).toContain("files/notes/a.md");
  expect(all).toContain("access.json");
  expect(all).not.toContain("vectors-1.f16");
});

test("an import that nobody confirmed is listed, and given up", async () => {
  const bytes = await exported({ rags: "notes", vectors: "on" });
  await upload(bytes, { onConflict: "replace" });
  const { body: list } = await admin.send("GET", "/archive/imports");
  const unfinished = (list as { data: { id: string; state: string }[] }).data.filter(
    ({ state }) => state !== "done",
  );
  expect(unfinished).toMatchObject([{ state: "checked" }]);
  const page = await call("GET", HERE, { headers: headers() });
  expect(page.body).toContain(`${unfinished[0]?.id}/give-up`);
  await post(`/imports/${unfinished[0]?.id}/give-up`, new URLSearchParams());
  const after = await call("GET", HERE, { headers: headers() });
  expect(after.body).toContain("There are none.");
});

test("a form without a file, and another file, say what is wrong", async () => {
  expect(await post("/import", new FormData())).toMatchObject({ status: 400 });
  const wrong = await upload("no archive", { onConflict: "refuse" });
  expect(wrong).toMatchObject({ status: 400, body: expect.stringContaining("is no zip file") });
  const member = { email: "reader@example.com", password: "quiet amber lantern" };
  await admin.create("/users", { role: "member", ...member });
  const { cookie } = await signedIn(member);
  const options = { headers: { ...headers(), Cookie: cookie } };
  expect((await call("GET", HERE, options)).status).toBe(403);
  const body = new URLSearchParams({ access: "on" });
  expect((await call("POST", `${HERE}/export`, { ...options, body })).status).toBe(403);
});
