import { z } from "@hono/zod-openapi";

import { requireFound, tooLarge } from "../../core/errors.ts";
import { isoTime } from "../../core/time.ts";
import { findImport, listImports, type ArchiveImport } from "../../db/archive/import-store.ts";
import { PIECE_BYTES, pieceKey } from "../../ingestion/archive/archive-file.ts";
import { receiveUpload } from "../../ingestion/uploads/receive-upload.ts";
import { action } from "../action.ts";
import { exportArchive } from "../archive/export-archive.ts";
import { importWish } from "../archive/rename-things.ts";
import { giveUpImport } from "../archive/run-import.ts";
import { beginUpload, continueImport, storeUpload, takeImport } from "../archive/run-import.ts";
import { fieldsOfKind, Endpoints, time, schema } from "./request/endpoint.ts";
import type { Find } from "./request/route.ts";

const flag = (usual: "true" | "false") =>
  z
    .enum(["true", "false"])
    .default(usual)
    .transform((value) => value === "true");
const list = z
  .string()
  .default("")
  .transform((names) => names.split(",").filter(Boolean));
const exportQuery = z.object({
  ...fieldsOfKind(list, "rags", "sources"),
  all: flag("false"),
  vectors: flag("true"),
  access: flag("false"),
  parts: z.enum(["grouped", "files"]).default("grouped"),
});
const importQuery = importWish.extend(
  fieldsOfKind(flag("false"), "dryRun", "embed", "withoutAccess"),
);
const Import = schema("ArchiveImport", {
  ...fieldsOfKind(z.string(), "id", "state"),
  ...fieldsOfKind(z.int(), "part", "parts", "files", "passages"),
  embedderCalls: z.int().describe("Calls of the embedding model that follow the import."),
  things: z.array(z.object({ thing: z.string(), outcome: z.string(), as: z.string().optional() })),
});
const Listed = schema("ListedImport", {
  ...fieldsOfKind(z.string(), "id", "state"),
  part: z.int(),
  createdAt: time,
});
const Upload = schema("ArchiveUpload", { id: z.string(), pieceBytes: z.int() });

const answers = { 200: { schema: Import }, 202: { schema: Import } };

async function resumeImport(...call: Parameters<typeof continueImport>) {
  const { plan, ...progress } = await continueImport(...call);
  const { files = 0, passages = 0, embedderCalls = 0, things = [] } = plan ?? {};
  const answer = Import.parse({ ...progress, files, passages, embedderCalls, things });
  // A dry run ends when the archive is checked.
  return [answer, /^(?:done|checked)$/.test(answer.state) ? 200 : 202] as const;
}

export const findArchiveImport: Find<ArchiveImport> = async ({ db }, { key }) =>
  requireFound(await findImport(db, key));

export const importRemoval = action({
  name: "archive.remove",
  route: "delete /archive/imports/{id}",
  about: "Give an import up. What it wrote is removed; what a finished import made stays.",
  find: findArchiveImport,
  work: async ({ services, subject }) =>
    await giveUpImport(services, await takeImport(services, subject.id)),
  notice: "The import is removed.",
});

const MAX_PIECES = 1_000_000;
const bytes = ["application/zip"];

export const archiveRoutes = new Endpoints("service")
  .raw(
    "get /archive",
    "Export an archive. A zip file of RAGs with their sources, of sources with their RAGs, or of all; for administrators. With `access` also users without passwords, and hashes of tokens and keys.",
    { query: exportQuery, name: "archive.export", by: "admins", errors: [404] },
    { 200: { mediaTypes: bytes } },
    async ({ context, services, query }) => {
      const body = await exportArchive(services, query);
      const day = isoTime(services.now()).slice(0, 10);
      const headers = { "Content-Disposition": `attachment; filename="quarry-${day}.zip"` };
      return context.body(body, { headers: { "Content-Type": "application/zip", ...headers } });
    },
  )
  .raw(
    "post /archive",
    "Import an archive. 202 while there is more to do: call `complete` of its id again. With `dryRun` it is checked and nothing is changed.",
    { query: importQuery, name: "archive.import", bytes, errors: [409] },
    answers,
    async ({ context, services, query }) => {
      const id = await storeUpload(services, context.req.raw.body ?? new ReadableStream());
      return context.json(...(await resumeImport(context, id, query)));
    },
  )
  .json(
    "post /archive/uploads",
    "Begin an upload in pieces. Each has `pieceBytes` bytes, the last one may be shorter.",
    { name: "archive.import", answer: Upload, status: 201 },
    async ({ services }) => ({ id: await beginUpload(services), pieceBytes: PIECE_BYTES }),
  )
  .raw(
    "put /archive/uploads/{id}/{part}",
    "Upload a piece. The first is number 0; again replaces it.",
    { name: "archive.import", bytes: ["application/octet-stream"] },
    { 204: null },
    async ({ context, services, key, param }) => {
      const { state } = requireFound(await findImport(services.db, key));
      const part = z.coerce.number().int().min(0).max(MAX_PIECES).safeParse(param("part"));
      if (state !== "uploading" || !part.success) throw requireFound(null);
      const place = pieceKey(key, part.data);
      const body = context.req.raw.body ?? new ArrayBuffer(0);
      const announcedBytes = Number(context.req.header("Content-Length")) || null;
      const upload = { placeFor: async () => place, limit: PIECE_BYTES, announcedBytes };
      const piece = await receiveUpload(services.files, body, upload);
      if (piece === null) throw tooLarge();
      await piece.storeAt(place);
      return context.body(null, 204);
    },
  )
  .raw(
    "post /archive/uploads/{id}/complete",
    "Import what was uploaded, or continue an import. 202 while there is more to do.",
    { query: importQuery, name: "archive.import", errors: [409] },
    answers,
    async ({ context, key, query }) => context.json(...(await resumeImport(context, key, query))),
  )
  .list(
    "get /archive/imports",
    "Imports and their states. The newest first.",
    { item: Listed },
    ({ services }) => listImports(services.db),
  )
  .action(importRemoval).app;
