import { parseJson } from "../../core/input/parse-json.ts";
import { principalOf } from "../../core/principals.ts";
import type { Now } from "../../core/time.ts";
import { mapParallel } from "../../core/work/parallel.ts";
import { SourceFailure, type FileReaders } from "../../ports/source-reader.ts";
import type { KnownFiles, ListedFile } from "../../ports/source-reader.ts";

/** The metadata of an object that names who may read it; S3 writes `x-amz-meta-` before it. */
export const READERS = "readers";

/** A JSON list of principals, or principals with commas between; undefined: none are named. */
export function readersInMetadata(text: string | null | undefined): FileReaders | undefined {
  if (text === null || text === undefined) return undefined;
  const json = parseJson(text);
  const values: unknown[] = Array.isArray(json)
    ? json
    : text.split(",").filter((name) => name.trim());
  const principals: { principal: string; from: string }[] = [];
  for (const name of values) {
    const principal = typeof name === "string" ? principalOf(name) : null;
    if (principal === null) return { unreadable: "its metadata readers names no principals" };
    principals.push({ principal, from: "file" });
  }
  return { principals };
}

const OBJECTS_AT_ONCE = 6;
/** Times of objects are whole seconds, in which metadata may change once more. */
const SETTLED_MS = 2_000;

type Reading = {
  known: Pick<KnownFiles, "byExternalId"> | undefined;
  /** The metadata `readers` of an object, by a call. @throws SourceFailure */
  metadataOf: (file: ListedFile) => Promise<string | null>;
  now: Now;
};

/** Files with their readers, which S3 has object by object: of those that are new or changed. */
export async function addReaders(
  files: ListedFile[],
  { known: knownFiles, metadataOf, now }: Reading,
): Promise<ListedFile[]> {
  const before = await knownFiles?.byExternalId(files.map((file) => file.externalId ?? ""));
  const byKey = new Map(before?.map((file) => [file.externalId, file]));
  return await mapParallel(files, OBJECTS_AT_ONCE, async (file): Promise<ListedFile> => {
    const earlierReaders = reuseReaders(file, byKey.get(file.externalId));
    const principals =
      earlierReaders === undefined ? await metadataOf(file).catch(refusal) : earlierReaders;
    if (principals instanceof SourceFailure)
      return { ...file, readers: { unreadable: principals.message } };
    const readers = readersInMetadata(principals);
    const { modifiedAt = null } = file;
    const isSettled = modifiedAt !== null && modifiedAt + SETTLED_MS < now();
    const sourceState = { [READERS]: principals, readAt: isSettled ? modifiedAt : null };
    return { ...file, sourceState, ...(readers === undefined ? {} : { readers }) };
  });
}

/** Readers of an earlier scan; null: none, undefined: to be read, as the object changed. */
function reuseReaders(file: ListedFile, earlier: ListedFile | undefined) {
  const { [READERS]: text, readAt } = earlier?.sourceState ?? {};
  const isSame = earlier?.version === file.version && readAt !== null && readAt === file.modifiedAt;
  return isSame && (text === null || typeof text === "string") ? text : undefined;
}

/** A refusal of one object; one that concerns all objects ends the listing. */
function refusal(failure: unknown): SourceFailure {
  const isOfFile =
    failure instanceof SourceFailure && (failure.kind === "denied" || failure.kind === "bad-file");
  if (isOfFile) return failure;
  throw failure;
}
