import { inParallel } from "../../core/work/parallel.ts";
import type { ApiClient } from "../api-client.ts";
import {
  driveFile,
  FILE_FIELDS,
  FOLDER,
  hasNoContent,
  SHORTCUT,
  type DriveFile,
} from "./drive-files.ts";

const SHORTCUTS_AT_ONCE = 4;

/** What is read for a file, or why nothing is, as a user is told it. */
type Reading = { target: DriveFile } | { reason: string };

/**
 * Files with what is read for them: a shortcut is followed once, to a file that the account sees.
 * Shortcuts to shortcuts or folders and files without content are left out, each with its reason.
 */
export async function withTargets<Inside extends { file: DriveFile }>(
  client: ApiClient,
  inside: Inside[],
  signal: AbortSignal,
): Promise<{
  readable: (Inside & { target: DriveFile })[];
  unreadable: (Inside & { reason: string })[];
}> {
  const shortcuts = inside.filter(({ file }) => file.mimeType === SHORTCUT);
  const followed = new Map<string, Reading>();
  await inParallel(shortcuts, SHORTCUTS_AT_ONCE, async ({ file }) => {
    followed.set(file.id, await behindShortcut(client, file, signal));
  });
  const readable: (Inside & { target: DriveFile })[] = [];
  const unreadable: (Inside & { reason: string })[] = [];
  for (const found of inside) {
    const reading = followed.get(found.file.id) ?? readingOf(found.file);
    if ("target" in reading) readable.push({ ...found, ...reading });
    else unreadable.push({ ...found, ...reading });
  }
  return { readable, unreadable };
}

function readingOf(file: DriveFile): Reading {
  const { mimeType } = file;
  if (!hasNoContent(mimeType)) return { target: file };
  return { reason: `Google Drive offers no text of files of the type ${mimeType}` };
}

async function behindShortcut(
  client: ApiClient,
  { shortcutDetails }: DriveFile,
  signal: AbortSignal,
): Promise<Reading> {
  const type = shortcutDetails?.targetMimeType;
  if (type === FOLDER) return { reason: "shortcuts to folders are not followed" };
  if (shortcutDetails === undefined || type === SHORTCUT) return { reason: FOLLOWED_ONCE };
  const query = { fields: FILE_FIELDS, supportsAllDrives: true };
  const path = `files/${encodeURIComponent(shortcutDetails.targetId)}`;
  const asked = await client.ask(driveFile, client.address(path, query), signal);
  if ("answer" in asked) {
    const { answer } = asked;
    if (answer.trashed === true) return { reason: LEADS_NOWHERE };
    return answer.mimeType === SHORTCUT ? { reason: FOLLOWED_ONCE } : readingOf(answer);
  }
  const failure = client.failure(asked.error);
  // Google throttles with 403 as well, and a file that is taken for gone leaves the index.
  if (failure.kind === "throttled" || !GONE.has(asked.error.status)) throw failure;
  return { reason: LEADS_NOWHERE };
}

/** Of what was deleted or is not shared. */
const GONE = new Set([403, 404]);
const FOLLOWED_ONCE = "shortcuts to shortcuts are not followed";
const LEADS_NOWHERE =
  "the shortcut leads to a file that was deleted or is not shared with this account";
