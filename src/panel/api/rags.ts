import { z } from "@hono/zod-openapi";

import { recountRags, readingInPanel, maySeeScopes } from "../../access/readers.ts";
import { copyRag } from "../../catalog/rags/copy-rag.ts";
import { createRag } from "../../catalog/rags/create-rag.ts";
import { findRag, listRags, type ScopedRag } from "../../catalog/rags/find-rag.ts";
import { newRag, newRagCopy, ragPatch, storedRag } from "../../catalog/rags/rag-settings.ts";
import { removeRag } from "../../catalog/rags/remove-rag.ts";
import { updateRag } from "../../catalog/rags/update-rag.ts";
import { notFound } from "../../core/errors.ts";
import { asId } from "../../core/ids.ts";
import { relativePath } from "../../core/input/input-fields.ts";
import { omitUndefined } from "../../core/input/omit-undefined.ts";
import { findUnknownIds, scopesOf } from "../../db/catalog/rag-scope-store.ts";
import { waitReasons } from "../../db/catalog/source-counts.ts";
import { findFileStatuses } from "../../db/files/public-files.ts";
import type { RagRecord } from "../../db/records.ts";
import { retryFiles } from "../../ingestion/indexing/retry-files.ts";
import { reindexRag } from "../../ingestion/rebuilds/reindex-rag.ts";
import { takeOverRag } from "../../ingestion/rebuilds/take-over-rag.ts";
import type { Services } from "../../services.ts";
import { storedPath } from "../../sources/file-names.ts";
import { action } from "../action.ts";
import { countText } from "../components/figures.ts";
import { fieldsOfKind, Endpoints, queued, schema } from "./request/endpoint.ts";
import { refuseChange } from "./request/route.ts";

const { scopeMode, scopes } = storedRag.shape;
const fields = {
  ...storedRag.shape,
  ...fieldsOfKind(z.string(), "id", "identifier"),
  status: z.enum(["active", "paused", "error"]),
  ...fieldsOfKind(z.int(), "totalFiles", "processedFiles", "numberVectors"),
  fileSource: z.object(fieldsOfKind(z.string(), "id", "name", "identifier", "provider")),
  fileSourceScopeMode: scopeMode,
  fileSourceScopes: scopes,
};
const unknownExternalIds = z
  .array(z.string())
  .describe("External ids of its scopes that the source does not have.");
const waiting = z
  .array(z.object({ reason: z.string(), files: z.int() }))
  .describe("Why files wait to be tried again, of up to 1,000 that are pending.");
const CheckedRag = schema("CheckedRag", { ...fields, unknownExternalIds });

const ragQuery = z.object({ check: z.literal("scopes").optional() });

const answerOf = ({ rag, scopes }: ScopedRag) => ({
  ...rag,
  fileSourceScopeMode: rag.scopeMode,
  fileSourceScopes: scopes,
  scopes,
});

/** Adds external ids of scopes that no file has; may read all files of the source. */
async function answerWithUnknownIds({ db }: Pick<Services, "db">, rag: RagRecord) {
  const scopes = await scopesOf(db, rag.id);
  const ids = scopes.flatMap(({ type, value }) => (type === "externalId" ? value : []));
  const unknown = await findUnknownIds(db, rag.fileSource.id, ids);
  return { ...answerOf({ rag, scopes }), unknownExternalIds: unknown };
}

const RAG = "/rags/{id}";

export const ragCreation = action({
  name: "rags.create",
  about: "Add a RAG. Its files are indexed in the background.",
  body: newRag,
  errors: [404, 409, 422],
  work: ({ services, body, id }) => createRag(services, body, { id: asId(id) }),
  answer: CheckedRag,
  answerOf: (rag, services) => answerWithUnknownIds(services, rag),
});

export const ragCopy = action({
  name: "rags.copy",
  about:
    "Copy a RAG. Fields that are left out are as in the RAG; equal passages keep their vectors.",
  find: findRag,
  body: newRagCopy,
  errors: [409, 422],
  work: ({ services, subject: rag, body, id }) =>
    copyRag(services, { rag, copy: body, id: asId(id) }),
  status: 201,
  answer: CheckedRag,
  answerOf: (rag, services) => answerWithUnknownIds(services, rag),
  notice: "The copy is being built. Change its settings and compare.",
});

export const ragTakeOver = action({
  name: "rags.take-over",
  about:
    "Take over a copy. The RAG gets the settings and the index of the copy, which is removed. Identifier, inferences and tokens stay.",
  find: findRag,
  body: z.object({ from: z.string().min(1) }),
  errors: [409],
  work: ({ services, subject: rag, body: { from } }) => takeOverRag(services, { rag, from }),
  ...queued,
  notice: "The copy's index takes over when it is ready.",
});

export const ragChange = action({
  name: "rags.change",
  about: "Change a RAG. A change of chunking builds a new index while the old one answers.",
  find: findRag,
  body: ragPatch,
  errors: [409, 422],
  work: async ({ services, subject: rag, body }) => {
    const { identifier, ...patch } = omitUndefined(body);
    refuseChange("identifier", rag.identifier, identifier);
    return await updateRag(services, { rag, patch });
  },
  previousValues: (rag) => ({ ...rag, fileSource: rag.fileSource.identifier }),
  readPrevious: async ({ db }, rag, { scopes: isGiven }) =>
    isGiven === undefined ? {} : { scopes: await scopesOf(db, rag.id) },
  answer: CheckedRag,
  answerOf: (rag, services) => answerWithUnknownIds(services, rag),
});

export const ragRemoval = action({
  name: "rags.remove",
  about: "Remove a RAG. Refused while an inference or agent is linked to it.",
  find: findRag,
  errors: [409],
  work: ({ services, subject: rag }) => removeRag(services, { rag }),
  notice: (_none, { name }) => `${name} is removed.`,
});

export const ragReindex = action({
  name: "rags.reindex",
  about: "Rebuild an index. Embeds every passage again while the current index answers.",
  find: findRag,
  errors: [409],
  work: ({ services, subject: { id: ragId } }) => reindexRag(services, { ragId }),
  ...queued,
  notice: "A new index is being built.",
});

export const ragRetry = action({
  name: "rags.retry",
  about: "Retry failed files. All files in `error`, or the one at `path`.",
  find: findRag,
  body: z.object({ path: relativePath.transform(storedPath).optional() }),
  isQuery: true,
  work: async ({ services, subject: rag, body: { path } }) => {
    const paths = path === undefined ? null : [path];
    const retried = await retryFiles(services, { ragId: rag.id, paths });
    if (path !== undefined && retried === 0) await findFileOf(services, rag, path);
    return retried;
  },
  ...queued,
  notice: (retried) => `${countText(retried, "file")} will be retried.`,
});

export const ragRoutes = new Endpoints("rags", findRag)
  .list(
    "get /rags",
    "RAGs. With their counters.",
    { item: schema("PanelRag", fields) },
    async ({ services, caller, paging }) => {
      const { data, total } = await listRags(services, paging);
      const rags = await recountRags(
        services.db,
        readingInPanel(caller, null),
        data.map(({ rag }) => rag),
      );
      const scopesAt = (rag: RagRecord, at: number) =>
        maySeeScopes(rag, false) ? (data[at]?.scopes ?? []) : [];
      return { total, data: rags.map((rag, at) => answerOf({ rag, scopes: scopesAt(rag, at) })) };
    },
  )
  .action(ragCreation)
  .json(
    `get ${RAG}`,
    "A RAG. `check=scopes` adds the external ids of its scopes that the source does not know.",
    {
      query: ragQuery,
      answer: schema("ReadRag", {
        ...fields,
        unknownExternalIds: unknownExternalIds.optional(),
        failedFiles: z.int(),
        waiting: waiting.optional(),
      }),
    },
    async ({ services, subject: rag, query }) => {
      if (query.check !== undefined) return await answerWithUnknownIds(services, rag);
      const { id: ragId, generation } = rag;
      const isComplete = rag.processedFiles + rag.failedFiles >= rag.totalFiles;
      const [scopes, waiting] = await Promise.all([
        scopesOf(services.db, ragId),
        isComplete ? [] : waitReasons(services.db, [{ ragId, generation }]),
      ]);
      return { ...answerOf({ rag, scopes }), waiting };
    },
  )
  .action(ragChange)
  .action(ragRemoval)
  .action(ragCopy)
  .action(ragTakeOver)
  .action(ragReindex)
  .action(ragRetry).app;

/** @throws QuarryError `not-found` when the RAG has no such file. */
async function findFileOf(services: Services, rag: RagRecord, path: string): Promise<void> {
  const { id: ragId, generation, fileSource } = rag;
  const rows = [{ ragId, generation }];
  const [file] = await findFileStatuses(services.reads, fileSource.id, rows, [path]);
  if (file === undefined || file.status === "deleted") throw notFound("the RAG has no such file");
}
