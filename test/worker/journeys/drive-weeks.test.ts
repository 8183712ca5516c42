import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";

import { findFileSource } from "../../../src/catalog/file-sources/find-file-source.ts";
import { jsonLog } from "../../../src/core/log.ts";
import { Source, sourceOf } from "../../../src/panel/api/shown-source.ts";
import { openSource } from "../../../src/sources/open-source.ts";
import { sealSecrets } from "../../../src/sources/source-secrets.ts";
import { BASE, GoogleDriveDouble } from "../../doubles/google-drive/google-drive-double.ts";
import { simulatedDrive } from "../../doubles/google-drive/simulated-drive.ts";
import { Dice } from "../../support/dice.ts";
import { World } from "../../support/ingestion-world.ts";
import { scaleOf, simulate, withoutTimeLimits } from "../../support/simulated-weeks.ts";
import { scan } from "../sources/scanning.ts";

/** About a week; `SIMULATED_INTERVALS=20` for a month of a large drive. */
const { SIMULATED_INTERVALS: INTERVALS = 4 } = env;
const SEED = 20_261_122;
const { largeFolder, pageSize, timeoutMs } = scaleOf(Number(INTERVALS));

afterEach(() => {
  vi.restoreAllMocks();
});

test(
  "weeks of a drive: after every interval the index equals it, and no secret shows",
  async () => {
    const drive = await GoogleDriveDouble.open();
    vi.spyOn(globalThis, "fetch").mockImplementation(
      async (input, init) =>
        await drive.fetch(input instanceof Request ? input.url : String(input), init),
    );
    withoutTimeLimits();
    const world = new World();
    drive.now = () => world.now;
    drive.pageSize = pageSize;
    const folders = ["Legal", "People", "Old"].map((name) => drive.folder(drive.root, name));
    const large = drive.folder(folders[0] ?? drive.root, "Large");
    for (let at = 0; at < largeFolder; at++)
      drive.file(large, `${at}.txt`, `A note, ${at} of many.`);
    for (let at = 0; at < 45; at++) {
      drive.file(folders[at % 3] ?? drive.root, `${at}.txt`, `A note, ${at}.`);
    }
    const lines: string[] = [];
    world.services.log = jsonLog((_level, line) => void lines.push(line));
    const { config } = world.services;
    world.services.config = { ...config, PUBLIC_BASE_URL: "https://quarry.example.com" };
    world.services.sourceReaders = async (source) => await openSource(world.services, source);
    const sealed = await sealSecrets(world.services.config, {
      provider: "cloud_drive",
      config: {
        rootFolderId: drive.root,
        apiBaseUrl: BASE,
        credentials: drive.account.keyFile(),
      },
      before: null,
    });
    const source = await world.addSource("cloud_drive");
    await env.DB.prepare(
      `update file_sources set watch_due_at = 0, scan_interval_minutes = 1440, config = ?2,
       sealed_secrets = ?3 where id = ?1`,
    )
      .bind(source, JSON.stringify(sealed.config), sealed.sealedSecrets)
      .run();
    const rag = await world.addRag(source);
    await scan(world, source);
    const tally = await simulate(
      {
        world,
        source,
        rag,
        drive: simulatedDrive(drive, { folder: large, places: [drive.root, ...folders] }),
        dice: new Dice(SEED),
      },
      Number(INTERVALS),
    );
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
    expect(told).toContain("userRateLimitExceeded");
    const key = drive.account.privateKey.split("\n").filter((line) => line.length === 64);
    const tokens = [...drive.channels.open.values()].map(({ token = "none" }) => token);
    for (const secret of [...key, ...tokens, "ya29.", "PRIVATE KEY", "assertion"]) {
      expect(told).not.toContain(secret);
    }
  },
  timeoutMs,
);
