import { z } from "zod";

import type { UnreadItem } from "../../ports/source-reader.ts";
import type { ApiClient } from "../api-client.ts";
import { listedItem } from "../listed-items.ts";
import { drivePermission, PERMISSION_FIELDS } from "./drive-permission.ts";

/** A file of Drive v3, with the fields that are requested. */
export const driveFile = z.object({
  id: z.string().min(1),
  name: z.string(),
  mimeType: z.string(),
  parents: z.array(z.string()).optional(),
  trashed: z.boolean().optional(),
  size: z.coerce.number().int().nonnegative().optional(),
  md5Checksum: z.string().optional(),
  headRevisionId: z.string().optional(),
  modifiedTime: z.string().optional(),
  createdTime: z.string().optional(),
  webViewLink: z.string().optional(),
  owners: z.array(z.object({ emailAddress: z.string().optional() })).optional(),
  shortcutDetails: z
    .object({ targetId: z.string(), targetMimeType: z.string().optional() })
    .optional(),
  labelInfo: z
    .object({
      labels: z.array(z.object({ id: z.string(), fields: z.unknown().optional() })).optional(),
    })
    .optional(),
  /** Null: in somebody's own drive. */
  driveId: z.string().nullable().default(null),
  /** Hidden from those who may not share it; items of shared drives have none. */
  permissions: z.array(drivePermission).optional(),
  /** Told of items of shared drives: whether they have permissions of their own. */
  hasAugmentedPermissions: z.boolean().optional(),
  /** A folder with limited access. */
  inheritedPermissionsDisabled: z.boolean().optional(),
});
export type DriveFile = z.infer<typeof driveFile>;

const FILE_FIELDS =
  "id,name,mimeType,parents,trashed,size,md5Checksum,headRevisionId,modifiedTime,createdTime," +
  "webViewLink,owners(emailAddress),shortcutDetails(targetId,targetMimeType),labelInfo,driveId";

const READER_FIELDS = `hasAugmentedPermissions,inheritedPermissionsDisabled,permissions(${PERMISSION_FIELDS})`;

export const fieldsOf = (withReaders: boolean) =>
  withReaders ? `${FILE_FIELDS},${READER_FIELDS}` : FILE_FIELDS;

const GOOGLE = "application/vnd.google-apps.";
export const FOLDER = `${GOOGLE}folder`;
const SHORTCUT = `${GOOGLE}shortcut`;

const OFFICE = "application/vnd.openxmlformats-officedocument.";
/**
 * Export types of Google's own documents.
 * https://developers.google.com/workspace/drive/api/guides/ref-export-formats
 */
const EXPORTS = new Map([
  [`${GOOGLE}document`, "text/markdown"],
  [`${GOOGLE}spreadsheet`, `${OFFICE}spreadsheetml.sheet`],
  [`${GOOGLE}presentation`, `${OFFICE}presentationml.presentation`],
]);

/** The type to export to; null for a file that has bytes of its own. */
export const exportTypeOf = (mimeType: string): string | null => EXPORTS.get(mimeType) ?? null;

/** Forms, sites, maps and the like are not files of anything. */
const hasNoContent = (mimeType: string) =>
  mimeType.startsWith(GOOGLE) && exportTypeOf(mimeType) === null;

/** Equal versions mean equal bytes: a checksum, or the time of the last change of a document. */
export function versionOf(file: DriveFile): string {
  const { md5Checksum, headRevisionId, modifiedTime = "", size = 0 } = file;
  if (exportTypeOf(file.mimeType) !== null) return `export/${modifiedTime}`;
  return md5Checksum ?? headRevisionId ?? `${modifiedTime}/${size}`;
}

/** Fields that `providerFilter` may name. */
export function metadataOf(file: DriveFile, ancestors: string[]): Record<string, unknown> {
  const { owners = [], mimeType, webViewLink, modifiedTime, labelInfo } = file;
  const owner = owners.flatMap(({ emailAddress }) => emailAddress ?? []);
  const labels = labelInfo?.labels ?? [];
  return {
    mimeType,
    ...(owner.length === 0 ? {} : { owner }),
    ...(labels.length === 0 ? {} : { labels: labels.flatMap(labelValues) }),
    ...(webViewLink === undefined ? {} : { webViewLink }),
    ...(modifiedTime === undefined ? {} : { modifiedTime }),
    ancestors,
  };
}

const labelField = z.object({
  selection: z.array(z.string()).optional(),
  text: z.array(z.string()).optional(),
});

/** A label counts by its id and by what was chosen or written in its fields. */
function labelValues({ id, fields }: { id: string; fields?: unknown }): string[] {
  const values = typeof fields === "object" && fields !== null ? Object.values(fields) : [];
  const parsed = values.map((field) => labelField.safeParse(field).data ?? {});
  return [id, parsed.flatMap(({ selection = [], text = [] }) => selection.concat(text))].flat();
}

/** The file to read, or why none is read, in words for users. */
type Reading = { target: DriveFile } | { reason: string } | { unread: UnreadItem[] };

/** A shortcut is followed once, to a file that the account sees. */
export async function resolveReading(
  client: ApiClient,
  file: DriveFile,
  fields: string,
): Promise<Reading> {
  if (file.mimeType !== SHORTCUT) return readingOf(file);
  const { shortcutDetails } = file;
  const type = shortcutDetails?.targetMimeType;
  if (type === FOLDER) return { reason: "shortcuts to folders are not followed" };
  if (shortcutDetails === undefined || type === SHORTCUT) return { reason: FOLLOWED_ONCE };
  const path = `files/${encodeURIComponent(shortcutDetails.targetId)}`;
  const address = client.address(path, { fields, supportsAllDrives: true });
  const answer = await client.find(listedItem(driveFile), address, { absent: GONE });
  if (answer !== null && answer.unread.length > 0)
    return { unread: answer.unread.map((each) => ({ ...each, id: file.id })) };
  const target = answer?.items[0];
  if (target === undefined || target.trashed === true) return { reason: LEADS_NOWHERE };
  return target.mimeType === SHORTCUT ? { reason: FOLLOWED_ONCE } : readingOf(target);
}

function readingOf(file: DriveFile): Reading {
  const { mimeType } = file;
  if (!hasNoContent(mimeType)) return { target: file };
  return { reason: `Google Drive cannot export files of type ${mimeType}` };
}

/** Statuses of files that were deleted or are not shared. */
const GONE = [403, 404];
const FOLLOWED_ONCE = "shortcuts to shortcuts are not followed";
const LEADS_NOWHERE =
  "the shortcut leads to a file that was deleted or is not shared with this account";
