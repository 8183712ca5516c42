import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { r2BucketReader } from "../../../src/sources/r2-bucket/r2-bucket-reader.ts";
import { sourceReaderContract } from "../../contract/ports/source-reader.ts";

const PREFIX = "reader-contract/";

sourceReaderContract("the bound bucket", {
  files: 10,
  refuses: false,
  follows: false,
  begin: async () => ({
    async hold(files) {
      const { objects } = await env.FILES.list({ prefix: PREFIX });
      await env.FILES.delete(objects.map(({ key }) => key));
      for (const [path, text] of files) await env.FILES.put(`${PREFIX}${path}`, text);
    },
    newReader: () => r2BucketReader(env.FILES, { prefix: PREFIX }, { pageSize: 4 }),
  }),
});

test("an object's metadata names its readers where permissions are on", async () => {
  const prefix = "reader-metadata/";
  const put = async (name: string, customMetadata: Record<string, string>) =>
    await env.FILES.put(`${prefix}${name}`, "text", { customMetadata });
  await put("a.md", { readers: '["group:HR@example.com"]', label: "x" });
  await put("b.md", { readers: "ann" });
  await put("c.md", {});
  const list = async (readsPermissions: boolean) => {
    const reader = r2BucketReader(env.FILES, { prefix }, { readsPermissions });
    const { files } = await reader.list(null, new AbortController().signal);
    return files.map(({ readers, metadata }) => ({ readers, metadata }));
  };
  expect(await list(true)).toEqual([
    {
      readers: { principals: [{ principal: "group:hr@example.com", from: "file" }] },
      metadata: { label: "x" },
    },
    { readers: { unreadable: expect.stringContaining("no principals") }, metadata: {} },
    { readers: undefined, metadata: {} },
  ]);
  expect((await list(false))[0]).toEqual({
    readers: undefined,
    metadata: { readers: '["group:HR@example.com"]', label: "x" },
  });
});
