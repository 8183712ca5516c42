import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";

import { panelApi } from "../../../src/cli/api/clients.ts";
import { uploadFiles, uploadsOf } from "../../../src/cli/push/upload-files.ts";
import { testFolder } from "../../support/test-folder.ts";

const MIB = 1 << 20;
const file = (path: string, size: number) => ({ path, absolutePath: path, size, modifiedAt: 0 });

test("small files go together within the limits of a call, large ones alone", () => {
  const many = Array.from({ length: 251 }, (_, at) => file(`${at}`, 1));
  const sizes = (files: { size: number }[][]) => files.map((call) => call.length);
  expect(sizes(uploadsOf(many))).toEqual([250, 1]);
  expect(sizes(uploadsOf(Array.from({ length: 10 }, () => file("x", MIB))))).toEqual([8, 2]);
  const mixed = [file("a", 1), file("large", MIB + 1), file("b", 1)];
  expect(uploadsOf(mixed).map((call) => call.map(({ path }) => path))).toEqual([
    ["a", "b"],
    ["large"],
  ]);
});

test("a file that went away meanwhile fails alone, and each answer finds its file", async () => {
  const folder = testFolder();
  // `b.ts` could be a video by its name, and is a program.
  const paths = ["a.md", "gone.md", "b.ts", "c.xml"];
  for (const path of paths) writeFileSync(join(folder, path), path);
  rmSync(join(folder, "gone.md"));
  let body = "";
  const answers = [{ status: 201 }, { status: 400, error: "it is wrong" }, { status: 200 }];
  vi.stubGlobal("fetch", async (request: Request) => {
    body = await request.text();
    return Response.json({ files: answers });
  });
  const files = paths.map((path) => ({
    path,
    absolutePath: join(folder, path),
    size: 4,
    // No service takes a time of the year 20,000.
    modifiedAt: path === "b.ts" ? Date.UTC(20_000, 0) : 0,
  }));
  const reasons = await uploadFiles(panelApi("http://q", "key"), "docs", files);
  const parts = body.matchAll(/X-File-Path: (.*)\r\n(?:.*\r\n)?Content-Type: (.*)\r/g);
  expect(Array.from(parts, ([, path, type]) => `${path} ${type}`)).toEqual([
    "a.md text/markdown",
    "b.ts text/plain",
    "c.xml application/xml",
  ]);
  expect(body.match(/X-File-Modified: .*(?=\r)/g)).toEqual(
    Array.from({ length: 2 }, () => "X-File-Modified: 1970-01-01T00:00:00.000Z"),
  );
  expect(reasons).toEqual([null, "it was removed during the push", "it is wrong (400)", null]);
});
