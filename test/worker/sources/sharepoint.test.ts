import { afterEach, expect, test, vi } from "vitest";

import { GraphDouble } from "../../doubles/microsoft-graph/graph-double.ts";
import { graphConfig } from "../../doubles/microsoft-graph/scanning.ts";
import { World } from "../../support/ingestion-world.ts";
import { lastRun, scan } from "./scanning.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

/** A library of 30 notes in one folder, scanned and indexed. */
async function scannedLibrary() {
  const graph = new GraphDouble();
  vi.spyOn(globalThis, "fetch").mockImplementation(
    async (input, init) =>
      await graph.fetch(input instanceof Request ? input.url : String(input), init),
  );
  const { library } = graph.site("hr");
  const folder = library.folder(library.root, "Rules");
  const ids = Array.from({ length: 30 }, (_, at) =>
    library.file(folder, `${at}.md`, `A note numbered ${at}.`, { mimeType: "text/markdown" }),
  );
  const world = new World();
  graph.now = graph.entra.now = () => world.now;
  const logged: unknown[] = [];
  const note = (...said: unknown[]) => void logged.push(said);
  const log = { info: note, warn: note, error: note, with: () => log };
  world.services.log = log;
  const config = graphConfig(graph, { siteId: "https://contoso.sharepoint.example/sites/hr" });
  const clientSecret = graph.entra.secret;
  const source = await world.addSource("document_site", { ...config, clientSecret });
  const rag = await world.addRag(source);
  await scan(world, source);
  return { graph, library, folder, ids, world, source, rag, logged };
}

test("a site is indexed; a moved folder costs no download, its passages stay", async () => {
  const { graph, library, folder, ids, world, source, rag } = await scannedLibrary();
  expect(await lastRun(source)).toMatchObject({ added: 30, failed: 0, error: null });
  expect(await world.counters(rag)).toMatchObject({ indexed: 30 });
  library.change(folder, { name: "Old rules" });
  library.change(ids[7] ?? "", { content: "A note numbered seven." });
  graph.asked.length = 0;
  await scan(world, source);
  expect(await lastRun(source)).toMatchObject({ changed: 30, removed: 0, error: null });
  expect(graph.asked.filter((asked) => asked.includes("download"))).toHaveLength(1);
  const shown = await world.shown(rag, "numbered");
  expect(shown["Documents/Old rules/7.md"]).toEqual(["A note numbered seven."]);
  expect(Object.keys(shown).every((path) => path.startsWith("Documents/Old rules/"))).toBe(true);
});

test("an expired secret is told, nothing is removed or logged, and scans go on", async () => {
  const { graph, library, folder, world, source, rag, logged } = await scannedLibrary();
  graph.entra.secretExpired = true;
  graph.entra.expireTokens();
  library.file(folder, "new.md", "A note, new.", { mimeType: "text/markdown" });
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
