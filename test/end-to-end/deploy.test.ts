import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

import { readDeploySettings } from "../../src/cli/deploy/settings.ts";
import { PROJECT } from "../../src/cli/installation.ts";
import { listen } from "../doubles/listen.ts";
import { wranglerDouble, type WranglerDouble } from "../doubles/wrangler/account.ts";
import { runCli } from "./run-cli.ts";

let wrangler: WranglerDouble;
let deployed: Awaited<ReturnType<typeof listen>>;

/** Stands for the deployed Worker: it says which version it is. */
beforeEach(async () => {
  wrangler = wranglerDouble();
  deployed = await listen((request, response) => {
    const { versionId } = wrangler.account();
    const version = { id: versionId, tag: "abc123" };
    response.statusCode = request.url === "/health" ? 200 : 404;
    response.end(JSON.stringify({ status: "ok", environment: "production", version }));
  });
});

afterEach(async () => {
  await deployed.stop();
  wrangler.remove();
});

const deploy = (...args: string[]) => runCli("deploy", args, wrangler.environment);

/** Lists the commands that changed the deployment, in order. */
const released = () =>
  wrangler.calls().filter((call) => /^(d1 migrations apply|deploy)/.test(call));

/** The indented lines below "Run these", as a person would paste them. */
const printedCommands = (stdout: string) =>
  (stdout.split("Run these")[1] ?? "").split("\n").filter((line) => line.startsWith("  "));

const run = (commands: string) =>
  execFileSync("sh", ["-e", "-c", commands], {
    cwd: PROJECT,
    env: { ...process.env, ...wrangler.environment },
  });

/** Reads the commands of docs/deployment.md, block by block. */
function blocksOfPage(): string[] {
  const page = readFileSync(join(PROJECT, "docs/deployment.md"), "utf8");
  return [...page.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = ""]) => block);
}

test("typing the deployment page block by block makes everything that it needs", async () => {
  const blocks = blocksOfPage();
  const steps = blocks.findIndex((block) => block.includes("npm run deploy -- --check"));
  const end = blocks.findIndex((block) => block.trim() === "npm run deploy");
  expect(steps).toBeGreaterThanOrEqual(0);
  expect((await deploy("--check")).code).toBe(1);
  for (const block of blocks.slice(steps + 1, end)) run(block);
  const { code, stdout } = await deploy("--check");
  expect(stdout).not.toContain("missing");
  expect(code).toBe(0);
});

test("deploys after the printed commands ran, migrations first, and sees the version", async () => {
  const { queues } = readDeploySettings("production");
  wrangler.change({ queues: queues.slice(1), secrets: ["ENCRYPTION_KEY", "PANEL_ADMIN_EMAIL"] });
  const first = await deploy();
  expect(first.code).toBe(1);
  run(printedCommands(first.stdout).join("\n"));

  wrangler.change({ broken: ["d1 migrations apply"] });
  const second = await deploy("--url", deployed.address);
  expect(second.code).toBe(1);
  expect(second.stderr).toContain("Nothing was deployed");
  expect(released()).toEqual(["d1 migrations apply quarry --remote --env production"]);

  wrangler.change({ broken: [] });
  const third = await deploy("--url", deployed.address);
  expect(third).toMatchObject({ code: 0 });
  expect(third.stdout).toContain(`version ${wrangler.account().versionId} (abc123)`);
  expect(released().slice(1)).toEqual([
    "d1 migrations apply quarry --remote --env production",
    expect.stringMatching(/^deploy --env production/),
  ]);
});
