import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";

import { runCli } from "./run-cli.ts";

type Settings = Record<string, Record<string, Record<string, unknown>>>;

/** A service kept to a file, as a script does it by the exit codes. */
export async function keepToFile(folder: string, service: { url: string }, key: string) {
  const file = join(folder, "quarry.json");
  const run = async (args: string[], variables: Record<string, string> = {}) => {
    const { code, stdout, stderr } = await runCli(
      "quarry",
      ["config", ...args, "--url", service.url],
      { QUARRY_KEY: key, ...variables },
    );
    return { code, stdout, stderr: stderr.trim() };
  };
  const apply = async (options: string[] = [], variables = {}) =>
    await run(["apply", file, ...options], variables);
  const write = (change: (settings: Settings) => unknown) => {
    const settings = JSON.parse(readFileSync(file, "utf8").trim()) as Settings;
    change(settings);
    writeFileSync(file, JSON.stringify(settings));
  };
  const withValues = (kind: string, identifier: string, values: object) => (settings: Settings) =>
    Object.assign(settings[kind] ?? {}, { [identifier]: values });

  writeFileSync(file, `\uFEFF${(await run(["pull"])).stdout}`);
  const unchanged = { code: 0, stdout: "Nothing changes.\n", stderr: "" };
  expect(await apply()).toEqual(unchanged);

  write(withValues("rags", "docs", { recencyHalfLifeDays: 30 }));
  const site = {
    name: "Site",
    provider: "document_site",
    config: {
      tenantId: "t",
      clientId: "c",
      siteId: "s",
      clientSecret: { env: "SITE_SECRET" },
      apiBaseUrl: "http://127.0.0.1:9",
      loginBaseUrl: "http://127.0.0.1:9",
    },
  };
  write(withValues("fileSources", "contracts", site));
  const lines = "+ fileSources.contracts\n~ rags.docs\n    recencyHalfLifeDays: null → 30\n";
  expect(await apply(["--dry-run"])).toEqual({ code: 2, stdout: lines, stderr: "" });
  expect(await apply()).toEqual({
    code: 1,
    stdout: "",
    stderr: "quarry: fileSources.contracts needs the variable SITE_SECRET",
  });
  const variables = { SITE_SECRET: "not to be shown" };
  expect(await apply([], variables)).toEqual({ code: 0, stdout: lines, stderr: "" });
  expect(await apply(["--dry-run"])).toEqual(unchanged);
  expect(await apply(["--secrets"], variables)).toMatchObject({
    stdout: "~ fileSources.contracts\n    config.clientSecret\n",
  });
  const { stdout } = await run(["pull"]);
  expect(stdout).toContain(`"clientSecret": {\n          "env": "CONTRACTS_CLIENT_SECRET"`);
  expect(stdout).not.toContain("not to be shown");

  write((settings) => delete settings["fileSources"]?.["contracts"]);
  const lacking =
    "  fileSources.contracts is not in the file; --prune removes it\nNothing changes.\n";
  expect(await apply(["--dry-run"])).toEqual({ code: 0, stdout: lacking, stderr: "" });
  const removed = { stdout: "- fileSources.contracts\n", stderr: "" };
  expect(await apply(["--dry-run", "--prune"])).toEqual({ code: 2, ...removed });
  expect(await apply(["--prune"])).toEqual({ code: 0, ...removed });
  expect(await apply(["--dry-run", "--prune"])).toEqual(unchanged);

  write(withValues("rags", "docs", { chunkSize: 1 }));
  expect(await apply()).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("rags.docs.chunkSize must be at least 16"),
  });
  writeFileSync(file, "null");
  expect(await apply()).toMatchObject({ code: 1, stderr: expect.stringContaining("an object") });
}
