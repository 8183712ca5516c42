import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";

import { BASE, GoogleDriveDouble } from "../../doubles/google-drive/google-drive-double.ts";
import { World } from "../../support/ingestion-world.ts";
import { lastRun, scan } from "./scanning.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

const fetchOf = (drive: GoogleDriveDouble) =>
  vi
    .spyOn(globalThis, "fetch")
    .mockImplementation(
      async (input, init) =>
        await drive.fetch(input instanceof Request ? input.url : String(input), init),
    );

async function scannedDrive() {
  const drive = await GoogleDriveDouble.open();
  fetchOf(drive);
  const folder = drive.folder(drive.root, "Rules");
  const ids = Array.from({ length: 30 }, (_, at) =>
    drive.file(folder, `${at}.md`, `A note numbered ${at}.`, "text/markdown"),
  );
  const world = new World();
  const config = {
    rootFolderId: drive.root,
    apiBaseUrl: BASE,
    credentials: drive.account.keyFile(),
  };
  const source = await world.addSource("cloud_drive", config);
  const rag = await world.addRag(source);
  await scan(world, source);
  return { drive, folder, ids, world, source, rag };
}

test("a drive is indexed; a moved folder costs no download, its passages stay", async () => {
  const { drive, folder, ids, world, source, rag } = await scannedDrive();
  expect(await lastRun(source)).toMatchObject({ added: 30, failed: 0, error: null });
  expect(await world.counters(rag)).toMatchObject({ indexed: 30 });
  drive.change(folder, { name: "Old rules" });
  drive.change(ids[7] ?? "", { content: "A note numbered seven." });
  drive.asked.length = 0;
  await scan(world, source);
  expect(await lastRun(source)).toMatchObject({ changed: 30, removed: 0, error: null });
  expect(drive.asked.filter((asked) => asked.includes("alt=media"))).toHaveLength(1);
  const shown = await world.shown(rag, "numbered");
  expect(shown["Old rules/7.md"]).toEqual(["A note numbered seven."]);
  expect(Object.keys(shown).every((path) => path.startsWith("Old rules/"))).toBe(true);
});

test("a drive that is no longer shared is told, and nothing is removed", async () => {
  const { drive, world, source, rag } = await scannedDrive();
  drive.change(drive.root, { shared: false });
  await scan(world, source);
  const { error } = (await lastRun(source)) ?? {};
  expect(error).toBe(
    `Google Drive: ${drive.account.email} sees no folder ${drive.root}: share the folder with that address`,
  );
  expect(await world.counters(rag)).toMatchObject({ indexed: 30 });
  drive.change(drive.root, { shared: true });
  await scan(world, source);
  expect(await lastRun(source)).toMatchObject({ error: null, removed: 0 });
});

test("a key revoked in mid-scan is told, removes nothing, and a new one goes on", async () => {
  const { drive, folder, world, source, rag } = await scannedDrive();
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
  await env.DB.prepare(
    `update file_sources set config = json_set(config, '$.credentials', json(?2)) where id = ?1`,
  )
    .bind(source, JSON.stringify(drive.account.keyFile()))
    .run();
  await scan(world, source);
  expect(await lastRun(source)).toMatchObject({ error: null, removed: 0 });
  const paths = Object.keys(await world.shown(rag, "numbered"));
  expect(paths).toHaveLength(30);
  expect(paths.every((path) => path.startsWith("Old rules/"))).toBe(true);
});
