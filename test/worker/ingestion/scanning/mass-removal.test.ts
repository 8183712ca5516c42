import { afterEach, expect, test, vi } from "vitest";

import type { FileSourceId } from "../../../../src/core/ids.ts";
import { BUCKET_CONFIG, serveBucket } from "../../../doubles/object-storage/served-bucket.ts";
import { page, serve, type Site } from "../../../doubles/web-site/served-site.ts";
import { World } from "../../../support/ingestion-world.ts";
import { followedWorld, lastRun, listedWorld, scan } from "../../sources/scanning.ts";

const SITE = "https://moss.example.com";

afterEach(() => {
  vi.restoreAllMocks();
});

const textsOf = (paths: string[]) =>
  Object.fromEntries(paths.map((path) => [path, `A note of ${path}.`]));

const range = (count: number) => Array.from({ length: count }, (_, at) => at);
/** 30 files, or the 40 others that come in their place. */
const names = (isAfter: boolean) =>
  range(isAfter ? 40 : 30).map((at) => (isAfter ? `new-${at}` : `old-${at}`));

/** A source of each way of listing; `change` takes its 30 files and adds 40 others. */
const PROVIDERS: Record<
  string,
  () => Promise<{ world: World; source: FileSourceId; change: () => void }>
> = {
  "a listing": async () => {
    const { reader, world, source } = await listedWorld(textsOf(names(false)));
    return { world, source, change: () => reader.set(textsOf(names(true))) };
  },
  "a change feed": async () => {
    const { reader, world, source } = await followedWorld(textsOf(names(false)));
    const change = () => {
      for (const name of names(false)) reader.remove(name);
      for (const name of names(true)) reader.change(name, `A note of ${name}.`);
    };
    return { world, source, change };
  },
  "a web crawl": async () => {
    const site: Site = new Map();
    const fill = (isAfter: boolean) => {
      site.clear();
      const links = names(isAfter).map((name) => `/${name}`);
      for (const link of links) page(site, `${SITE}${link}`, `A note of ${link}.`);
      page(site, `${SITE}/`, `A note of all, ${links.length}.`, links);
    };
    fill(false);
    serve(site);
    const world = new World();
    const source = await world.addSource("web", { startUrls: [SITE] });
    return { world, source, change: () => fill(true) };
  },
  "a bucket of S3": async () => {
    const objects = new Map(Object.entries(textsOf(names(false).map((name) => `docs/${name}.md`))));
    serveBucket(objects);
    const world = new World();
    const source = await world.addSource("object_storage", BUCKET_CONFIG);
    const change = () => {
      objects.clear();
      for (const name of names(true)) objects.set(`docs/${name}.md`, `A note of ${name}.`);
    };
    return { world, source, change };
  },
};

test.each(Object.keys(PROVIDERS))(
  "%s: new files do not make up for missing ones until a removal is confirmed",
  async (provider) => {
    const { world, source, change } = (await PROVIDERS[provider]?.()) ?? never();
    await scan(world, source);
    change();
    for (const run of range(3)) {
      await scan(world, source);
      expect(await lastRun(source), `run ${run}`).toMatchObject({
        removed: 0,
        held: 30,
        error: expect.stringMatching(/^removal of 30 of 3[01] files is held until confirmed$/),
      });
    }
    await scan(world, source, true);
    expect(await lastRun(source)).toMatchObject({ removed: 30, held: 0, status: "active" });
  },
);

function never(): never {
  throw new Error("no such provider");
}
