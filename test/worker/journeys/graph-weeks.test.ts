import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";

import { findFileSource } from "../../../src/catalog/file-sources/find-file-source.ts";
import { jsonLog } from "../../../src/core/log.ts";
import { Source, sourceOf } from "../../../src/panel/api/shown-source.ts";
import { openSource } from "../../../src/sources/open-source.ts";
import { sealSecrets } from "../../../src/sources/source-secrets.ts";
import { GraphDouble } from "../../doubles/microsoft-graph/graph-double.ts";
import { graphConfig } from "../../doubles/microsoft-graph/scanning.ts";
import { simulatedGraph } from "../../doubles/microsoft-graph/simulated-graph.ts";
import { Dice } from "../../support/dice.ts";
import { World } from "../../support/ingestion-world.ts";
import { scaleOf, simulate, withoutTimeLimits } from "../../support/simulated-weeks.ts";
import { scan } from "../sources/scanning.ts";

/** About ten days; `SIMULATED_INTERVALS=20` for a month of a large site. */
const { SIMULATED_INTERVALS: INTERVALS = 5 } = env;
const SEED = 20_261_122;
const { largeFolder, pageSize, timeoutMs } = scaleOf(Number(INTERVALS));

afterEach(() => {
  vi.restoreAllMocks();
});

test(
  "weeks of a site: after every interval the index equals it, and no secret shows",
  async () => {
    const graph = new GraphDouble();
    vi.spyOn(globalThis, "fetch").mockImplementation(
      async (input, init) =>
        await graph.fetch(input instanceof Request ? input.url : String(input), init),
    );
    withoutTimeLimits();
    const world = new World();
    graph.now = graph.entra.now = () => world.now;
    const site = graph.site("hr");
    const { library } = site;
    for (const each of [library, graph.library(site, "Archive")]) {
      Object.assign(each, { pageSize, namesDescendants: false });
      each.file(each.folder(each.root, "Old"), "old.txt", "A note, old.");
    }
    const folders = ["Legal", "People"].map((name) => library.folder(library.root, name));
    for (let at = 0; at < 45; at++) {
      library.file(folders[at % 2] ?? library.root, `${at}.txt`, `A note, ${at}.`);
    }
    const large = library.folder(library.root, "Large");
    for (let at = 0; at < largeFolder; at++) {
      library.file(large, `${at}.txt`, `A note, ${at} of many.`);
    }
    const lines: string[] = [];
    world.services.log = jsonLog((_level, line) => void lines.push(line));
    const { config } = world.services;
    world.services.config = { ...config, PUBLIC_BASE_URL: "https://quarry.example.com" };
    world.services.sourceReaders = async (source) => await openSource(world.services, source);
    const settings = graphConfig(graph, { siteId: site.id });
    const sealed = await sealSecrets(world.services.config, {
      provider: "document_site",
      config: { ...settings, clientSecret: graph.entra.secret },
      before: null,
    });
    const source = await world.addSource("document_site");
    await env.DB.prepare(
      `update file_sources set watch_due_at = 0, scan_interval_minutes = 1440, config = ?2,
       sealed_secrets = ?3 where id = ?1`,
    )
      .bind(source, JSON.stringify(sealed.config), sealed.sealedSecrets)
      .run();
    const rag = await world.addRag(source);
    await scan(world, source);
    const places: [string, ...string[]] = [library.root, ...folders];
    const drive = simulatedGraph(graph, site, { folder: large, places });
    const of = { world, source, rag, drive, dice: new Dice(SEED) };
    const tally = await simulate(of, Number(INTERVALS));
    for (const times of Object.values(tally)) expect(times).toBeGreaterThan(0);
    const { objects } = await env.FILES.list();
    const found = await findFileSource(world.services, { key: source });
    const { results } = await env.DB.prepare("select * from scan_runs").all();
    const told = JSON.stringify([
      lines,
      objects.map(({ key }) => key),
      Source.parse(sourceOf(found)),
      results,
    ]);
    expect(lines.length).toBeGreaterThan(0);
    const states = graph.subscriptions.live().map(({ clientState }) => clientState);
    expect(states.length).toBeGreaterThan(0);
    for (const secret of [...states, graph.entra.secret, "eyJ0.", "tempauth"]) {
      expect(told).not.toContain(secret);
    }
  },
  timeoutMs,
);
