import { chatModelProblem, checkReranker } from "../../catalog/models/check-model.ts";
import { invalidField, invalidFields, requireValid } from "../../core/errors.ts";
import type { RunSetting } from "../../core/input/run-setting.ts";
import { findRagRecord } from "../../db/catalog/rag-writes.ts";
import { inferenceRows } from "../../db/catalog/runner-store.ts";
import type { QuestionSet } from "../../db/evaluation/set-store.ts";
import type { InferenceRecord, RagRecord } from "../../db/records.ts";
import type { RunFacts } from "../../db/schema/evaluation.ts";
import { modeOf } from "../../retrieval/search-mode.ts";
import type { Services } from "../../services.ts";

/** The subject of a run: a RAG or an inference, with the setting's changes. */
export type Subject =
  | { kind: "rag"; rag: RagRecord }
  | { kind: "inference"; inference: InferenceRecord };

/** @throws QuarryError `invalid`: something that the setting names does not exist. */
export async function subjectOfRun(
  services: Pick<Services, "db" | "models">,
  set: QuestionSet,
  setting: RunSetting,
): Promise<Subject> {
  const { db } = services;
  const { reranker, model, target } = setting;
  if (typeof reranker === "string") await checkReranker(services, reranker);
  // Administrators start runs, and read everything.
  const applyReranker = (rag: RagRecord): RagRecord => {
    return { ...rag, readBy: "everything", ...(reranker !== undefined && { reranker }) };
  };
  const key = target ?? set.subjectId;
  if (set.subjectKind === "rag") {
    if (model !== undefined) throw invalidField("model", "is for sets of an inference");
    const rag = requireValid(await findRagRecord(db, key), "target", `: there is no RAG ${key}`);
    return { kind: "rag", rag: applyReranker(rag) };
  }
  const row = await inferenceRows.find(db, key);
  const inference = requireValid(row, "target", `: there is no inference ${key}`);
  const problem = await chatModelProblem(services, model ?? inference.model);
  if (problem !== null) throw invalidFields([problem]);
  const rags = inference.rags.map(applyReranker);
  return { kind: "inference", inference: { ...inference, model: model ?? inference.model, rags } };
}

/** A setting that names a reranker wants it used. */
export const needsReranking = ({ useReranking, reranker }: RunSetting): boolean =>
  useReranking ?? typeof reranker === "string";

/** As deep as the deepest measure. */
const RAG_TOP_K = 10;
/** The default of the public API: an answer is measured as programs get it. */
const INFERENCE_TOP_K = 5;

/** Passages that a run searches for each question. */
export const topKOf = (kind: Subject["kind"], { topK }: RunSetting): number =>
  topK ?? (kind === "rag" ? RAG_TOP_K : INFERENCE_TOP_K);

/** The depth of a run; those of earlier versions did not keep it. */
export const depthOf = ({ topK = RAG_TOP_K }: RunFacts): number => Number(topK);

/** Facts that a reader of the run wants to know later, when the settings have changed. */
export function factsOf(subject: Subject, setting: RunSetting): RunFacts {
  const rags = subject.kind === "rag" ? [subject.rag] : subject.inference.rags;
  const facts: RunFacts =
    subject.kind === "rag"
      ? { rag: subject.rag.identifier }
      : { inference: subject.inference.identifier, model: subject.inference.model };
  for (const rag of rags.slice(0, 1)) {
    Object.assign(facts, {
      embeddingModel: rag.embeddingModel,
      chunkSize: rag.chunkSize,
      chunkOverlap: rag.chunkOverlap,
      ...modeOf(rag, setting),
      reranker: needsReranking(setting) ? rag.reranker : null,
      topK: topKOf(subject.kind, setting),
      files: rag.processedFiles,
    });
  }
  return facts;
}
