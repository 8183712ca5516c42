import { inParallel } from "../../core/work/parallel.ts";
import type { DriveClient } from "./drive-client.ts";
import {
  driveFile,
  FILE_FIELDS,
  FOLDER,
  hasNoContent,
  SHORTCUT,
  type DriveFile,
} from "./drive-files.ts";

const SHORTCUTS_AT_ONCE = 4;

/**
 * Files with what is read for them: a shortcut is followed once, to a file that the account sees.
 * Shortcuts to shortcuts or folders and files without content are left out.
 */
export async function withTargets<Found extends { file: DriveFile }>(
  client: DriveClient,
  inside: Found[],
  signal: AbortSignal,
): Promise<(Found & { target: DriveFile })[]> {
  const shortcuts = inside.filter(({ file }) => file.mimeType === SHORTCUT);
  const targets = new Map<string, DriveFile>();
  await inParallel(shortcuts, SHORTCUTS_AT_ONCE, async ({ file }) => {
    const target = await targetOf(client, file, signal);
    if (target !== null) targets.set(file.id, target);
  });
  return inside.flatMap((found) => {
    const isShortcut = found.file.mimeType === SHORTCUT;
    const target = isShortcut ? (targets.get(found.file.id) ?? null) : found.file;
    return target === null || hasNoContent(target.mimeType) ? [] : [{ ...found, target }];
  });
}

async function targetOf(
  client: DriveClient,
  { shortcutDetails }: DriveFile,
  signal: AbortSignal,
): Promise<DriveFile | null> {
  if (shortcutDetails === undefined || shortcutDetails.targetMimeType === FOLDER) return null;
  const path = `files/${encodeURIComponent(shortcutDetails.targetId)}`;
  const query = { fields: FILE_FIELDS, supportsAllDrives: true };
  const asked = await client.ask(driveFile, path, query, signal);
  if ("answer" in asked) return asked.answer.trashed === true ? null : asked.answer;
  if (asked.error.status === 404 || asked.error.status === 403) return null;
  throw client.failure(asked.error);
}
