import { MINUTE_MS } from "../../../src/core/time.ts";
import { startCountedService, type CountedService } from "./counted-service.ts";
import { countsOf, type Counts } from "./operation-counts.ts";

const FILES = 40;
const SMALL_FILES = 400;
const PARAGRAPHS_A_FILE = 20;
const RETRIEVALS = 100;
const AT_ONCE = 10;
const TEN = 10;
const LISTED_OBJECTS = 1_000;
const RERANKER = "workers-ai/@cf/baai/bge-reranker-base";
const CHAT = "workers-ai/@cf/zai-org/glm-4.7-flash";

/** About 80 words of their own each, so that a file makes several chunks. */
function noteOf(file: number, paragraphs = PARAGRAPHS_A_FILE): string {
  const paragraph = (at: number) =>
    Array.from({ length: 80 }, (_, word) => `moss${(file * 7 + at * 31 + word * 13) % 997}`).join(
      " ",
    );
  const body = Array.from({ length: paragraphs }, (_, at) => paragraph(at)).join(".\n\n");
  return `# Note ${file}\n\n${body}.`;
}

type Scenario = { name: string; counts: Counts };

export type Measured = {
  scenarios: Scenario[];
  chunksAFile: number;
  indexBytesAChunk: number;
};

const RUN = "/api/inferences/ask";
const RETRIEVE = "/api/rags/notes/retrieve";
const question = { semanticSearch: ["moss17 moss42 heather"], topK: 5 };
const reranked = { ...question, useReranking: true };

type Rag = { numberVectors: number };

async function setUp(service: CountedService): Promise<string> {
  await service.call("POST", "/panel/api/file-sources", { name: "Notes", provider: "file_system" });
  const rag = { name: "Notes", fileSource: "notes", reranker: RERANKER };
  await service.call("POST", "/panel/api/rags", rag);
  const asking = { name: "Ask", systemPrompt: "Answer.", model: CHAT, rags: ["notes"] };
  await service.call("POST", "/panel/api/inferences", asking);
  const groups = { agents: [], inferences: ["*"], rags: ["*"] };
  const newToken = await service.call<{ token: string }>("POST", "/panel/api/tokens", {
    name: "Bench",
    ...groups,
  });
  await service.settled();
  return newToken.token;
}

/** Runs everything that has a price, one after the other, against counted bindings. */
export async function measureScenarios(): Promise<Measured> {
  const service = await startCountedService();
  const scenarios: Scenario[] = [];
  /** `times` equal events are counted together and shown as one. */
  const measure = async (
    name: string,
    event: string,
    times: number,
    work: () => Promise<unknown>,
  ) => {
    await work();
    const recording = await service.settled();
    scenarios.push({ name, counts: countsOf(recording, event, times) });
    return recording;
  };
  try {
    const token = await setUp(service);
    const pushFile = (at: number) =>
      service.put(`/panel/api/file-sources/notes/files/${at}.md`, noteOf(at));
    const path = (at: number) => `PUT /panel/api/file-sources/notes/files/${at}.md`;
    await measure("a file is pushed and indexed", path(0), 1, () => pushFile(0));
    const many = Array.from({ length: FILES }, (_, at) => at + 1);
    const recording = await measure(`the same, of ${FILES} at once`, path(1), FILES, () =>
      Promise.all(many.map(pushFile)),
    );
    await batchScenarios(service, measure);
    await scanScenarios(service, measure);
    await vectorsShow(service);
    await measure("a beat of the clock", "tick", 1, () => service.call("POST", "/__tick"));
    const { numberVectors } = await service.call<Rag>("GET", "/panel/api/rags/notes");
    service.useToken(token);
    await service.settled();
    await measure("GET /api/rags", "GET /api/rags", 1, () => service.call("GET", "/api/rags"));
    const ask = (body: unknown) => service.call("POST", RETRIEVE, body);
    const event = `POST ${RETRIEVE}`;
    await measure("a retrieval, the first", event, 1, () => ask(question));
    await measure(`a retrieval, of ${RETRIEVALS}`, event, RETRIEVALS, async () => {
      for (let at = 0; at < RETRIEVALS; at += AT_ONCE) {
        await Promise.all(Array.from({ length: AT_ONCE }, () => ask(question)));
      }
    });
    const tenTimes = async (work: () => Promise<unknown>) => {
      for (let at = 0; at < TEN; at++) await work();
    };
    await measure(`a retrieval with reranking, of ${TEN}`, event, TEN, () =>
      tenTimes(() => ask(reranked)),
    );
    const run = () => service.call("POST", RUN, { ...question, prompt: "What about moss?" });
    await measure("an inference, the first", `POST ${RUN}`, 1, run);
    await measure(`an inference, of ${TEN}`, `POST ${RUN}`, TEN, () => tenTimes(run));
    const chunksAFile = numberVectors / (FILES + 1);
    return { scenarios, chunksAFile, indexBytesAChunk: recording.indexBytes / numberVectors };
  } finally {
    await service.stop();
  }
}

/**
 * Some minutes pass, as far as the clock's work is concerned: the vectors are known to show, and
 * no search looks at them beside Vectorize any more.
 */
async function vectorsShow(service: CountedService): Promise<void> {
  for (let minutes = 2; minutes <= 10; minutes += 2) {
    await service.call("POST", `/__tick?ahead=${minutes * MINUTE_MS}`);
  }
  await service.settled();
}

type Measure = (
  name: string,
  event: string,
  times: number,
  work: () => Promise<unknown>,
) => Promise<unknown>;

/** In a source of their own, so that the retrievals stay comparable. */
async function batchScenarios(service: CountedService, measure: Measure): Promise<void> {
  await service.call("POST", "/panel/api/file-sources", { name: "Batch", provider: "file_system" });
  await service.call("POST", "/panel/api/rags", { name: "Batch", fileSource: "batch" });
  await service.settled();
  const path = "/panel/api/file-sources/batch/files";
  const files = (folder: string, count: number, paragraphs?: number) =>
    Array.from({ length: count }, (_, at) => {
      return { path: `${folder}/${at}.md`, text: noteOf(at, paragraphs) };
    });
  await measure(`the same, of ${FILES} in one call`, `POST ${path}`, FILES, () =>
    service.putAll(path, files("notes", FILES)),
  );
  const name = `a file of one chunk, of ${SMALL_FILES} in one call`;
  await measure(name, `POST ${path}`, SMALL_FILES, () =>
    service.putAll(path, files("small", SMALL_FILES, 1)),
  );
}

/** A bucket of 1,000 objects: the first scan, and one that finds everything as it was. */
async function scanScenarios(service: CountedService, measure: Measure): Promise<void> {
  await service.settled();
  await service.call("POST", "/__objects", { prefix: "docs/", count: LISTED_OBJECTS });
  const source = {
    name: "Bucket",
    provider: "object_storage",
    config: { r2: true, prefix: "docs/" },
  };
  const event = "queue quarry-scan";
  const size = LISTED_OBJECTS.toLocaleString("en");
  await measure(`the first scan of ${size} objects`, event, 1, () =>
    service.call("POST", "/panel/api/file-sources", source),
  );
  await measure("a scan that finds nothing new", event, 1, () =>
    service.call("POST", "/panel/api/file-sources/bucket/scan", {}),
  );
}
