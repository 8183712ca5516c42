import { expect, test } from "vitest";

import { block } from "../../../doubles/notion/entries.ts";
import { applyStep, currentPages, UNTOUCHED } from "../../../doubles/notion/random-changes.ts";
import { openNotion } from "../../../doubles/notion/scanning.ts";
import { inAnyOrder } from "../../../doubles/source/random-schedules.ts";
import { fileOf, textOf } from "../../../doubles/source/simulated-scans.ts";

const KINDS =
  "page row edit edit rename move move bin archive restore forget know limit scan scan crash";

test("whatever happens to a workspace, a scan leaves what it holds", async () => {
  await inAnyOrder(KINDS, 20, async (steps, isSearched) => {
    const { notion, source } = openNotion();
    notion.pageSize = 3;
    notion.page(null, UNTOUCHED);
    const top = notion.page(null, "Top", [block("paragraph", "Top.")]);
    notion.page(notion.page(top, "Middle"), "Deep", [block("paragraph", "Deep.")]);
    if (!isSearched) notion.unsearched.add(top);
    await source.scan();
    for (const step of steps) {
      notion.now += 60_000;
      source.setTime(notion.now + 30_000);
      if (step.kind === "scan") await source.scan();
      else if (step.kind === "crash") await source.scan(1 + (step.pick % 4));
      else if (step.kind === "limit") {
        notion.fail({ path: step.pick % 2 === 0 ? /search/ : /children/, status: 429 });
        await source.scan().catch(() => undefined);
        notion.failures.length = 0;
      } else applyStep(notion, step);
    }
    await source.scan();
    const expected = currentPages(notion);
    expect(source.paths()).toHaveLength(expected.size);
    expect(new Set(source.paths()).size).toBe(expected.size);
    for (const [id, [path, words]] of expected) {
      expect(fileOf(source, id).path.replace(` (${id})`, "")).toBe(path);
      expect((await textOf(source, id)).replaceAll(/#.*|\[.*?\]\(\S+\)/g, "").trim()).toBe(words);
    }
  });
});
