import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, onTestFinished, test, vi } from "vitest";

import { exportCommand } from "../../../src/cli/archive/archive-commands.ts";
import { listen } from "../../doubles/listen.ts";

test("an export that breaks off leaves the earlier archive, and says so", async () => {
  const folder = mkdtempSync(join(tmpdir(), "quarry-export-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const { address, stop } = await listen((_request, response) => {
    response.writeHead(200, { "Content-Type": "application/zip" });
    response.write("the beginning", () => response.destroy());
  });
  onTestFinished(stop);
  vi.stubEnv("QUARRY_KEY", "qrya_key");
  onTestFinished(() => void vi.unstubAllEnvs());
  const path = join(folder, "archive.zip");
  writeFileSync(path, "the earlier archive");
  const broken = exportCommand().parseAsync(["--all", "--to", path, "--url", address], {
    from: "user",
  });
  await expect(broken).rejects.toThrow("The archive broke off; nothing is changed.");
  expect(readFileSync(path, "utf8")).toBe("the earlier archive");
  expect(readdirSync(folder)).toEqual(["archive.zip"]);
});
