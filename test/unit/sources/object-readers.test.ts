import { expect, onTestFinished, test } from "vitest";

import type { ListedFile } from "../../../src/ports/source-reader.ts";
import { objectStorageReader } from "../../../src/sources/object-storage/object-storage-reader.ts";
import { CREDENTIALS, startObjectStorage } from "../../doubles/object-storage/object-storage.ts";

const DAY_MS = 86_400_000;

type Fault = (url: URL) => Response | null;
type Given = { prefix: string; knownFiles: ListedFile[]; fault?: Fault };

function readerOf({ endpoint, bucket }: { endpoint: string; bucket: string }, settings: Given) {
  const { prefix, knownFiles, fault } = settings;
  const calls: string[] = [];
  const outgoing = {
    allowPrivate: true,
    async fetch(address: string, init: RequestInit) {
      calls.push(address);
      return fault?.(new URL(address)) ?? (await fetch(address, init));
    },
  };
  const config = { endpoint, bucket, region: "us-east-1", pathStyle: true, prefix };
  // A day later, nothing changes within the same second any more.
  const how = { outgoing, now: () => Date.now() + DAY_MS, readsPermissions: true };
  const byExternalId = async () => knownFiles;
  const reader = objectStorageReader(config, CREDENTIALS, {
    ...how,
    known: { byExternalId, byPath: async () => [] },
  });
  const list = async () => (await reader.list(null, new AbortController().signal)).files;
  return { list, calls };
}

test("metadata names an object's readers, and is read again only after a change", async () => {
  const storage = await startObjectStorage("library");
  onTestFinished(() => storage.stop());
  const readers = (text: string) => ({ "x-amz-meta-readers": text });
  await storage.put("who/list.md", "a", readers('["group:HR@example.com","user:ann@example.com"]'));
  await storage.put("who/commas.md", "a", readers("everyone, domain:example.com"));
  await storage.put("who/nobody.md", "a", readers("[]"));
  await storage.put("who/wrong.md", "a", readers("ann"));
  await storage.put("who/untold.md", "a");
  const first = readerOf(storage, { prefix: "who/", knownFiles: [] });
  const files = await first.list();
  const from = "file";
  expect(Object.fromEntries(files.map((file) => [file.path, file.readers]))).toEqual({
    "list.md": {
      principals: [
        { principal: "group:hr@example.com", from },
        { principal: "user:ann@example.com", from },
      ],
    },
    "commas.md": {
      principals: [
        { principal: "everyone", from },
        { principal: "domain:example.com", from },
      ],
    },
    "nobody.md": { principals: [] },
    "wrong.md": { unreadable: "its metadata readers names no principals" },
    "untold.md": undefined,
  });
  expect(first.calls).toHaveLength(1 + files.length);
  await storage.put("who/nobody.md", "a", readers("everyone"));
  const fault: Fault = (url) =>
    url.pathname.endsWith("wrong.md")
      ? new Response("<Error><Code>AccessDenied</Code></Error>", { status: 403 })
      : null;
  const knownFiles = structuredClone(files);
  const stale = knownFiles.find(({ path }) => path === "nobody.md");
  if (stale !== undefined) stale.sourceState = { readers: "[]", readAt: 1 };
  const later = readerOf(storage, { prefix: "who/", knownFiles, fault });
  const secondListing = await later.list();
  expect(later.calls).toHaveLength(2);
  const nobody = secondListing.find(({ path }) => path === "nobody.md")?.readers;
  expect(nobody).toEqual({ principals: [{ principal: "everyone", from }] });
  const unknown = await readerOf(storage, { prefix: "who/", knownFiles: [], fault }).list();
  const refusal = unknown.find(({ path }) => path === "wrong.md")?.readers;
  expect(refusal).toEqual({ unreadable: expect.stringContaining("access denied") });
});
