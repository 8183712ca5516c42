import { expect, test } from "vitest";

import { ConfluenceDouble } from "../../../doubles/confluence/confluence-double.ts";
import {
  applyStep,
  KINDS,
  pathsIn,
  peopleIn,
  peopleWhoRead,
} from "../../../doubles/confluence/random-changes.ts";
import { confluenceSource } from "../../../doubles/confluence/scanning.ts";
import { inAnyOrder, type Step } from "../../../doubles/source/random-schedules.ts";

const DAY_MS = 86_400_000;

function randomSite(readsPermissions: boolean) {
  const site = new ConfluenceDouble();
  site.person("ann", { groups: ["all", "leads"] });
  site.person("bob");
  site.person("cy", { groups: ["leads"] });
  site.pageSize = 5;
  for (const key of ["ENG", "HR"]) {
    const space = site.space(key);
    const top = site.page(space, "Top", "<p>top</p>");
    const folder = site.add({ type: "folder", space: space.id, title: "F0", parent: top });
    site.attach(site.page(space, "P0", "<p>deep</p>", folder), "a0.txt", "a");
  }
  return { site, source: confluenceSource(site, {}, readsPermissions) };
}

type Random = ReturnType<typeof randomSite>;

async function apply({ site, source }: Random, step: Step): Promise<void> {
  const { kind, pick } = step;
  if (kind === "scan") await source.scan();
  else if (kind === "crash") await source.scan(1 + (pick % 9));
  else if (kind === "fail") {
    site.fail({ path: /content|pages|spaces/, status: 503, times: 1 });
    await source.scan().catch(() => undefined);
    site.failures.length = 0;
  } else applyStep(site, step);
}

test("whatever happens to a site, a scan leaves what it holds, for those who read it", async () => {
  await inAnyOrder(KINDS, 16, async (steps, readsPermissions) => {
    const random = randomSite(readsPermissions);
    const { site, source } = random;
    await source.scan();
    for (const step of steps) await apply(random, step);
    site.unindexed.clear();
    // Something new makes the scan a listing, as the passing of a day does.
    site.clock += 2 * DAY_MS;
    const [space] = site.spaces.values();
    if (space !== undefined) site.page(space, "Last", "<p>last</p>");
    await source.scan();
    const files = [...source.files].map(([id, { path, version }]) => {
      return [id, [path.replace(` (${id})`, ""), version]];
    });
    const expected = [...pathsIn(site)].map(([id, path]) => {
      return [id, [path, String(site.content(id).version)]];
    });
    expect(Object.fromEntries(files)).toEqual(Object.fromEntries(expected));
    expect(new Set(source.paths()).size).toBe(files.length);
    if (!readsPermissions) return;
    for (const [id, { readers }] of source.files)
      expect(peopleIn(site, readers)).toEqual(peopleWhoRead(site, site.content(id)));
  });
});
