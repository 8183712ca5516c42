import { z } from "zod";

import { invalidField, invalidFields } from "../../core/errors.ts";
import { MAX_IDENTIFIER_LENGTH } from "../../core/ids.ts";
import { identifier, modelName, name, openToMembers } from "../../core/input/input-fields.ts";
import { settingFields, storedSettings } from "../../core/input/setting-fields.ts";
import type { RagRecord } from "../../db/records.ts";
import { DEFAULT_CHUNK_OVERLAP } from "../../db/schema/rags.ts";
import type { IndexScope } from "../../ports/rag-index.ts";
import { NAME_PATTERN } from "../../sources/file-names.ts";
import { problemWithScope, storedScope } from "./scope-values.ts";

/** Scopes of one RAG, however they were added: every file is checked against each of them. */
export const MAX_SCOPES = 10_000;
/** Tokens. */
const MIN_CHUNK_SIZE = 16;
const MAX_CHUNK_SIZE = 4_000;
const MAX_HALF_LIFE_DAYS = 3_650;

/** Which part of a source a RAG indexes. */
export const indexScope = z.object({
  type: z.enum(["path", "externalId"]),
  value: z.string().meta({ pattern: NAME_PATTERN }),
});

const PASSAGES = "Passages";
const SEARCH = "Search";

/** How documents are chunked; without an overlap it is `defaultOverlap`. */
const chunking = {
  chunkSize: z
    .int()
    .min(MIN_CHUNK_SIZE)
    .max(MAX_CHUNK_SIZE)
    .meta({
      label: "Passage length",
      hint: "Maximum, in tokens.",
      isHalf: true,
      newIndex: true,
      group: PASSAGES,
    })
    .default(400),
  chunkOverlap: z
    .int()
    .min(0)
    .max(MAX_CHUNK_SIZE)
    .meta({
      label: "Overlap",
      hint: "Tokens repeated from the previous passage, at most half of its length.",
      isHalf: true,
      newIndex: true,
      group: PASSAGES,
    })
    .optional(),
};

/** A new RAG: the settings of API, forms, references and columns. */
export const newRag = z.object({
  name,
  identifier: identifier.optional(),
  fileSource: z
    .string()
    .min(1)
    .max(MAX_IDENTIFIER_LENGTH)
    .meta({ label: "Source", hint: "Id or identifier of a file source. It cannot be changed." }),
  scopeMode: z
    .enum(["global", "scoped"])
    .meta({
      label: "Indexed files",
      choices: { global: "All files of the source", scoped: "Selected folders and files" },
    })
    .optional(),
  scopes: z.array(indexScope.transform(storedScope)).max(MAX_SCOPES).optional(),
  ...chunking,
  reranker: modelName.nullable().meta({ label: "Reranker", group: SEARCH }).default(null),
  searchMode: z
    .enum(["hybrid", "semantic"])
    .meta({
      label: "Search by",
      group: SEARCH,
      choices: { hybrid: "Words and meaning (hybrid)", semantic: "Meaning only (semantic)" },
    })
    .default("hybrid"),
  recencyHalfLifeDays: z
    .int()
    .min(1)
    .max(MAX_HALF_LIFE_DAYS)
    .nullable()
    .meta({
      label: "Prefer recent files: half-life",
      group: SEARCH,
      hint: "Days. Among passages that fit about equally, the newer comes first. If empty, age does not count.",
    })
    .default(null),
  leaveOutUnrelated: z
    .boolean()
    .meta({
      label: "Leave out unrelated passages",
      group: SEARCH,
      hint: "A question about something else finds nothing. Needs a trained embedding model.",
    })
    .default(false),
  openToMembers,
  status: z.enum(["active", "paused"]).default("active"),
});
export type NewRag = z.input<typeof newRag>;

export const storedRag = storedSettings(newRag);
export const ragPatch = storedRag.extend({ identifier: z.string() }).partial();
export type RagPatch = z.output<typeof ragPatch>;

/** A copy of a RAG; what is left out is as in the RAG. */
export const newRagCopy = storedRag
  .omit({ fileSource: true })
  .partial()
  .extend({ name, identifier: identifier.optional() });
export type RagCopy = z.output<typeof newRagCopy>;

const REBUILDING = settingFields(newRag)
  .filter(({ meta }) => meta.newIndex)
  .map(({ path: [name = ""] }) => name);

/** Whether a change of these settings needs a new index. */
export const needsNewIndex = (rag: RagRecord, change: object) =>
  REBUILDING.some((name) => {
    const value: unknown = Reflect.get(change, name);
    return value !== undefined && value !== Reflect.get(rag, name);
  });

export type ScopeMode = RagRecord["scopeMode"];

/** Default overlap for chunks of this size; tokens. */
export const defaultOverlap = (chunkSize: number) =>
  Math.min(DEFAULT_CHUNK_OVERLAP, Math.floor(chunkSize / 2));

/** The overlap of a RAG with another chunk size: it is reduced with it. */
export const overlapFor = (rag: { chunkOverlap: number }, chunkSize: number) =>
  Math.min(rag.chunkOverlap, Math.floor(chunkSize / 2));

/** @throws QuarryError `invalid` when the overlap is more than half of a chunk. */
export function checkChunking(chunkSize: number, chunkOverlap: number): void {
  if (chunkOverlap * 2 > chunkSize)
    throw invalidField("chunkOverlap", "must be at most half of chunkSize");
}

/** The scopes without duplicates. @throws QuarryError `invalid` that names each invalid one. */
export function checkScopes(
  provider: string,
  scopeMode: ScopeMode,
  scopes: IndexScope[],
): IndexScope[] {
  if (scopeMode === "global" && scopes.length > 0) {
    throw invalidField("scopes", "must be empty when scopeMode is global");
  }
  const problems = scopes.flatMap((scope, at) => {
    const problem = problemWithScope(provider, scope);
    return problem === null ? [] : [{ field: `scopes[${at}].value`, problem }];
  });
  if (problems.length > 0) throw invalidFields(problems);
  const rows = scopes.map(storedScope);
  const unique = new Map(rows.map((scope) => [`${scope.type} ${scope.value}`, scope]));
  return [...unique.values()];
}
