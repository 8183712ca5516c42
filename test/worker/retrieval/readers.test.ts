import { afterAll, beforeAll, expect, test } from "vitest";

import type { FileSourceId, RagId } from "../../../src/core/ids.ts";
import { sweep } from "../../../src/ingestion/maintenance/sweep.ts";
import { World } from "../../support/ingestion-world.ts";
import { queuesSettled } from "../../support/queues-settled.ts";
import { signedIn, withToken } from "../../support/worker-client.ts";

const READERS = 10;
const VERSIONS = 20;
/** Answers while one version is written: readers without a limit would only hold up the writer. */
const READS = 15;
const PASSAGES = 5;
const TOP_K = 50;
const FILE = "boilers.md";

let world: World;
let source: FileSourceId;
let rag: RagId;
let api: ReturnType<typeof withToken>;

beforeAll(async () => {
  const panel = await signedIn();
  world = new World();
  // Loaded and run once, so that the service has taken up, as after a start, what is left behind:
  // it would claim the file below, and nobody delivers its messages.
  await sweep(world.services);
  source = await world.addSource();
  rag = await world.addRag(source);
  api = withToken((await panel.create("/tokens", { name: "Reader", rags: [rag] })).token);
});

afterAll(queuesSettled);

/** Passages that each say of which version of the file they are; each long enough for a chunk. */
function textOf(version: number): string {
  const sentence = `The boiler has version-${version} and is looked at once a year. `;
  const passages = Array.from(
    { length: PASSAGES },
    (_, at) => `## House ${at}\n\n${sentence.repeat(20)}`,
  );
  return passages.join("\n\n");
}

/** A push and the job that it queues, as a queue would deliver it. */
async function reindex(version: number): Promise<void> {
  // By a clock that stands still, a sweep would take the file for a forgotten one.
  world.now = Date.now();
  await world.put(source, FILE, textOf(version));
  await world.deliver();
}

/** A search over the service: how many passages it shows, and of which versions. */
async function retrievePassages() {
  const { status, body } = await api.post(`/rags/${rag}/retrieve`, {
    semanticSearch: ["boiler version"],
    topK: TOP_K,
    includeDuplicates: true,
  });
  const { chunks, degraded } = body as { chunks: { text: string }[]; degraded?: unknown };
  const versions = new Set(chunks.flatMap(({ text }) => text.match(/version-\d+/g) ?? [text]));
  return { status, passages: chunks.length, versions: [...versions], degraded };
}

test("10 readers during re-indexings of a file always see exactly one version", async () => {
  await reindex(0);
  const { passages } = await retrievePassages();
  expect(passages).toBeGreaterThanOrEqual(PASSAGES);
  const whole = (version: string | undefined) => ({
    status: 200,
    passages,
    versions: [version],
    degraded: undefined,
  });
  expect(await retrievePassages()).toEqual(whole("version-0"));

  const writer = { isWriting: true, reads: 0, next: Promise.withResolvers<void>() };
  let answers = 0;
  const versions = new Set<string>();
  const wrong: unknown[] = [];
  const readOn = async () => {
    while (writer.isWriting) {
      if (writer.reads >= READS) {
        await writer.next.promise;
        continue;
      }
      writer.reads++;
      const answer = await retrievePassages();
      answers++;
      for (const version of answer.versions) versions.add(version);
      const expected = JSON.stringify(whole(answer.versions[0]));
      if (JSON.stringify(answer) !== expected) wrong.push(answer);
    }
  };
  const wakeReaders = () => {
    writer.reads = 0;
    writer.next.resolve();
    writer.next = Promise.withResolvers();
  };
  const writeOn = async () => {
    try {
      for (let version = 1; version <= VERSIONS; version++) {
        wakeReaders();
        await reindex(version);
      }
    } finally {
      writer.isWriting = false;
      wakeReaders();
    }
  };
  await Promise.all([writeOn(), ...Array.from({ length: READERS }, readOn)]);
  expect(wrong).toEqual([]);
  expect(answers).toBeGreaterThan(VERSIONS);
  // How many depends on the machine.
  expect(versions.size).toBeGreaterThan(1);
  expect(await retrievePassages()).toEqual(whole(`version-${VERSIONS}`));
  expect(await world.rows(rag)).toMatchObject([{ status: "indexed", chunks: passages }]);
});
