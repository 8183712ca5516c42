import { env } from "cloudflare:workers";
import { afterAll, beforeAll, expect, test, vi } from "vitest";

import { joinBytes } from "../../../src/core/bytes/join-bytes.ts";
import { readDirectory, readEntry } from "../../../src/core/bytes/zip/read-zip.ts";
import { writeZip } from "../../../src/core/bytes/zip/write-zip.ts";
import { sha256Hex } from "../../../src/core/hash.ts";
import { readPlan, storePlan } from "../../../src/panel/archive/plan-import.ts";
import { renameThings } from "../../../src/panel/archive/rename-things.ts";
import { queuesSettled } from "../../support/queues-settled.ts";
import { rowsOf } from "../../support/statements.ts";
import { signedIn, outcomeOf } from "../../support/worker-client.ts";
import { admin, beginAsAdmin, exported, imported, send } from "./archive-world.ts";

type Parts = Map<string, Uint8Array>;
const encode = (text: string) => new TextEncoder().encode(text);
const decode = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes);

let good: Uint8Array<ArrayBuffer>;
let parts: Parts;
let keysBefore: string[];
const storedKeys = async () => (await env.FILES.list()).objects.map(({ key }) => key);

beforeAll(async () => {
  await beginAsAdmin();
  await admin.folderWithRag("Refused");
  const texts = { "a.md": "# Alpha\n\nThe first stone.", "b.md": "# Beta\n\nThe second stone." };
  for (const [path, text] of Object.entries(texts)) {
    await admin.put(`/file-sources/refused/files/${path}`, text);
  }
  await queuesSettled();
  good = await exported("rags=refused");
  parts = await partsOf(good);
  await admin.send("DELETE", "/rags/refused");
  await admin.send("DELETE", "/file-sources/refused");
  await queuesSettled();
  keysBefore = await storedKeys();
});
afterAll(queuesSettled);

async function partsOf(bytes: Uint8Array): Promise<Parts> {
  const slice = async (offset: number, length: number) => bytes.subarray(offset, offset + length);
  const all: Parts = new Map();
  for (const [name, entry] of await readDirectory(slice, bytes.length)) {
    all.set(name, (await readEntry(slice, entry)).slice());
  }
  return all;
}

async function zipOf(entries: Iterable<[string, Uint8Array]>): Promise<Uint8Array<ArrayBuffer>> {
  async function* files() {
    for (const [name, content] of entries) yield { name, content };
  }
  const pieces: Uint8Array[] = [];
  for await (const piece of writeZip(files(), new Date(0))) pieces.push(piece);
  return joinBytes(pieces);
}

type Change = (parts: Parts, manifest: Record<string, unknown>) => void;

/** The archive with other parts, whose hashes the manifest names. */
async function changed(change: Change, rehashes = true): Promise<Uint8Array<ArrayBuffer>> {
  const all = new Map(parts);
  const manifest = JSON.parse(decode(all.get("manifest.json"))) as Record<string, unknown>;
  all.delete("manifest.json");
  change(all, manifest);
  if (rehashes) {
    const hashes = Array.from(all, async ([name, content]) => [
      name,
      await sha256Hex(content as Uint8Array<ArrayBuffer>),
    ]);
    manifest["parts"] = Object.fromEntries(await Promise.all(hashes));
  }
  return await zipOf([...all, ["manifest.json", encode(JSON.stringify(manifest))]]);
}

/** The archive with other bytes in the directory's record of its `nth` file. */
function directoryWith(nth: number, change: (view: DataView, at: number) => void) {
  const bytes = good.slice();
  const view = new DataView(bytes.buffer);
  let at = view.getUint32(bytes.length - 6, true);
  for (let skipped = 0; skipped < nth; skipped++) at += 46 + view.getUint16(at + 28, true);
  change(view, at);
  return Promise.resolve(bytes);
}

const set =
  (name: RegExp, content: (before: string) => string | Uint8Array): Change =>
  (all) => {
    for (const [key, bytes] of all) {
      const after = name.test(key) ? content(decode(bytes)) : bytes;
      all.set(key, typeof after === "string" ? encode(after) : after);
    }
  };
const without =
  (name: RegExp): Change =>
  (all) => {
    for (const key of all.keys()) if (name.test(key)) all.delete(key);
  };

const replaced = (name: RegExp, from: string | RegExp, to: string) => () =>
  changed(set(name, (text) => text.replace(from, to)));
const NOT_NUMBERS = () => new Uint8Array(9_999).fill(255);

const HOSTILE: [title: string, make: () => Promise<Uint8Array<ArrayBuffer>>, sentence: RegExp][] = [
  ["nothing", async () => new Uint8Array(), /is cut off, or is no zip file/],
  ["an archive that is cut off", async () => good.slice(0, -100), /is cut off/],
  ["a middle without its beginning", async () => good.slice(300), /directory|overlapping|cut off/],
  [
    "something else",
    async () => encode("x".repeat(90_000)) as Uint8Array<ArrayBuffer>,
    /is no zip file/,
  ],
  ["a foreign zip file", () => zipOf([["readme.txt", encode("hi")]]), /is none of Quarry/],
  ["a later format", () => changed((_, manifest) => (manifest["format"] = 2)), /has format 2/],
  [
    "a manifest that is no JSON",
    () => zipOf([["manifest.json", encode("{")]]),
    /damaged part: manifest.json/,
  ],
  [
    "another byte in a part",
    () =>
      changed(
        set(/b\.md$/, () => "# Other"),
        false,
      ),
    /damaged part: files\/refused\/b.md/,
  ],
  ["a file of another hash", replaced(/b\.md$/, "Beta", "Zeta"), /refused.jsonl \(sha256/],
  ["a time that is none", replaced(/d\.jsonl/, /"modifiedAt":/, "$&886"), /\(modifiedAt\)/],
  ["a part less", () => changed(without(/b\.md$/), false), /lacks a part: files\/refused\/b.md/],
  [
    "a part more",
    () => changed((all) => all.set("files/refused/c.md", encode("c")), false),
    /without a hash/,
  ],
  [
    "a part of an unknown kind",
    () => changed((all) => all.set("run.sh", encode("c"))),
    /unknown kind: run.sh/,
  ],
  [
    "a path upwards",
    () => changed((all) => all.set("files/refused/../../x", encode("c"))),
    /leads out/,
  ],
  ["an absolute path", () => changed((all) => all.set("/etc/passwd", encode("c"))), /leads out/],
  ["a path of Windows", () => changed((all) => all.set("C:\\x", encode("c"))), /leads out/],
  [
    "a name twice",
    () => zipOf([...parts, ["settings.json", encode("{}")]]),
    /has settings.json twice/,
  ],
  [
    "a compressed file",
    () => directoryWith(1, (view, at) => view.setUint16(at + 10, 8, true)),
    /has a compressed file/,
  ],
  [
    "a bomb",
    () =>
      directoryWith(1, (view, at) => {
        view.setUint32(at + 20, 2 ** 32 - 2, true);
        view.setUint32(at + 24, 2 ** 32 - 2, true);
      }),
    /overlapping/,
  ],
  [
    "an encrypted file",
    () => directoryWith(0, (view, at) => view.setUint16(at + 8, 0x801, true)),
    /has an encrypted file/,
  ],
  [
    "files that share bytes",
    () => directoryWith(1, (view, at) => view.setUint32(at + 42, 0, true)),
    /overlapping/,
  ],
  [
    "a damaged directory",
    () => directoryWith(1, (view, at) => view.setUint32(at, 0, true)),
    /damaged directory/,
  ],
  [
    "other settings",
    () => changed(set(/settings/, () => "{}")),
    /lacks settings: fileSources.refused/,
  ],
  [
    "settings of no kind",
    () => changed(set(/settings/, () => "[]")),
    /damaged part: settings.json/,
  ],
  ["a damaged listing", replaced(/d\.jsonl/, "path", "pfad"), /files\/refused.jsonl \(path\)/],
  [
    "a damaged passage",
    () => changed(set(/passages/, () => "{}\n")),
    /damaged part: rags\/refused\/passages-1.jsonl/,
  ],
  [
    "vectors that are cut off",
    () => changed(set(/vectors/, () => new Uint8Array(100))),
    /lacks vectors/,
  ],
  ["vectors that are no numbers", () => changed(set(/vectors/, NOT_NUMBERS)), /wrong vectors/],
  [
    "settings that this service refuses",
    () =>
      changed(
        set(/^settings\.json$/, (before) =>
          JSON.stringify({
            ...(JSON.parse(before) as object),
            agents: { helper: { name: "", systemPrompt: "", model: "none", rags: ["refused"] } },
          }),
        ),
      ),
    /agents\.helper\.name .*agents\.helper\.model/,
  ],
  [
    "questions without a set",
    () => changed((all) => all.set("questions/none.jsonl", encode("{}\n"))),
    /lacks settings: questionSets.none/,
  ],
  [
    "a user who is none",
    () => changed((all) => all.set("access.json", encode('{"users":[{"email":"x"}]}'))),
    /damaged part: access.json \(users.0/,
  ],
  ["a file less", () => changed(without(/a\.md$/)), /lacks a part: files\/refused\/a.md/],
  ["passages less", () => changed(without(/passages|vectors/)), /lacks passages: rags.refused/],
];

const COUNTS = `select (select count(*) from archive_imports) + (select count(*) from archive_files)
  + (select count(*) from file_sources where identifier = 'refused' and removed_at is null)
  + (select count(*) from rags where removed_at is null and identifier = 'refused') as count`;

test.each(HOSTILE)("%s is refused and leaves nothing", async (_, make, sentence) => {
  const answer = await send(await make());
  expect(outcomeOf(answer)).toMatch(/^400 /);
  expect(outcomeOf(answer)).toMatch(sentence);
  const [row] = await rowsOf<{ count: number }>(COUNTS);
  expect(row?.count).toBe(0);
  expect(await storedKeys()).toEqual(keysBefore);
});

test("the archive as it was is imported, and a second time refused as taken", async () => {
  expect(await imported(good)).toMatchObject({ state: "done", files: 2, embedderCalls: 0 });
  expect(outcomeOf(await send(good))).toMatch(
    /^409 These identifiers are taken: fileSources.refused/,
  );
  const { body } = await admin.send("GET", "/archive/imports");
  expect(body).toMatchObject({ total: 1, data: [{ state: "done" }] });
});

test("a plan of 50,000 things is kept outside of D1, whose rows end at 2 MB", async () => {
  const things = Array.from({ length: 50_000 }, (_, at) => {
    return { thing: `inferences.department-${at}-of-the-company`, outcome: "made" as const };
  });
  const counts = { files: 0, passages: 0, toEmbed: 0, embedderCalls: 0 };
  const access = { users: [], keys: [], tokens: [] };
  const nothing = { sources: {}, rags: {}, settings: {}, questions: {}, access, now: 0 };
  const plan = { ...nothing, ...counts, things };
  const { id } = await admin.create<{ id: string }>("/archive/uploads", {});
  await storePlan(env.FILES, id, plan);
  expect(await readPlan(env.FILES, id)).toEqual(plan);
  await env.DB.prepare("update archive_imports set state = 'writing' where id = ?").bind(id).run();
  const [row] = await rowsOf("select * from archive_imports where state = 'writing'");
  expect(JSON.stringify(row).length).toBeLessThan(1_000);
  expect(outcomeOf(await admin.send("DELETE", `/archive/imports/${id}`))).toBe("204 ");
  expect((await env.FILES.list({ prefix: `archives/${id}` })).objects).toEqual([]);
});

test("an import that takes long is over when all of it is there", async () => {
  let now = Date.now();
  const clock = vi.spyOn(Date, "now").mockImplementation(() => (now += 5_000));
  try {
    const result = await imported(good, "onConflict=rename&suffix=slow");
    expect(result).toMatchObject({ state: "done", files: 2 });
  } finally {
    clock.mockRestore();
  }
});

test("renaming that would make two things one is refused", () => {
  const wish = { onConflict: "rename", suffix: "2", tokenIds: new Set(), dryRun: false } as const;
  const settings = { inferences: { ask: {}, "ask-2": {} } };
  const rename = () => renameThings(settings, new Map([["inferences.ask", {}]]), wish);
  expect(rename).toThrow("These identifiers are taken: inferences.ask-2. Set another suffix.");
});

test("members neither export nor import, and nobody exports nothing", async () => {
  expect(outcomeOf(await admin.send("GET", "/archive?vectors=true"))).toMatch(
    /^400 .*all must be true/,
  );
  const member = { email: "reader@example.com", password: "quiet amber lantern" };
  await admin.create("/users", { role: "member", ...member });
  const { send: asMember } = await signedIn(member);
  expect(outcomeOf(await asMember("GET", "/archive?all=true"))).toBe("403 Forbidden");
  expect(outcomeOf(await asMember("POST", "/archive/uploads"))).toBe("403 Forbidden");
});
