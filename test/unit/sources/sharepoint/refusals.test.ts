import { expect, test } from "vitest";

import type { SourceFailure } from "../../../../src/ports/source-reader.ts";
import { SharePointReader } from "../../../../src/sources/sharepoint/sharepoint-reader.ts";
import { certificate } from "../../../doubles/microsoft-graph/certificate.ts";
import { GraphDouble } from "../../../doubles/microsoft-graph/graph-double.ts";
import { graphConfig, graphSource } from "../../../doubles/microsoft-graph/scanning.ts";
import { failureOf, FOREVER } from "../../../doubles/source/simulated-scans.ts";
import { memoryStore } from "../../../doubles/web-site/scanning.ts";

const HR = "https://contoso.sharepoint.example/sites/hr";

function site() {
  const graph = new GraphDouble();
  const { library, ...rest } = graph.site("hr");
  library.file(library.root, "a.txt", "a");
  return { graph, library, rest, source: graphSource(graph, { siteId: HR }) };
}

type Site = ReturnType<typeof site>;

test.each<[string, (setup: Site) => void, (setup: Site) => void, string]>([
  [
    "an expired secret",
    ({ graph }) => void (graph.entra.secretExpired = true),
    ({ graph }) => void (graph.entra.secretExpired = false),
    "Microsoft Entra: AADSTS7000222: the client secret of app 99999999-8888-7777-6666-555555555555 has expired: make a new one",
  ],
  [
    "a disabled app",
    ({ graph }) => void (graph.entra.disabled = true),
    ({ graph }) => void (graph.entra.disabled = false),
    "Microsoft Entra: AADSTS7000112: app 99999999-8888-7777-6666-555555555555 is disabled: enable it under Enterprise applications",
  ],
  [
    "no consent",
    ({ graph }) => void (graph.consented = false),
    ({ graph }) => void (graph.consented = true),
    "SharePoint: 401 generalException: the app may not use SharePoint: add the application permission Sites.Selected and grant admin consent",
  ],
  [
    "no permission on the site",
    ({ graph }) => graph.sites.forEach((each) => (each.granted = false)),
    ({ graph }) => graph.sites.forEach((each) => (each.granted = true)),
    `SharePoint: 403 accessDenied: app 99999999-8888-7777-6666-555555555555 may not read ${HR}: grant it the role read on the site`,
  ],
])("%s says what to do, removes nothing, and mends by itself", async (_, fail, mend, message) => {
  const setup = site();
  const { graph, source } = setup;
  await source.scan();
  graph.entra.expireTokens();
  fail(setup);
  expect(await failureOf(source.scan())).toMatchObject({ kind: "denied", message });
  expect(source.paths()).toEqual(["Documents/a.txt"]);
  mend(setup);
  setup.library.file(setup.library.root, "b.txt", "b");
  expect(await source.scan()).toBe("follow");
  expect(source.paths()).toEqual(["Documents/a.txt", "Documents/b.txt"]);
});

test.each([
  [{ tenantId: "contoso.example" }, "AADSTS90002: there is no tenant contoso.example"],
  [{ clientId: "other" }, "AADSTS700016: tenant 11111111-2222-3333-4444-555555555555 has no app"],
  [{ siteId: "https://contoso.sharepoint.example/sites/no" }, "there is no site https://contoso"],
  [{ siteId: HR, library: "Archive" }, "the site has no library Archive; it has: Documents"],
  [{ driveId: "b!none" }, "there is no drive b!none, or the app may not see it"],
])("%j is told as what it is", async (settings, message) => {
  const { graph } = site();
  const source = graphSource(graph, { siteId: HR, ...settings });
  const failure = await failureOf(source.scan());
  expect(failure.kind).toBe("denied");
  expect(failure.message).toContain(message);
});

test("a check tells what is seen with a few calls, or why nothing is", async () => {
  const { graph, rest } = site();
  graph.library(rest, "Archive");
  const checked = async (settings: Parameters<typeof graphSource>[1]) =>
    await graphSource(graph, settings).reader().check(FOREVER);
  expect(await checked({ siteId: HR })).toBe(
    'SharePoint: the app sees the site and its 2 libraries "Documents", "Archive"',
  );
  expect(graph.requests).toHaveLength(3);
  expect(await checked({ siteId: HR, library: "archive" })).toBe(
    'SharePoint: the app sees the library "Archive"',
  );
  graph.sites.forEach((each) => (each.granted = false));
  expect((await failureOf(checked({ siteId: HR }))).message).toContain("grant it the role read");
});

test("a folder that is none, or is of another library, is told", async () => {
  const { graph, library } = site();
  const file = library.childrenOf(library.root)[0]?.id ?? "";
  const settings = { siteId: HR, library: "Documents" };
  const none = await failureOf(graphSource(graph, { ...settings, rootFolderId: "01NONE" }).scan());
  expect(none.message).toBe("SharePoint: the library Documents has no folder 01NONE");
  const noFolder = await failureOf(graphSource(graph, { ...settings, rootFolderId: file }).scan());
  expect(noFolder.message).toContain("is not a folder");
});

test("access revoked half way through a listing is told; it goes on once repaired", async () => {
  const { graph, library, rest } = site();
  library.pageSize = 1;
  library.file(library.root, "b.txt", "b");
  const source = graphSource(graph, { siteId: HR });
  const first = await source.reader().list(null, FOREVER);
  graph.sites.forEach((each) => (each.granted = false));
  const revoked = await failureOf(source.reader().list(first.next, FOREVER));
  expect(revoked).toMatchObject({ kind: "denied" });
  graph.sites.forEach((each) => (each.granted = true));
  expect(rest.id).toContain("hr");
  let page = await source.reader().list(first.next, FOREVER);
  while (page.next !== null) page = await source.reader().list(page.next, FOREVER);
  await source.reader().finishListing();
  const quiet = await source.reader().follow(page.changeCursor ?? "", null, FOREVER);
  expect(quiet).toMatchObject({ files: [], entries: 1 });
});

test("a library that refuses keeps its files while the others of the site are read", async () => {
  const { graph, library, rest, source } = site();
  const secret = graph.library(rest, "Board");
  for (let n = 0; n < 501; n++) secret.file(secret.root, `${n}.txt`, "x");
  const deletedFile = library.file(library.root, "gone.txt", "x");
  await source.scan();
  const board = source.paths().filter((path) => path.startsWith("Board/"));
  expect(board).toHaveLength(501);
  const refuse = (path: RegExp) => graph.fail({ path, status: 403, times: Infinity });
  const mend = () => graph.failures.pop();

  // By the change feed, by a whole listing, and where the drive itself is closed.
  refuse(new RegExp(`${secret.id}/root`));
  library.delete(deletedFile);
  const added = library.file(library.root, "b.txt", "b");
  expect(await source.scan()).toBe("follow");
  expect(source.paths()).toEqual([...board, "Documents/a.txt", "Documents/b.txt"]);
  library.expireLinks();
  library.delete(added);
  secret.name = "Council";
  expect(await source.scan()).toBe("full");
  expect(source.paths()).toEqual([...board, "Documents/a.txt"]);
  const first = await source.reader().list(null, FOREVER);
  const second = await source.reader().list(first.next, FOREVER);
  const message = expect.stringContaining("403");
  expect(second).toMatchObject({ entries: 1, problems: [{ path: "Council/", message }] });

  mend();
  secret.file(secret.root, "new.txt", "x");
  for (const { id } of secret.childrenOf(secret.root).slice(0, 501)) secret.delete(id);
  expect(await source.scan()).toBe("full");
  expect(source.paths()).toEqual(["Council/new.txt", "Documents/a.txt"]);
  expect(await source.scan()).toBe("follow");
  refuse(/root/);
  expect(await failureOf(source.scan())).toMatchObject({ kind: "denied" });
});

test.each([
  [400, /Board.*delta/],
  [501, /Board.*delta/],
  [400, /Board.*delta.*token/i],
])("a library that Graph answers with %d, at %s, stops no other", async (status, path) => {
  const { graph, rest } = site();
  const board = graph.library(rest, "Board");
  board.pageSize = 1;
  for (const name of ["x.txt", "y.txt"]) board.file(board.root, name, "x");
  const third = graph.library(rest, "Third");
  third.file(third.root, "b.txt", "b");
  const source = graphSource(graph, { siteId: HR });
  await source.scan();
  const all = source.paths();
  graph.fail({
    path: new RegExp(path.source.replace("Board", board.id), path.flags),
    status,
    times: Infinity,
  });
  third.expireLinks();
  third.file(third.root, "c.txt", "c");
  await source.scan();
  expect(source.paths()).toEqual([...all, "Third/c.txt"]);
});

test.each([
  [429, "TooManyRequests", "throttled"],
  [503, "serviceNotAvailable", "throttled"],
  [500, "generalException", "down"],
  [504, "timeout", "down"],
])("%d %s slows a scan with Graph's own wait", async (status, code, kind) => {
  const { graph, source } = site();
  graph.fail({ path: /delta/, status, code, headers: { "retry-after": "7" } });
  expect(await failureOf(source.scan())).toMatchObject({
    kind,
    message: `SharePoint: ${status} ${code}`,
    retryAfterMs: 7_000,
  });
  graph.fail({ path: /token/, status: 429, headers: { "retry-after": "7" } });
  const token = await failureOf(source.scan());
  expect(token).toMatchObject({ kind: "throttled", retryAfterMs: 7_000 });
});

const none = async () => [];

function readerWith(graph: GraphDouble, secret: string) {
  return new SharePointReader(graphConfig(graph, { siteId: HR }), secret, {
    outgoing: { fetch: graph.fetch, allowPrivate: false },
    now: () => Date.now(),
    store: memoryStore(),
    known: { byPath: none, byExternalId: none, all: none, pushed: none },
  });
}

test("a certificate with its key does as well as a secret", async () => {
  const { graph } = site();
  const { privateKey, publicKey, der, pem } = certificate();
  graph.entra.certificate = { publicKey, der };
  const page = await readerWith(graph, `${privateKey}\n${pem}`).list(null, FOREVER);
  expect(page.files.map(({ path }) => path)).toEqual(["Documents/a.txt"]);
  graph.entra.certificate = null;
  const refusal = await failureOf(readerWith(graph, `${pem}\n${privateKey}`).list(null, FOREVER));
  expect(refusal.message).toContain("AADSTS700027: the certificate is not registered");
  const broken = `${pem}\n-----BEGIN PRIVATE KEY-----\nbm90IGEga2V5\n-----END PRIVATE KEY-----`;
  for (const secret of [pem, privateKey, broken]) {
    const failure = await failureOf(readerWith(graph, secret).list(null, FOREVER));
    expect(failure).toMatchObject({ kind: "denied" });
    expect(failure.message).toContain("the certificate in clientSecret cannot be used");
    expect(failure.message).not.toMatch(/bm90|BEGIN|MII/);
  }
});

test("no refusal holds the secret, a token or an address that is a permission", async () => {
  const { graph, source } = site();
  await source.scan();
  const [file] = source.files.values();
  if (file === undefined) throw new Error("no file");
  const failures: SourceFailure[] = [];
  for (const status of [400, 401, 403, 404, 410, 423, 429, 500, 503]) {
    for (const path of [/token/, /sites/, /delta/, /items/, /download/]) {
      graph.fail({ path, status, code: graph.entra.secret, times: 9 });
      const reader = source.reader();
      await reader.list(null, FOREVER).catch((thrown: SourceFailure) => failures.push(thrown));
      await reader.open(file, FOREVER).catch((thrown: SourceFailure) => failures.push(thrown));
      graph.failures.length = 0;
    }
  }
  expect(failures.length).toBeGreaterThan(40);
  for (const { message } of failures) {
    expect(message).not.toContain(graph.entra.secret);
    expect(message).not.toMatch(/eyJ0|tempauth|Bearer/);
  }
});
