import { messageOf, QuarryError } from "../../core/errors.ts";
import { newId, type EvaluationRunId } from "../../core/ids.ts";
import { MINUTE_MS, SECOND_MS } from "../../core/time.ts";
import {
  giveUpQuestions,
  lightResults,
  saveOutcome,
  takeQuestions,
} from "../../db/evaluation/result-store.ts";
import { claimRun, finishRun, releaseRun, renewRun } from "../../db/evaluation/run-store.ts";
import { findSet } from "../../db/evaluation/set-store.ts";
import type { Services } from "../../services.ts";
import { summarise } from "../measures/summarise.ts";
import { askQuestion, type QuestionRun } from "./ask-question.ts";
import { QUEUED_RUN_MS } from "./start-run.ts";
import { depthOf, subjectOfRun } from "./subject-of-run.ts";

/** Questions at a time: models and index objects serve callers, too. */
const ASKED_AT_ONCE = 2;
/** A message works this long, then sends another: scans in the same queue wait no longer. */
const SLICE_MS = 20 * SECOND_MS;
/**
 * Five D1 queries a question; a batch of five messages may make 1,000
 * (https://developers.cloudflare.com/d1/platform/limits/).
 */
const QUESTIONS_A_SLICE = 30;
const MAX_ATTEMPTS = 3;

/** Asks the next questions and sends a message for the rest. A second delivery does nothing. */
export async function workOnRun(services: Services, runId: EvaluationRunId): Promise<void> {
  const { db, now, queue, config } = services;
  const lease = newId<string>(now());
  /** An answer, its judge and a retrieval may use their time limits to the end. */
  const leaseMs = 2 * config.MODEL_TIMEOUT_MS + config.RETRIEVAL_TIMEOUT_MS + MINUTE_MS;
  const run = await claimRun(db, runId, { lease, now: now(), until: now() + leaseMs });
  if (run === null) return;
  let isDone = false;
  try {
    const asking = await prepareRun(services, run);
    if (typeof asking === "string") {
      return await finishRun(db, runId, { summary: null, error: asking, now: now() });
    }
    const renewLease = () => renewRun(db, runId, lease, now() + leaseMs);
    const state = await askUntil(services, { runId, asking, renewLease, endsAt: now() + SLICE_MS });
    if (state === "lost") return;
    isDone = state === "finished";
    if (isDone) await complete(services, runId, depthOf(run.facts));
  } finally {
    await releaseRun(db, runId, lease, now() + QUEUED_RUN_MS);
  }
  if (!isDone) await queue.scan({ kind: "evaluate", runId });
}

/** A text says why the run cannot go on. */
async function prepareRun(
  services: Services,
  { setId, setting }: NonNullable<Awaited<ReturnType<typeof claimRun>>>,
): Promise<QuestionRun | string> {
  const set = await findSet(services.db, setId);
  if (set === null) return "The set's RAG was deleted";
  try {
    const subject = await subjectOfRun(services, set, setting);
    return { subject, setting, judgeModel: set.judgeModel };
  } catch (thrown) {
    if (thrown instanceof QuarryError) return messageOf(thrown);
    throw thrown;
  }
}

type Slice = {
  runId: EvaluationRunId;
  asking: QuestionRun;
  /** Renews the lease; false: the run is no longer ours. */
  renewLease: () => Promise<boolean>;
  endsAt: number;
};

async function askUntil(
  services: Services,
  { runId, asking, renewLease, endsAt }: Slice,
): Promise<"finished" | "interrupted" | "lost"> {
  const { db, now } = services;
  for (let count = 0; count < QUESTIONS_A_SLICE && now() < endsAt; count += ASKED_AT_ONCE) {
    const limits = { limit: ASKED_AT_ONCE, maxAttempts: MAX_ATTEMPTS };
    const waiting = await takeQuestions(db, runId, limits);
    const [first] = waiting;
    if (first === undefined) return "finished";
    // The first search of an index loads it: that counts for no question's time.
    if (count === 0 && asking.subject.kind === "rag") await askQuestion(services, asking, first);
    const settled = await Promise.allSettled(
      waiting.map(async (question) => {
        const outcome = await askQuestion(services, asking, question);
        await saveOutcome(db, runId, question.questionId, { outcome, now: now() });
      }),
    );
    // Answers are kept; the message comes again for the rest.
    for (const result of settled) if (result.status === "rejected") throw result.reason;
    if (!(await renewLease())) return "lost";
  }
  return "interrupted";
}

async function complete({ db, now }: Services, runId: EvaluationRunId, depth: number) {
  const reason = `was not answered in ${MAX_ATTEMPTS} attempts`;
  await giveUpQuestions(db, runId, { reason, now: now() });
  const summary = summarise(await lightResults(db, runId), depth);
  await finishRun(db, runId, { summary, error: null, now: now() });
}
