import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";

import { toBatches, splitBySize } from "../../core/work/batches.ts";
import { kindByName, mediaTypeByName } from "../../documents/media-type/media-types.ts";
import { dataOf, encodePath, type PanelApi } from "../api/clients.ts";
import { reasonOf, type LocalFile } from "./list-folder.ts";

/** `readers` null: the push names no readers. */
type Upload = LocalFile & { readers?: string[] | null };

const MIB = 1 << 20;
/** Larger files are uploaded one by one. */
const SMALL_FILE_BYTES = MIB;
/** Files of one call: the service takes 500 files and 32 MiB; smaller calls show progress. */
const FILES_PER_CALL = 250;
const BYTES_PER_CALL = 8 * MIB;

/** The files in the calls that upload them: small ones together, in their order. */
export function uploadsOf<File extends LocalFile>(files: File[]): File[][] {
  const small = files.filter(({ size }) => size <= SMALL_FILE_BYTES);
  const large = files.filter(({ size }) => size > SMALL_FILE_BYTES);
  const limits = { total: BYTES_PER_CALL, count: FILES_PER_CALL };
  return [...splitBySize(small, limits, ({ size }) => size), ...toBatches(large, 1)];
}

/**
 * Uploads the files of one call. Returns why each of them failed, null where it did not.
 * @throws CommandFailure when the call as a whole was refused or not answered
 */
export async function uploadFiles(api: PanelApi, source: string, files: Upload[]) {
  const contents = await Promise.all(files.map(partOf));
  const parts = contents.flatMap((content) => ("data" in content ? [content] : []));
  const [only] = parts;
  if (only !== undefined && files.length === 1) {
    const { path, data, headers } = only;
    const params = { path: { id: source, path } };
    await api.PUT("/file-sources/{id}/files/{path}", { params, ...bytes(data, headers) });
    return [null];
  }
  const answers = (parts.length === 0 ? [] : await putFiles(api, source, parts)).values();
  return contents.map((content) => {
    if ("reason" in content) return content.reason;
    const answer = answers.next().value ?? NO_ANSWER;
    return "error" in answer ? `${answer.error} (${answer.status})` : null;
  });
}

const NO_ANSWER = { status: 500, error: "no answer for this file" };

/** The body is sent as it is; the types know it as text. */
const bytes = (data: Uint8Array, headers: Record<string, string>) => ({
  body: "",
  bodySerializer: () => data,
  headers,
});

/** Many small files in one call; the answers are in their order. */
async function putFiles(api: PanelApi, id: string, files: BatchPart[]) {
  const parts = files.map((file) => ({ ...file, path: encodePath(file.path) }));
  const { data, contentType } = multipartBody(parts);
  const { repeating: fetch } = api;
  const upload = { ...bytes(data, { "Content-Type": contentType }), body: { file: [] } };
  const call = { params: { path: { id } }, ...upload, fetch };
  return (await dataOf(api.POST("/file-sources/{id}/files", call))).files;
}

async function partOf({
  path,
  absolutePath,
  modifiedAt,
  readers = null,
}: Upload): Promise<BatchPart | { reason: string }> {
  try {
    const data = new Uint8Array(await readFile(absolutePath));
    const who = readers === null ? {} : { "X-File-Readers": asciiJson(readers) };
    const headers = { ...modifiedOf(modifiedAt), ...who, "Content-Type": contentTypeOf(path) };
    return { path, data, headers };
  } catch (thrown) {
    return { reason: reasonOf(thrown) };
  }
}

/** Headers are ASCII. */
const asciiJson = (value: unknown) =>
  JSON.stringify(value).replaceAll(/[^ -~]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });

const MAX_MODIFIED_MS = Date.UTC(9_999, 0);

/** A broken clock or archive gives times that the service refuses: the file is sent without. */
function modifiedOf(ms: number): Record<string, string> {
  const isTaken = ms >= 0 && ms < MAX_MODIFIED_MS;
  return isTaken ? { "X-File-Modified": new Date(ms).toISOString() } : {};
}

/** Source code and settings are sent as text, whatever their registered types are. */
export function contentTypeOf(path: string): string {
  const isCode = kindByName(path) === "code" && /\.[^/]+$/.test(path);
  return isCode ? "text/plain" : mediaTypeByName(path);
}

/** A file of a batch; `path` is percent-encoded segment by segment. */
type BatchPart = { path: string; data: Uint8Array; headers: Record<string, string> };

/** A `multipart/form-data` body with a part for each file, as POST …/files takes it. */
export function multipartBody(parts: BatchPart[]) {
  const boundary = `quarry-${randomUUID()}`;
  const pieces = parts.flatMap(({ path, data, headers }) => {
    const partHeaders = Object.entries({ "X-File-Path": path, ...headers });
    const lines = partHeaders.map(([name, value]) => `${name}: ${value}\r\n`).join("");
    const disposition = 'Content-Disposition: form-data; name="file"; filename="file"';
    const head = `--${boundary}\r\n${disposition}\r\n${lines}\r\n`;
    return [Buffer.from(head), data, Buffer.from("\r\n")];
  });
  const data = Uint8Array.from(Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]));
  return { data, contentType: `multipart/form-data; boundary=${boundary}` };
}
