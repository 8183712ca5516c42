import { z } from "zod";

import { httpAddress } from "../http-address.ts";

const ID_MAX_LENGTH = 256;
const EMAIL_MAX_LENGTH = 320;
const KEY_MAX_LENGTH = 16_384;
const LABELS_MAX = 20;
const id = z.string().min(1).max(ID_MAX_LENGTH);

/** A service account's key file, as an object or as the file's text. */
export const serviceAccount = z.preprocess(
  parsedWhenText,
  z.looseObject({
    client_email: z.string().min(1).max(EMAIL_MAX_LENGTH),
    private_key: z.string().min(1).max(KEY_MAX_LENGTH),
    private_key_id: z.string().max(ID_MAX_LENGTH).optional(),
    token_uri: httpAddress.optional(),
  }),
);

export const cloudDriveConfig = z
  .strictObject({
    /** Everything beneath this folder; without it, the whole shared drive. */
    rootFolderId: id.optional(),
    sharedDriveId: id.optional(),
    /** The user that the service account acts for (domain-wide delegation). */
    subject: z.email().max(EMAIL_MAX_LENGTH).optional(),
    /** Drive labels whose values become the metadata `labels`. */
    labelIds: z.array(id).max(LABELS_MAX).optional(),
    apiBaseUrl: httpAddress.optional(),
  })
  .refine(({ rootFolderId, sharedDriveId }) => rootFolderId ?? sharedDriveId, {
    path: ["rootFolderId"],
    message: "or sharedDriveId is required",
  });

export type GoogleDriveConfig = z.infer<typeof cloudDriveConfig>;
export type ServiceAccount = z.infer<typeof serviceAccount>;

function parsedWhenText(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
