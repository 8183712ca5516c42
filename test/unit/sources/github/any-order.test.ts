import { expect, test } from "vitest";

import { isIssue } from "../../../../src/sources/github/issues.ts";
import { GithubDouble } from "../../../doubles/github/github-double.ts";
import { applyStep, currentFiles, needsListing } from "../../../doubles/github/random-changes.ts";
import { githubSource } from "../../../doubles/github/scanning.ts";
import { inAnyOrder, type Step } from "../../../doubles/source/random-schedules.ts";
import { textOf } from "../../../doubles/source/simulated-scans.ts";
import { principalsIn } from "../../../support/principals-in.ts";

const KINDS =
  "write write write link remove move force issue comment rename repository deleted hide invite unissue scan scan crash fail";

test("whatever happens to an owner's repositories, a scan leaves what they hold", async () => {
  await inAnyOrder(KINDS, 20, async (steps, endsWithListing) => {
    const double = new GithubDouble();
    double.pageSize = 2;
    for (const name of ["one", "two"]) {
      const own = double.repository(name, name === "two");
      own.treeLimit = endsWithListing ? 3 : 100;
      for (const path of ["a.md", "docs/b.md", "docs/deep/c.md"]) own.write(path, path);
      own.issue("First");
    }
    const source = githubSource(double, { issues: true }, true);
    await source.scan();
    const run = async (step: Step) => {
      if (step.kind === "scan") await source.scan();
      else if (step.kind === "crash") await source.scan(1 + (step.pick % 3));
      else if (step.kind === "fail") {
        double.fail({ path: step.pick % 2 === 0 ? /trees/ : /ref/, status: 503 });
        await source.scan().catch(() => undefined);
        double.failures.length = 0;
      } else applyStep(double, step);
    };
    for (const step of steps) if (endsWithListing || !needsListing(step)) await run(step);
    if (endsWithListing) double.repository("last");
    await source.scan();
    const actual = await Promise.all(
      [...source.files].map(async ([id, file]) => {
        const version = isIssue(file) ? file.version : await textOf(source, id);
        const path = file.path.replace(/ \([\da-z]+\)/, "");
        return [id, [path, version, principalsIn(file.readers)]];
      }),
    );
    expect(Object.fromEntries(actual)).toEqual(Object.fromEntries(currentFiles(double)));
    expect(new Set(source.paths()).size).toBe(actual.length);
  });
});
