import { array, assert, asyncProperty, boolean, constantFrom, nat, record } from "fast-check";
import { expect, test } from "vitest";

import type { DriveDouble } from "../../../doubles/microsoft-graph/drive-double.ts";
import { GraphDouble } from "../../../doubles/microsoft-graph/graph-double.ts";
import { applyStep, held, type Step } from "../../../doubles/microsoft-graph/random-changes.ts";
import { graphSource } from "../../../doubles/microsoft-graph/scanning.ts";

/** `RANDOM_SCHEDULES=500` tries more. */
const SCHEDULES = Number(process.env["RANDOM_SCHEDULES"] ?? 100);
const KINDS =
  "file folder edit edit touch rename move move delete scan scan crash fail expire lag catchUp".split(
    " ",
  );
const step = record({
  kind: constantFrom(...KINDS),
  pick: nat({ max: 50 }),
  other: nat({ max: 50 }),
});

/** Three levels of folders with a file in each. */
function populate(drive: DriveDouble): void {
  const top = drive.folder(drive.root, "Top");
  const deep = drive.folder(drive.folder(top, "Middle"), "Deep");
  for (const folder of [drive.root, top, deep]) drive.file(folder, "n0.txt", "text");
}

async function run(steps: Step[], namesDescendants: boolean) {
  const graph = new GraphDouble();
  const site = graph.site("hr");
  graph.library(site, "Archive");
  for (const drive of site.drives) {
    Object.assign(drive, { pageSize: 3, namesDescendants });
    populate(drive);
  }
  const source = graphSource(graph, { siteId: site.id });
  await source.scan();
  for (const each of steps) {
    const drive = site.drives[each.other % 2];
    if (each.kind === "scan") await source.scan();
    else if (each.kind === "crash") await source.scan(1 + (each.pick % 4));
    else if (each.kind === "fail") {
      graph.fail({ path: each.pick % 2 === 0 ? /delta/ : /items/, status: 503 });
      await source.scan().catch(() => undefined);
      graph.failures.length = 0;
    } else if (drive !== undefined) applyStep(drive, each);
  }
  for (const drive of site.drives) drive.catchUp();
  // A folder that was renamed under a listing is put right by the next.
  if ((await source.scan()) === "full") await source.scan();
  const expected = site.drives.flatMap((drive) =>
    Array.from(held(drive), ([id, file]) => ({ id, ...file, path: `${drive.name}/${file.path}` })),
  );
  return { source, expected };
}

test("whatever happens to a site, a scan leaves what it holds", async () => {
  const schedules = array(step, { minLength: 5, maxLength: 15, size: "max" });
  await assert(
    asyncProperty(schedules, boolean(), async (steps, namesDescendants) => {
      const { source, expected } = await run(steps, namesDescendants);
      const ids = expected.map(({ id }) => id);
      expect([...source.files.keys()].sort()).toEqual(ids.sort());
      for (const { id, path, content } of expected) {
        const file = source.files.get(id);
        expect(file?.path.replace(` (${id})`, "")).toBe(path);
        expect(file?.size).toBe(content.length);
      }
      expect(new Set(source.paths()).size).toBe(expected.length);
    }),
    { numRuns: SCHEDULES },
  );
});
