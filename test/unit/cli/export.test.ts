import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";

import { exportCommand } from "../../../src/cli/archive/archive-commands.ts";
import { listen } from "../../doubles/listen.ts";

test("an export replaces an earlier archive once it is whole, behind a link, too", async () => {
  const folder = mkdtempSync(join(tmpdir(), "quarry-export-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  let isWhole = false;
  const { address, stop } = await listen((_request, response) => {
    response.writeHead(200, { "Content-Type": "application/zip" });
    if (isWhole) response.end("the new archive");
    else response.write("the beginning", () => response.destroy());
  });
  onTestFinished(stop);
  vi.stubEnv("QUARRY_KEY", "qrya_key");
  onTestFinished(() => void vi.unstubAllEnvs());
  const path = join(folder, "archive.zip");
  const link = join(folder, "newest.zip");
  writeFileSync(path, "the earlier archive", { mode: 0o600 });
  symlinkSync("archive.zip", link);
  const exporting = async (to = link) =>
    await exportCommand().parseAsync(["--all", "--to", to, "--url", address], { from: "user" });
  const missing = join(folder, "missing");
  await expect(exporting(join(missing, "a.zip"))).rejects.toThrow(`stat '${missing}'`);
  await expect(exporting()).rejects.toThrow("no file is changed");
  expect(readFileSync(path, "utf8")).toBe("the earlier archive");
  isWhole = true;
  await exporting();
  expect(readFileSync(path, "utf8")).toBe("the new archive");
  // Nobody else may read it, as before.
  expect(statSync(path).mode & 0o077).toBe(0);
  expect(readdirSync(folder)).toEqual(["archive.zip", "newest.zip"]);
});
