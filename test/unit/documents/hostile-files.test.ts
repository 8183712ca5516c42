import { expect, it } from "vitest";
import { chunkDocument } from "../../../src/documents/chunking/chunk-document.ts";
import { extractDocument } from "../../../src/documents/extract-document.ts";
import { HOSTILE_FILES } from "../../support/hostile-files.ts";

/**
 * The thread's own processor time, microseconds: what else the machine does is not in it. The
 * slowest takes three seconds; where a bound is missing, minutes.
 */
const LIMIT_US = 25_000_000;
const SETTINGS = { chunkSize: 400, chunkOverlap: 60, tokenizer: "unknown" } as const;

async function readAndCut(name: string, bytes: Uint8Array): Promise<string> {
  const document = await extractDocument({ name, mimeType: null, bytes });
  chunkDocument(document, { ...SETTINGS, fileName: name });
  return document.markdown;
}

it.each(HOSTILE_FILES)("%s takes no more than 25 s of the processor", async (name, bytes, end) => {
  const before = process.threadCpuUsage();
  const read = readAndCut(name, bytes.slice());
  if ("text" in end) expect(await read).toContain(end.text);
  else await expect(read).rejects.toThrow(end.error);
  const { user, system } = process.threadCpuUsage(before);
  expect(user + system).toBeLessThan(LIMIT_US);
});
