import { timeIn } from "../../core/time.ts";
import { mapParallel } from "../../core/work/parallel.ts";
import type { ListedFile, UnreadItem } from "../../ports/source-reader.ts";
import type { ApiClient } from "../api-client.ts";
import { folderTree, segmentOf, type FolderPlace, type FolderTree } from "../folder-tree.ts";
import type { DriveOptions } from "../source-manifest.ts";
import { uniquePaths } from "../unique-paths.ts";
import {
  exportTypeOf,
  fieldsOf,
  FOLDER,
  metadataOf,
  resolveReading,
  versionOf,
} from "./drive-files.ts";
import type { DriveFile } from "./drive-files.ts";
import type { StoredTree } from "./drive-listing.ts";
import type { DriveReaders } from "./drive-readers.ts";

const SHORTCUTS_AT_ONCE = 4;
export const READERS_AT_ONCE = 6;

type Reading = {
  client: ApiClient;
  known: DriveOptions["known"];
  /** Null: who may read the files is not asked. */
  readers: DriveReaders | null;
};

/** Those files that lie beneath the root, shortcuts as what they lead to. */
export async function filesBeneath(
  { client, known: knownFiles, readers }: Reading,
  driveFiles: DriveFile[],
  places: FolderTree,
) {
  const inside = driveFiles.flatMap((file) => {
    const place = places.placeOf(file.parents?.[0] ?? "");
    return place === null || file.mimeType === FOLDER
      ? []
      : [{ file, place, path: pathOf(place, file) }];
  });
  const fields = fieldsOf(readers !== null);
  const resolved = await mapParallel(inside, SHORTCUTS_AT_ONCE, async (each) => ({
    ...each,
    ...(await resolveReading(client, each.file, fields)),
  }));
  const readable = resolved.flatMap((each) => ("target" in each ? [each] : []));
  const paths = await uniquePaths(
    knownFiles,
    readable.map(({ file, path }) => ({ id: file.id, path })),
  );
  const files = await mapParallel(readable, READERS_AT_ONCE, async (each): Promise<ListedFile> => {
    const { file, place, target } = each;
    const path = paths.get(file.id) ?? "";
    const listing = listedFile(file, { target, path, ancestors: place.ancestors });
    return readers === null ? listing : { ...listing, readers: await readers.readersOf(each) };
  });
  // Files without content, and shortcuts that lead to none, are left out, each with its reason.
  const problems = resolved.flatMap((each) =>
    "reason" in each ? [{ path: each.path, message: each.reason }] : [],
  );
  const unread = resolved.flatMap((each) => ("unread" in each ? each.unread : []));
  return { files, skipped: problems.length, problems, unread };
}

/** Known files that lie in folders that could not be read: where they lie is unknown. */
export async function filesInUnread(
  knownFiles: DriveOptions["known"],
  driveFiles: DriveFile[],
  { tree: { folders, unread }, places }: { tree: StoredTree; places: FolderTree },
): Promise<UnreadItem[]> {
  if (unread.length === 0) return [];
  const trees = [places, ...unread.map((root) => folderTree({ root, folders }))];
  const isInUnread = ({ parents: [parent = ""] = [] }: DriveFile) =>
    trees.findIndex(({ placeOf }) => placeOf(parent) !== null) > 0;
  const files = await knownFiles.byExternalId(driveFiles.filter(isInUnread).map(({ id }) => id));
  const message = "a folder that it lies in could not be read";
  return files.map(({ externalId: id, path }) => ({ id, path, message }));
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
