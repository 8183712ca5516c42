import { z } from "@hono/zod-openapi";

import { findFileSource } from "../../catalog/file-sources/find-file-source.ts";
import { boundaryOf, multipartParts, type Part } from "../../core/bytes/multipart.ts";
import { invalid, invalidField, tooLarge } from "../../core/errors.ts";
import { relativePath } from "../../core/input/input-fields.ts";
import { logFailure } from "../../http/errors.ts";
import { refuseContentCoding } from "../../http/middleware/json-body.ts";
import { movePushedFiles, removePushedFiles } from "../../ingestion/uploads/pushed-files.ts";
import { BATCH_LIMITS, putFiles } from "../../ingestion/uploads/put-files.ts";
import type { BatchResult, SentFile } from "../../ingestion/uploads/put-files.ts";
import type { Services } from "../../services.ts";
import { storedPath } from "../../sources/file-names.ts";
import { action, recordFiles } from "../action.ts";
import { Endpoints, schema } from "./request/endpoint.ts";
import type { Find } from "./request/route.ts";
import { decodePath, requirePushed, readFileHeaders, type SourceRow } from "./request/sent-file.ts";

const HEADER_LIMIT_BYTES = 16 * 1_024;
const LIMITS = {
  bodyBytes: BATCH_LIMITS.bytes,
  parts: BATCH_LIMITS.files,
  headerBytes: HEADER_LIMIT_BYTES,
  partBytes: BATCH_LIMITS.fileBytes,
};
const FIRST_FAILURE = 400;
/** Stands for bytes of a name that are no UTF-8: two names may become one. */
const REPLACEMENT = "\u{FFFD}";
const notUtf8 = () =>
  invalidField("path", "must be UTF-8: X-File-Path takes every name, percent-encoded");

/**
 * Parameters as forms encode them (https://html.spec.whatwg.org/#multipart-form-data), and as
 * https://www.rfc-editor.org/rfc/rfc6266#section-4.1 has them: quoted with `\\"`, or a token.
 */
const PARAMETER = /;\s*([\w*]+)\s*=\s*(?:"((?:\\.|[^"\\])*)"|([^;"\s]+))/g;
/** https://www.rfc-editor.org/rfc/rfc8187#section-3.2.1 */
const EXTENDED = /^utf-?8'[^']*'(.+)$/is;
/** A name as .NET writes it (https://www.rfc-editor.org/rfc/rfc2047#section-2). */
const ENCODED_WORD = /^=\?utf-8\?b\?([\w+/=]+)\?=$/i;
const ESCAPED: Record<string, string> = { "%22": '"', "%0d": "\r", "%0a": "\n" };

const Batch = z.object({
  file: z
    // At least one; `minItems` is left out: of files, Go's generated client can't count it.
    .array(z.string().openapi({ format: "binary" }))
    .describe("One file or more; the name of each is its path."),
});

const Answer = schema("BatchAnswer", {
  files: z.array(
    z.object({
      path: z.string(),
      status: z.int().describe("201, 200 for a file that existed, or the status of the error."),
      ...z.object({ size: z.int(), sha256: z.string(), changed: z.boolean() }).partial().shape,
      error: z.string().optional(),
    }),
  ),
});

/** Relative, without control characters. */
const NEW_PATH = String.raw`^[^/\x00-\x1f\x7f][^\x00-\x1f\x7f]*$`;
const path = relativePath.min(1).transform(storedPath);
const newPath = relativePath.min(1).meta({ pattern: NEW_PATH }).transform(storedPath);
const moves = z
  .array(z.object({ from: path, to: newPath }))
  .min(1)
  .max(BATCH_LIMITS.files)
  .refine((list) => new Set(list.flatMap(({ from, to }) => [from, to])).size === 2 * list.length, {
    error: "must name each path once",
  });
const Missing = schema("MissingFiles", { missing: z.array(z.string()) });

/** Up to 500 files of a source that files are pushed to. */
const filesOfSource: Find<SourceRow> = async (services, { key }) =>
  requirePushed(await findFileSource(services, { key }));

export const filesRemoval = action({
  name: "file-sources.files.remove",
  route: "post /file-sources/{id}/removals",
  about:
    "Remove up to 500 pushed files. Searches no longer find them when this call answers. `missing` lists paths without a file.",
  find: filesOfSource,
  body: z.object({ paths: z.array(path).min(1).max(BATCH_LIMITS.files) }),
  work: async ({ services, subject: source, body: { paths } }) => {
    const missing = await removePushedFiles(services, { source, paths });
    return { missing, count: paths.length - missing.length };
  },
  files: ({ count }) => count,
  answer: Missing,
});

const filesMove = action({
  name: "file-sources.files.move",
  route: "post /file-sources/{id}/moves",
  about:
    "Give up to 500 pushed files other paths. Nothing is read or embedded again, unless a name changes. `missing` lists paths without a file, or whose new path is taken.",
  find: filesOfSource,
  body: z.object({ moves }),
  work: async ({ services, subject: source, body }) => {
    const missing = await movePushedFiles(services, { source, moves: body.moves });
    return { missing, count: body.moves.length - missing.length };
  },
  files: ({ count }) => count,
  answer: Missing,
});

export const fileBatchRoutes = new Endpoints("sources", filesOfSource)
  .json(
    "post /file-sources/{id}/files",
    "Upload many files. One part of `multipart/form-data` for each file, with the headers of a single put. The answer has an entry for each.",
    { name: "file-sources.files.put", body: Batch, bytes: ["multipart/form-data"], answer: Answer },
    async ({ context, services, subject: source }) => {
      const { headers, body } = context.req.raw;
      refuseContentCoding(headers);
      const boundary = boundaryOf(headers.get("Content-Type") ?? "");
      if (Number(headers.get("Content-Length")) > LIMITS.bodyBytes) throw tooLarge();
      const parts = multipartParts(body ?? new Blob().stream(), boundary, LIMITS);
      const putting = putFiles(services, { source, files: filesOf(parts) });
      // Stored files are recorded even if the caller has gone.
      services.runInBackground(putting.catch(() => undefined));
      const results = await putting;
      if (results.length === 0) throw invalid("the body has no file");
      const files = results.map((result) => resultOf(services, result));
      const storedFiles = files.filter(({ status }) => status < FIRST_FAILURE).length;
      recordFiles(context, {
        action: `file-sources.files.${storedFiles > 0 ? "put" : "refused"}`,
        source,
        files: storedFiles > 0 ? storedFiles : files.length,
      });
      return { files };
    },
  )
  .action(filesRemoval)
  .action(filesMove).app;

function resultOf({ log }: Services, { path, stored: outcome }: BatchResult) {
  if ("thrown" in outcome) return { path, ...logFailure(outcome.thrown, log) };
  const { created, ...facts } = outcome;
  return { ...facts, status: created ? 201 : 200 };
}

async function* filesOf(parts: AsyncIterable<Part>): AsyncGenerator<SentFile, void> {
  for await (const { headers, body } of parts) {
    const named = pathInHeaders(headers);
    try {
      if (named.path.includes(REPLACEMENT)) throw notUtf8();
      const path = storedPath(named.isEncoded ? decodePath(named.path) : named.path);
      const facts = readFileHeaders((name) => headers.get(name.toLowerCase()), path);
      yield { path, ...facts, bytes: body };
    } catch (thrown) {
      yield { path: named.path, thrown };
    }
  }
}

/** `X-File-Path` is exact for every name; a part without any has an empty path. */
function pathInHeaders(headers: Map<string, string>): { path: string; isEncoded: boolean } {
  const encoded = headers.get("x-file-path");
  if (encoded !== undefined) return { path: encoded, isEncoded: true };
  const pairs = (headers.get("content-disposition") ?? "").matchAll(PARAMETER);
  const parameters = new Map(
    Array.from(pairs, ([, name = "", quoted, token = ""]) => [
      name.toLowerCase(),
      quoted?.replaceAll(/\\(["\\])/g, "$1") ?? token,
    ]),
  );
  const [, extended] = EXTENDED.exec(parameters.get("filename*") ?? "") ?? [];
  if (extended !== undefined) return { path: extended, isEncoded: true };
  const path = (parameters.get("filename") ?? "").replace(
    /%(?:22|0d|0a)/gi,
    (code) => ESCAPED[code.toLowerCase()] ?? code,
  );
  const [, word] = ENCODED_WORD.exec(path) ?? [];
  return {
    path: word === undefined ? path : String(Buffer.from(word, "base64")),
    isEncoded: false,
  };
}
