import { toBatches, splitBySize } from "../../core/work/batches.ts";
import { runInWaves, mapParallel } from "../../core/work/parallel.ts";
import type { ClaimedFile } from "../../db/files/claim-files.ts";
import { countAttempt } from "../../db/files/file-rows.ts";
import type { ActivationResult } from "../../ports/index-versions.ts";
import type { Services } from "../../services.ts";
import { embedChunks, embedderOf } from "./embed-chunks.ts";
import { endOf, endOfFailure, supersededResult, StepFailure, labelFailure } from "./end-file.ts";
import type { FileResult } from "./end-file.ts";
import { groupByIndex, factsOf, indexOf, outcomeOf, placeOf, valueOf } from "./file-work.ts";
import type { ChunkVector, FileWork, MissingWork, Outcome } from "./file-work.ts";
import { createLoader, readFile, type Load, type LoadContext } from "./read-file.ts";
import { createReuse, type Reuse } from "./reuse-vectors.ts";
import { stageChunks, storeVersions } from "./store-chunks.ts";
import type { Lease, WorkBudget } from "./work-budget.ts";

/** An invocation may have six connections at once; more files would only wait. */
const FILES_AT_ONCE = 6;
/** A file that is read waits so long (ms) for slower ones, so that they are embedded together. */
const WAITS_FOR_OTHERS_MS = 10_000;
/** A file with more missing chunks is large: its chunks are stored as they are embedded. */
const MAX_SMALL_CHUNKS = 64;
/** Portions that are embedded and stored at once: while one is stored, others are embedded. */
const PORTIONS_AT_ONCE = 3;
/** Chunks of a portion, where its model takes more in a call: their vectors are in memory. */
const MAX_PORTION_CHUNKS = 320;
/** A server may take seconds for a chunk: files of small portions become searchable sooner. */
const MAX_SLOW_PORTION_CHUNKS = 16;

/** Values that the files of one invocation share. */
export type IndexJob = {
  lease: Lease;
  budget: WorkBudget;
  /** Whether this file may be begun now; one that may not is begun another time. */
  begin: (file: ClaimedFile) => boolean;
} & Omit<LoadContext, "lease">;

/** `saved`: embeddings that unchanged chunks made unnecessary. */
export type DoneFile = { file: ClaimedFile; result: FileResult; saved: number };

/** A file and its missing chunks, with what may have their vectors already. */
type ReusableFile = MissingWork & { reuse: Reuse };

/** Embeds files together and hands each on when it is done: none waits for a slow one. */
export async function* indexGroup(
  services: Services,
  group: readonly ClaimedFile[],
  job: IndexJob,
): AsyncGenerator<DoneFile[]> {
  const load = createLoader(services, job);
  const pace = { limit: FILES_AT_ONCE, waitMs: WAITS_FOR_OTHERS_MS };
  const begin = (file: ClaimedFile) => beginFile(services, file, job, load);
  for await (const wave of runInWaves(group, pace, begin)) {
    const results = wave.flatMap((work) => ("result" in work ? [work] : []));
    const works = wave.flatMap((work) => ("chunks" in work ? [work] : []));
    if (results.length > 0) yield results;
    yield* indexWorks(services, works, job);
  }
}

export const unstartedFile = (file: ClaimedFile): DoneFile => ({
  file,
  result: { kind: "unstarted", file },
  saved: 0,
});

async function beginFile(
  services: Services,
  file: ClaimedFile,
  { begin, lease }: IndexJob,
  load: Load,
): Promise<FileWork | DoneFile> {
  if (!begin(file)) return unstartedFile(file);
  const countTry = async (isRead: boolean) => {
    if (file.isSuspect) await countAttempt(services.db, file, { leaseId: lease.id, isRead });
  };
  await countTry(false);
  await lease.renew([file]);
  const prepared = await outcomeOf(() => readFile(services, file, load));
  await countTry(true);
  if ("thrown" in prepared) return await failFile(services, file, prepared.thrown);
  return "chunks" in prepared.value ? prepared.value : { file, result: prepared.value, saved: 0 };
}

/** An error in a step of one file ends the attempt of that file only. */
const failFile = async (services: Services, file: ClaimedFile, thrown: unknown, saved = 0) => ({
  file,
  result: await endOfFailure(services, file, thrown),
  saved,
});

/** Small files together, then each large one. What there is no time for is begun another time. */
async function* indexWorks(
  services: Services,
  works: FileWork[],
  job: IndexJob,
): AsyncGenerator<DoneFile[]> {
  const reuse = await findMissing(services, works);
  yield await mapParallel(reuse.failed, FILES_AT_ONCE, async ({ work, thrown }) =>
    failFile(services, work.file, thrown),
  );
  const isSmall = ({ missing }: MissingWork) => missing.length <= MAX_SMALL_CHUNKS;
  const small = portionsOf(services, reuse.lacking.filter(isSmall));
  const large = reuse.lacking.filter((file) => !isSmall(file));
  const steps = [
    ...small.map((portion) => ({ portion, index: () => indexSmall(services, portion, job) })),
    ...large.map((file) => ({ portion: [file], index: () => indexLarge(services, file, job) })),
  ];
  const filesOf = (some: typeof steps) =>
    some.flatMap(({ portion }) => portion.map(({ work }) => work.file));
  const take = async (step: (typeof steps)[number]) => {
    const at = steps.indexOf(step);
    if (at > 0 && !job.budget.mayWait()) return filesOf([step]).map(unstartedFile);
    await job.lease.renew(filesOf(steps.slice(at)));
    return await step.index();
  };
  const pace = { limit: PORTIONS_AT_ONCE, waitMs: WAITS_FOR_OTHERS_MS };
  for await (const wave of runInWaves(steps.slice(0, small.length), pace, take)) yield wave.flat();
  for (const step of steps.slice(small.length)) yield await take(step);
}

/** Files of one model whose chunks fit its calls: one call, or as many as a small file may need. */
function portionsOf(services: Services, small: ReusableFile[]): ReusableFile[][] {
  const ofModels = Map.groupBy(small, ({ work: { file } }) =>
    JSON.stringify([file.embeddingModel, file.dimensions]),
  );
  return [...ofModels.values()].flatMap((some) => {
    const [embedder] = some.map(({ work }) => embedderOf(services, work.file));
    const { batchLimit = 1, server } = embedder ?? {};
    const calls = Math.ceil(MAX_SMALL_CHUNKS / batchLimit);
    const most = server === undefined ? MAX_PORTION_CHUNKS : MAX_SLOW_PORTION_CHUNKS;
    const total = Math.min(calls * batchLimit, most);
    return splitBySize(some, { total }, ({ missing }) => missing.length);
  });
}

/** One call for all files of an index. */
async function findMissing(services: Services, works: FileWork[]) {
  const lacking: ReusableFile[] = [];
  const failed: { work: FileWork; thrown: unknown }[] = [];
  const candidates = works.map((work) => ({ work }));
  await mapParallel(groupByIndex(candidates), FILES_AT_ONCE, async (ofIndex) => {
    const files = ofIndex.map(({ work }) => {
      return { fileId: work.file.fileId, ids: work.chunks.map(({ id }) => id) };
    });
    const outcome = await outcomeOf(async () => {
      const [index] = ofIndex.map(({ work }) => indexOf(services, work.file));
      return new Set(await labelFailure("index", async () => (await index?.missing(files)) ?? []));
    });
    for (const { work } of ofIndex) {
      if ("thrown" in outcome) failed.push({ work, thrown: outcome.thrown });
      else {
        const missing = work.chunks.filter(({ id }) => outcome.value.has(id));
        lacking.push({ work, missing, reuse: createReuse(services, work) });
      }
    }
  });
  return { lacking, failed };
}

type Vectors = { embedded: ChunkVector[]; asked: number };

/** Vectors of the missing chunks of each file, in order: reused, or else embedded. */
async function vectorsFor(
  services: Services,
  files: readonly ReusableFile[],
  { tally, lease }: IndexJob,
) {
  const reused = await mapParallel(files, FILES_AT_ONCE, async ({ work, missing, reuse }) => {
    const outcome = await outcomeOf(() => reuse(missing));
    return { work, missing: "value" in outcome ? outcome.value.left : [], outcome };
  });
  const beat = () => lease.renew(files.map(({ work }) => work.file));
  const embedded = await embedChunks(services, reused, { tally, beat });
  return await mapParallel(reused, reused.length, async ({ work, missing, outcome }) =>
    outcomeOf(async () => {
      const fresh = valueOf(embedded.get(work) ?? { value: [] });
      return { embedded: [...valueOf(outcome).embedded, ...fresh], asked: missing.length };
    }),
  );
}

async function indexSmall(services: Services, portion: readonly ReusableFile[], job: IndexJob) {
  const vectors = await vectorsFor(services, portion, job);
  const complete = portion.flatMap(({ work }, at) => {
    const own = vectors[at];
    return own !== undefined && "value" in own ? [{ work, embedded: own.value.embedded }] : [];
  });
  const outcomes = await storeVersions(services, complete);
  return await mapParallel(portion, FILES_AT_ONCE, async ({ work }, at) => {
    const own: Outcome<Vectors> = vectors[at] ?? { value: { embedded: [], asked: 0 } };
    const activated = await outcomeOf(async () => {
      valueOf(own);
      return endOfActivation(services, work, valueOf(outcomes.get(work) ?? INCOMPLETE));
    });
    const askedChunks = "value" in own ? own.value.asked : work.chunks.length;
    const saved = work.chunks.length - askedChunks;
    if ("thrown" in activated) return await failFile(services, work.file, activated.thrown, saved);
    return { file: work.file, result: activated.value, saved };
  });
}

const INCOMPLETE: Outcome<ActivationResult> = { value: { outcome: "incomplete", missing: [] } };

/** Chunks are stored as they are embedded, so that another attempt has less to do. */
async function indexLarge(services: Services, reusable: ReusableFile, job: IndexJob) {
  const { work, missing } = reusable;
  const { file, chunks } = work;
  const pages = toBatches(missing, embedderOf(services, file).batchLimit);
  let askedChunks = 0;
  let hasFailed = false;
  const staged = await mapParallel(pages, PORTIONS_AT_ONCE, async (page) =>
    outcomeOf(async () => {
      if (hasFailed) return;
      await job.lease.renew([file]);
      try {
        const [vectors] = await vectorsFor(services, [{ ...reusable, missing: page }], job);
        const { embedded, asked: some } = valueOf(vectors ?? { value: { embedded: [], asked: 0 } });
        askedChunks += some;
        await stageChunks(services, { work, embedded });
      } catch (thrown) {
        hasFailed = true;
        throw thrown;
      }
    }),
  );
  const activated = await outcomeOf(async () => {
    staged.forEach(valueOf);
    const index = indexOf(services, file);
    const activation = await labelFailure("index", () =>
      index.activateVersion(factsOf(file), file.revision, chunks.map(placeOf)),
    );
    return endOfActivation(services, work, activation);
  });
  const saved = chunks.length - askedChunks;
  if ("thrown" in activated) return [await failFile(services, file, activated.thrown, saved)];
  return [{ file, result: activated.value, saved }];
}

function endOfActivation(
  services: Services,
  { file, fingerprint, notes }: FileWork,
  activation: ActivationResult,
): FileResult {
  if (activation.outcome === "incomplete") {
    throw new StepFailure("index: stored chunks are missing", null);
  }
  if (activation.outcome === "superseded") return supersededResult(file, activation.revision);
  if (activation.outcome === "full") {
    // The sweep reclaims the file; by then only the activation is left to do.
    const claimedUntil = services.now() + VECTORS_CLAIM_MS;
    return endOf(file, { status: "processing", claimedUntil });
  }
  return endOf(file, { status: "indexed", chunkCount: activation.chunkCount, fingerprint, notes });
}

/** Vectors become visible after 30 s to 2 min. */
const VECTORS_CLAIM_MS = 30_000;
