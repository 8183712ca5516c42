import { timeIn } from "../../core/time.ts";
import { inParallel } from "../../core/work/parallel.ts";
import type { KnownFiles, ListedFile } from "../../ports/source-reader.ts";
import type { ApiClient } from "../api-client.ts";
import { segmentOf, type FolderPlace, type FolderTree } from "../folder-tree.ts";
import { uniquePaths } from "../unique-paths.ts";
import {
  exportTypeOf,
  fieldsOf,
  FOLDER,
  metadataOf,
  versionOf,
  withTargets,
} from "./drive-files.ts";
import type { DriveFile } from "./drive-files.ts";
import type { DriveReaders } from "./drive-readers.ts";

export const READERS_AT_ONCE = 6;

type Reading = {
  client: ApiClient;
  known: Pick<KnownFiles, "byPath" | "byExternalId">;
  /** Null: who may read the files is not asked. */
  readers: DriveReaders | null;
};

/** Those files that lie beneath the root, shortcuts as what they lead to. */
export async function filesBeneath(
  { client, known, readers }: Reading,
  { found, places }: { found: DriveFile[]; places: FolderTree },
  signal: AbortSignal,
) {
  const inside = found.flatMap((file) => {
    const place = places.placeOf(file.parents?.[0] ?? "");
    return place === null || file.mimeType === FOLDER ? [] : [{ file, place }];
  });
  const fields = fieldsOf(readers !== null);
  const { readable, unreadable } = await withTargets(client, { inside, fields }, signal);
  const paths = await uniquePaths(
    known,
    readable.map(({ file, place }) => ({
      id: file.id,
      path: pathOf(place, file),
    })),
  );
  const files = await inParallel(readable, READERS_AT_ONCE, async (each) => {
    const { file, place, target } = each;
    const path = paths.get(file.id) ?? "";
    const listed = listedFile(file, { target, path, ancestors: place.ancestors });
    return readers === null
      ? listed
      : { ...listed, readers: await readers.readersOf(each, signal) };
  });
  const problems = unreadable.map(({ file, place, reason }) => ({
    path: pathOf(place, file),
    message: reason,
  }));
  return { files, skipped: problems.length, problems };
}

const pathOf = ({ path }: FolderPlace, { name }: DriveFile) => `${path}${segmentOf(name)}`;

function listedFile(
  file: DriveFile,
  { target, path, ancestors }: { target: DriveFile; path: string; ancestors: string[] },
): ListedFile {
  return {
    path,
    externalId: file.id,
    url: file.webViewLink ?? null,
    name: file.name,
    size: target.size ?? 0,
    mimeType: exportTypeOf(target.mimeType) ?? target.mimeType,
    version: versionOf(target),
    metadata: metadataOf({ ...target, webViewLink: file.webViewLink }, ancestors),
    sourceState: target.id === file.id ? null : { targetId: target.id },
    modifiedAt: timeIn(target.modifiedTime ?? ""),
  };
}
