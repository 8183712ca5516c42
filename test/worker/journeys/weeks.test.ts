import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";

import { findFileSource } from "../../../src/catalog/file-sources/find-file-source.ts";
import { jsonLog } from "../../../src/core/log.ts";
import { Source, sourceOf } from "../../../src/panel/api/file-sources.ts";
import { openSource } from "../../../src/sources/open-source.ts";
import { sealSecrets } from "../../../src/sources/source-secrets.ts";
import { BASE, GoogleDriveDouble } from "../../doubles/google-drive/google-drive-double.ts";
import { simulatedDrive } from "../../doubles/google-drive/simulated-drive.ts";
import { GraphDouble } from "../../doubles/microsoft-graph/graph-double.ts";
import { graphConfig } from "../../doubles/microsoft-graph/scanning.ts";
import { simulatedGraph } from "../../doubles/microsoft-graph/simulated-graph.ts";
import { Dice } from "../../support/dice.ts";
import { World } from "../../support/ingestion-world.ts";
import { scaleOf, simulate, withoutTimeLimits } from "../../support/simulated-weeks.ts";
import { scan } from "../sources/scanning.ts";

/** About a week; `SIMULATED_INTERVALS=20` for a month of a large drive. */
const { SIMULATED_INTERVALS: INTERVALS = 4 } = env;
const SEED = 20_261_122;
const { largeFolder, pageSize, timeoutMs } = scaleOf(Number(INTERVALS));

const NUMBERS = Array.from({ length: 45 }, (_, at) => at);
const LARGE = Array.from({ length: largeFolder }, (_, at) => at);

async function googleDrive(now: () => number) {
  const drive = await GoogleDriveDouble.open();
  Object.assign(drive, { now, pageSize });
  const folders = ["Legal", "People", "Old"].map((name) => drive.folder(drive.root, name));
  const folder = drive.folder(folders[0] ?? drive.root, "Large");
  for (const at of LARGE) drive.file(folder, `${at}.txt`, `A note, ${at} of many.`);
  for (const at of NUMBERS) drive.file(folders[at % 3] ?? "", `${at}.txt`, `A note, ${at}.`);
  const credentials = drive.account.keyFile();
  const places: [string, ...string[]] = [drive.root, ...folders];
  return {
    fetch: drive.fetch,
    config: { rootFolderId: drive.root, apiBaseUrl: BASE, credentials },
    drive: simulatedDrive(drive, { folder, places }),
    expectedText: "userRateLimitExceeded",
    secrets: () => [
      ...drive.account.privateKey.split("\n").filter((line) => line.length === 64),
      ...[...drive.channels.open.values()].map(({ token = "none" }) => token),
      "ya29.",
      "PRIVATE KEY",
      "assertion",
    ],
  };
}

async function sharePoint(now: () => number) {
  const graph = new GraphDouble();
  graph.now = graph.entra.now = now;
  const site = graph.site("hr");
  const { library } = site;
  for (const each of [library, graph.library(site, "Archive")]) {
    Object.assign(each, { pageSize, namesDescendants: false });
    each.file(each.folder(each.root, "Old"), "old.txt", "A note, old.");
  }
  const folders = ["Legal", "People"].map((name) => library.folder(library.root, name));
  for (const at of NUMBERS) library.file(folders[at % 2] ?? "", `${at}.txt`, `A note, ${at}.`);
  const folder = library.folder(library.root, "Large");
  for (const at of LARGE) library.file(folder, `${at}.txt`, `A note, ${at} of many.`);
  const clientSecret = graph.entra.secret;
  const places: [string, ...string[]] = [library.root, ...folders];
  return await Promise.resolve({
    fetch: graph.fetch,
    config: { ...graphConfig(graph, { siteId: site.id }), clientSecret },
    drive: simulatedGraph(graph, site, { folder, places }),
    expectedText: "SharePoint",
    secrets: () => [
      ...graph.subscriptions.live().map(({ clientState }) => clientState),
      clientSecret,
      "eyJ0.",
      "tempauth",
    ],
  });
}

type Opened = Awaited<ReturnType<typeof googleDrive | typeof sharePoint>>;

async function watchedSource(world: World, provider: string, config: Opened["config"]) {
  const { config: settings } = world.services;
  world.services.config = { ...settings, PUBLIC_BASE_URL: "https://quarry.example.com" };
  world.services.sourceReaders = async (source) => await openSource(world.services, source);
  const sealed = await sealSecrets(world.services.config, { provider, config, before: null });
  const source = await world.addSource(provider);
  await env.DB.prepare(
    `update file_sources set watch_due_at = 0, scan_interval_minutes = 1440, config = ?2,
     sealed_secrets = ?3 where id = ?1`,
  )
    .bind(source, JSON.stringify(sealed.config), sealed.sealedSecrets)
    .run();
  return source;
}

test.each([
  ["cloud_drive", googleDrive, 4],
  ["document_site", sharePoint, 5],
] as const)(
  "weeks of a %s: after every interval the index equals it, and no secret shows",
  async (provider, open, least) => {
    const world = new World();
    const { fetch, config, drive, expectedText, secrets } = await open(() => world.now);
    vi.spyOn(globalThis, "fetch").mockImplementation(
      async (input, init) =>
        await fetch(input instanceof Request ? input.url : String(input), init),
    );
    withoutTimeLimits();
    const lines: string[] = [];
    world.services.log = jsonLog((_level, line) => void lines.push(line));
    const source = await watchedSource(world, provider, config);
    const rag = await world.addRag(source);
    await scan(world, source);
    const simulation = { world, source, rag, drive, dice: new Dice(SEED) };
    const tally = await simulate(simulation, Math.max(least, Number(INTERVALS)));
    for (const times of Object.values(tally)) expect(times).toBeGreaterThan(0);
    const { objects } = await env.FILES.list();
    const record = Source.parse(sourceOf(await findFileSource(world.services, { key: source })));
    const { results } = await env.DB.prepare("select * from scan_runs").all();
    const output = JSON.stringify([lines, objects.map(({ key }) => key), record, results]);
    expect(output).toContain(expectedText);
    for (const secret of secrets()) expect(output).not.toContain(secret);
  },
  timeoutMs,
);
