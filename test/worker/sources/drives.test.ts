import { expect, inject, test, vi } from "vitest";

import { resolveReaders } from "../../../src/access/readers.ts";
import { findRag } from "../../../src/catalog/rags/find-rag.ts";
import { retrieve } from "../../../src/retrieval/retrieve.ts";
import { openSource } from "../../../src/sources/open-source.ts";
import { BASE, GoogleDriveDouble } from "../../doubles/google-drive/google-drive-double.ts";
import { user } from "../../doubles/microsoft-graph/grant.ts";
import { GraphDouble } from "../../doubles/microsoft-graph/graph-double.ts";
import { graphConfig } from "../../doubles/microsoft-graph/scanning.ts";
import { World, statement } from "../../support/ingestion-world.ts";
import { requestOf } from "../../support/retrieval-requests.ts";
import { lastRun, scan } from "./scanning.ts";

type Fetch = (address: string, init?: RequestInit) => Promise<Response>;

const answerBy = (fetch: Fetch) =>
  vi
    .spyOn(globalThis, "fetch")
    .mockImplementation(
      async (input, init) =>
        await fetch(input instanceof Request ? input.url : String(input), init),
    );

const MARKDOWN = "text/markdown";
const noteOf = (at: number) => [`${at}.md`, `A note numbered ${at}.`] as const;
const NUMBERS = Array.from({ length: 30 }, (_, at) => at);

/** A drive of 30 notes in one folder. */
async function googleDrive() {
  const drive = await GoogleDriveDouble.open();
  const folder = drive.folder(drive.root, "Rules");
  const ids = NUMBERS.map((at) => drive.file(folder, ...noteOf(at), MARKDOWN));
  const credentials = drive.account.keyFile();
  return {
    drive,
    folder,
    provider: "cloud_drive",
    config: { rootFolderId: drive.root, apiBaseUrl: BASE, credentials },
    fetch: drive.fetch,
    asked: drive.requests,
    download: "alt=media",
    base: "",
    change: (at: number, content: string) => drive.change(ids[at] ?? "", { content }),
    rename: (name: string) => drive.change(folder, { name }),
    share: (to: string[]) =>
      drive.change(folder, { grants: to.map((person) => ({ type: "user", to: person }) as const) }),
  };
}

/** Opens a library of a SharePoint site. */
async function sharePoint() {
  const graph = new GraphDouble();
  const { library } = graph.site("hr");
  const folder = library.folder(library.root, "Rules");
  const ids = NUMBERS.map((at) => library.file(folder, ...noteOf(at), { mimeType: MARKDOWN }));
  const settings = graphConfig(graph, { siteId: "https://contoso.sharepoint.example/sites/hr" });
  return await Promise.resolve({
    graph,
    library,
    folder,
    provider: "document_site",
    config: { ...settings, clientSecret: graph.entra.secret },
    fetch: graph.fetch,
    asked: graph.requests,
    download: "download",
    base: "Documents/",
    change: (at: number, content: string) => library.change(ids[at] ?? "", { content }),
    rename: (name: string) => library.change(folder, { name }),
    share: (to: string[]) => library.change(folder, { grants: to.map((person) => user(person)) }),
    follow: (now: () => number) => void (graph.now = graph.entra.now = now),
  });
}

type Drive = {
  provider: string;
  config: Record<string, unknown>;
  fetch: Fetch;
  /** Takes over the clock of the world. */
  follow?: (now: () => number) => void;
};

async function scanned<Of extends Drive>(setup: Of, permissions = "off") {
  answerBy(setup.fetch);
  const world = new World();
  setup.follow?.(() => world.now);
  const logged: unknown[] = [];
  const note = (...args: unknown[]) => void logged.push(args);
  const log = { info: note, warn: note, error: note, with: () => log };
  world.services.log = log;
  world.services.config = { ...world.services.config, ALLOW_PRIVATE_URLS: true };
  world.services.sourceReaders = async (record) => await openSource(world.services, record);
  const { source, rag } = await world.addSourceAndRag(setup.provider, setup.config);
  await statement("update file_sources set permissions = ?", permissions).run();
  await scan(world, source);
  return { ...setup, world, source, rag, logged };
}

const DRIVES: [string, () => ReturnType<typeof googleDrive> | ReturnType<typeof sharePoint>][] = [
  ["Google Drive", googleDrive],
  ["SharePoint", sharePoint],
];

test.each(DRIVES)(
  "%s is indexed; a moved folder costs no download, its passages stay",
  async (_name, open) => {
    const setup = await scanned(await open());
    const { world, source, rag, base } = setup;
    expect(await lastRun(source)).toMatchObject({ added: 30, failed: 0, error: null });
    expect(await world.counters(rag)).toMatchObject({ indexed: 30 });
    setup.rename("Old rules");
    setup.change(7, "A note numbered seven.");
    setup.asked.length = 0;
    await scan(world, source);
    expect(await lastRun(source)).toMatchObject({ changed: 30, removed: 0, error: null });
    expect(setup.asked.filter((request) => request.includes(setup.download))).toHaveLength(1);
    const texts = await world.texts(rag, "numbered");
    expect(texts[`${base}Old rules/7.md`]).toEqual(["A note numbered seven."]);
    expect(Object.keys(texts).every((path) => path.startsWith(`${base}Old rules/`))).toBe(true);
  },
);

test.each(DRIVES)(
  "%s: a folder's new reader finds its files after a scan, no old one",
  async (_name, open) => {
    const setup = await open();
    setup.share(["ann@example.com"]);
    const { world, source, rag } = await scanned(setup, "on");
    const record = await findRag(world.services, { key: rag });
    const finds = async (user: string) => {
      const reading = { reader: user, groups: [], header: null, groupsHeader: null };
      const [readable = record] = await resolveReaders(world.services.db, reading, [record]);
      const request = requestOf([readable], {
        queries: ["note"],
        topK: 50,
        includeDuplicates: true,
      });
      return (await retrieve(world.services, request)).chunks.length;
    };
    expect([await finds("ann@example.com"), await finds("bob@example.com")]).toEqual([30, 0]);
    setup.share(["bob@example.com"]);
    setup.asked.length = 0;
    await scan(world, source);
    expect([await finds("ann@example.com"), await finds("bob@example.com")]).toEqual([0, 30]);
    expect(setup.asked.filter((request) => request.includes(setup.download))).toEqual([]);
  },
);

test("a key revoked in mid-scan is told, removes nothing, and a new one goes on", async () => {
  const { drive, folder, world, source, rag } = await scanned(await googleDrive());
  drive.pageSize = 10;
  drive.change(folder, { name: "Old rules" });
  let pages = 0;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const address = input instanceof Request ? input.url : String(input);
    if (address.includes("/drive/v3/files?") && ++pages === 3) {
      await drive.account.makeKey();
      drive.account.expireTokens();
    }
    return await drive.fetch(address, init);
  });
  await scan(world, source);
  const { error } = (await lastRun(source)) ?? {};
  expect(error).toContain(`the key of ${drive.account.email} is refused`);
  expect(await world.counters(rag)).toMatchObject({ indexed: 30, deleted: 0 });
  await statement(
    `update file_sources set config = json_set(config, '$.credentials', json(?2)) where id = ?1`,
    source,
    JSON.stringify(drive.account.keyFile()),
  ).run();
  await scan(world, source);
  expect(await lastRun(source)).toMatchObject({ error: null, removed: 0 });
  const paths = Object.keys(await world.texts(rag, "numbered"));
  expect(paths).toHaveLength(30);
  expect(paths.every((path) => path.startsWith("Old rules/"))).toBe(true);
});

test("an expired secret is told, nothing is removed or logged, and scans go on", async () => {
  const { graph, library, folder, world, source, rag, logged } = await scanned(await sharePoint());
  graph.entra.secretExpired = true;
  graph.entra.expireTokens();
  library.file(folder, "new.md", "A note, new.", { mimeType: MARKDOWN });
  await scan(world, source);
  const { error } = (await lastRun(source)) ?? {};
  expect(error).toBe(
    `Microsoft Entra: AADSTS7000222: the client secret of app ${graph.entra.clientId} has expired: make a new one`,
  );
  expect(await world.counters(rag)).toMatchObject({ indexed: 30 });
  expect(logged.length).toBeGreaterThan(0);
  expect(JSON.stringify(logged)).not.toContain(graph.entra.secret);
  graph.entra.secretExpired = false;
  await scan(world, source);
  expect(await lastRun(source)).toMatchObject({ error: null, added: 1, removed: 0 });
  expect(await world.counters(rag)).toMatchObject({ indexed: 31 });
});

/** Changes the answers to listings. */
const always = (
  fetch: Fetch,
  isListing: RegExp,
  change: (text: string, address: string) => string,
) =>
  (async (address, init) => {
    if (!isListing.test(address)) return await fetch(address, init);
    // The double does not know the token that it did not give.
    const url = new URL(address);
    for (const name of ["pageToken", "continuation-token"]) url.searchParams.delete(name);
    const response = await fetch(url.href, init);
    const text = change(await response.text(), address);
    return new Response(text, { headers: { "content-type": "application/json" } });
  }) satisfies Fetch;

const withField =
  (name: string, value: (address: string) => string) => (text: string, address: string) =>
    JSON.stringify({ ...(JSON.parse(text) as object), [name]: value(address) });

async function bucket() {
  const { endpoint, bucket: name, credentials } = inject("objectStorage");
  // Others write elsewhere in the bucket meanwhile.
  const config = { endpoint, region: "us-east-1", bucket: name, prefix: "endless/", credentials };
  const { fetch } = globalThis;
  return await Promise.resolve({ provider: "object_storage", config, fetch });
}

const more = "<IsTruncated>true</IsTruncated><NextContinuationToken>x</NextContinuationToken>";

test.each<[string, () => Promise<Drive>, RegExp, Parameters<typeof always>[2]]>([
  ["Google Drive", googleDrive, /\/files\?/, withField("nextPageToken", () => "again")],
  ["SharePoint", sharePoint, /\/delta/, withField("@odata.nextLink", (address) => address)],
  ["S3", bucket, /list-type/, (xml) => xml.replace(/<IsTruncated>.*?<\/IsTruncated>/, more)],
])(
  "a listing of %s that always has another page is ended and told",
  async (_name, open, matches, change) => {
    const setup = await open();
    const { world, source, rag } = await scanned({
      ...setup,
      fetch: always(setup.fetch, matches, change),
    });
    expect(await lastRun(source)).toMatchObject({
      error: "the listing does not end: the provider returned the same page again",
      removed: 0,
    });
    expect(await world.counters(rag)).toMatchObject({ deleted: 0 });
  },
);
