import { expect, test } from "vitest";

import { retrieve } from "../../../src/retrieval/retrieve.ts";
import { indexedRag, worldWith } from "../inference/support.ts";
import { indexOf, put } from "../rag-index/support.ts";

const READERS = 10;
const VERSIONS = 100;
const PASSAGES = 5;
const TOP_K = 50;
const TIMEOUT_MS = 120_000;

/** Passages that each say of which version of the file they are. */
const passagesOf = (version: number) =>
  Array.from({ length: PASSAGES }, (_, at) => `The boiler of house ${at}, version-${version}.`);

test(
  "10 readers during 100 re-indexings of a file see one version of it, never two, never none",
  async () => {
    const rag = await indexedRag("read-and-written", { "boilers.md": passagesOf(0) });
    const index = indexOf("read-and-written");
    const { services } = worldWith({});
    const read = async () => {
      const { chunks, losses } = await retrieve(services, {
        targets: [{ rag, restriction: { named: null, metadata: [] } }],
        queries: ["boiler version"],
        topK: TOP_K,
        useReranking: false,
        candidateMultiplier: 2,
        similarityThreshold: null,
        includeDuplicates: true,
      });
      const versions = new Set(chunks.map(({ text }) => /version-\d+/.exec(text)?.[0] ?? text));
      return { passages: chunks.length, versions: [...versions], losses };
    };
    const whole = (version: number) => ({
      passages: PASSAGES,
      versions: [`version-${version}`],
      losses: [],
    });
    expect(await read()).toEqual(whole(0));

    const writer = { isWriting: true };
    let answers = 0;
    const seen = new Set<string>();
    const wrong: unknown[] = [];
    const readOn = async () => {
      while (writer.isWriting) {
        const answer = await read();
        answers++;
        for (const version of answer.versions) seen.add(version);
        const { passages, versions, losses } = answer;
        const isOneVersion = passages === PASSAGES && versions.length === 1 && losses.length === 0;
        if (!isOneVersion) wrong.push(answer);
      }
    };
    const writeOn = async () => {
      try {
        for (let version = 1; version <= VERSIONS; version++) {
          await put(index, "boilers.md", 1 + version, passagesOf(version));
        }
      } finally {
        writer.isWriting = false;
      }
    };
    await Promise.all([writeOn(), ...Array.from({ length: READERS }, readOn)]);
    expect(wrong).toEqual([]);
    expect(answers).toBeGreaterThan(VERSIONS);
    expect(seen.size).toBeGreaterThan(VERSIONS / 4);
    expect(await read()).toEqual(whole(VERSIONS));
  },
  TIMEOUT_MS,
);
