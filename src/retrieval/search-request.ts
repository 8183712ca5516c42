import { z } from "@hono/zod-openapi";

import { NO_LEADING_SLASH, pointInTime, relativePath } from "../core/input/input-fields.ts";
import { searchSettings } from "../core/input/search-settings.ts";

const QUERIES_LIMIT = 10;
const TOP_K_DEFAULT = 5;
const search = searchSettings.shape;

/** Marks a field that the API takes and the published specification leaves out. */
export const UNPUBLISHED = "x-unpublished";
const unpublished = { [UNPUBLISHED]: true } as const;

/** Any length: a search truncates it. A blank query finds nothing and is refused. */
const Query = z.string().regex(/\S/, "must not be blank");

/** Fields of RAGs and inferences; components keep defaults optional in generated clients. */
export const searchFields = {
  topK: search.topK.default(TOP_K_DEFAULT).openapi("TopK", { description: "Chunks to return." }),
  useReranking: search.useReranking.default(false).openapi("UseReranking", {
    description: "Reorder the results with the RAG's reranker, if it has one.",
  }),
  candidateMultiplier: search.candidateMultiplier.default(2).openapi("CandidateMultiplier", {
    description: "Candidates before reranking: topK times this value.",
  }),
  similarityThreshold: search.similarityThreshold
    .optional()
    .openapi({ description: "Drop chunks below this similarity.", example: 0.1 }),
  includeDuplicates: search.includeDuplicates
    .default(false)
    .openapi("IncludeDuplicates", { description: "Include chunks marked as duplicates." }),
  useAllFiles: z.boolean().default(true).openapi("UseAllFiles", {
    description: "When false, search only selectedFiles and selectedFolders.",
  }),
  // Without a zod default: `params` shows it only to callers who sent it.
  includeSources: z.boolean().optional().openapi("IncludeSources", {
    description: "Add the source to each chunk.",
    default: false,
  }),
  searchMode: search.searchMode.optional().openapi(unpublished),
  modifiedAfter: pointInTime.optional().openapi(unpublished),
  modifiedBefore: pointInTime.optional().openapi(unpublished),
};

export const queries = z
  .array(Query)
  .max(QUERIES_LIMIT)
  .openapi({
    description: "Search queries; each is searched separately and the results are de-duplicated.",
    example: ["How many days of leave are there?"],
  });

/** Bounds `selectedFiles` and `selectedFolders` together, over all RAGs. */
const SELECTED_LIMIT = 10_000;

/** The longest address; longer than any path that is indexed. */
const MAX_PATH_LENGTH = 4_096;

/** A path in the form of scopes, or a file's external id; looked at where it is used. */
const Path = relativePath.max(MAX_PATH_LENGTH);
const SelectedPath = z
  .string()
  .openapi({ pattern: NO_LEADING_SLASH.source, maxLength: MAX_PATH_LENGTH });

type Selection = { useAllFiles: boolean };
type PathsOfField = { field: PropertyKey[]; paths: string[] };

/** With `useAllFiles` nothing is selected, whatever is named; only so much may be named. */
export const checkSelection =
  <Body extends Selection>(namedIn: (body: Body) => PathsOfField[]) =>
  (body: Body, context: z.RefinementCtx): void => {
    const scopes = namedIn(body);
    if (scopes.reduce((sum, { paths }) => sum + paths.length, 0) > SELECTED_LIMIT) {
      const message = `and selectedFolders must have at most ${SELECTED_LIMIT} entries together`;
      context.addIssue({ code: "custom", message, path: ["selectedFiles"] });
    }
    if (body.useAllFiles) return;
    for (const { field, paths } of scopes) {
      for (const [at, path] of paths.entries()) {
        const issues = Path.safeParse(path).error?.issues ?? [];
        for (const { message } of issues) {
          context.addIssue({ code: "custom", message, path: [...field, at] });
        }
      }
    }
  };

export const selectedPaths = z.array(SelectedPath).max(SELECTED_LIMIT);

const FILTERS_LIMIT = 100;
const FILTER_VALUES_LIMIT = 1_000;
const MAX_FIELD_LENGTH = 200;
const MAX_VALUE_LENGTH = 10_000;

/** A key of the file's metadata, and values of which one must match. */
export const filterFields = {
  field: z
    .string()
    .max(MAX_FIELD_LENGTH)
    .openapi({ description: "A key of the file's metadata.", example: "labels" }),
  values: z
    .array(z.string().max(MAX_VALUE_LENGTH))
    .max(FILTER_VALUES_LIMIT)
    .describe("One of them must match."),
};

export const filtersOf = <Filter extends z.ZodType>(filter: Filter) =>
  z.array(filter).max(FILTERS_LIMIT).optional();

export const RagRetrieveRequest = z
  .object({
    semanticSearch: queries.min(1, "is required"),
    ...searchFields,
    selectedFiles: selectedPaths.optional().openapi({
      description: "Paths or external ids of files.",
      example: ["handbook/leave.md"],
    }),
    selectedFolders: selectedPaths.optional().openapi({
      description: "Paths of folders.",
      example: ["handbook/"],
    }),
    providerFilter: filtersOf(z.object(filterFields)).openapi(unpublished),
  })
  .superRefine(
    checkSelection(({ selectedFiles = [], selectedFolders = [] }) => [
      { field: ["selectedFiles"], paths: selectedFiles },
      { field: ["selectedFolders"], paths: selectedFolders },
    ]),
  )
  .openapi("RagRetrieveRequest");
