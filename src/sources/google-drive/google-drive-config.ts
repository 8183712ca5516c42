import { z } from "zod";

import { parseJson } from "../../core/input/parse-json.ts";
import { apiAddress, httpAddress } from "../guarded-url.ts";

const MAX_ID_LENGTH = 256;
const MAX_EMAIL_LENGTH = 320;
const MAX_KEY_LENGTH = 16_384;
const MAX_LABELS = 20;
const id = z.string().min(1).max(MAX_ID_LENGTH);

/** A service account's key file, as an object or as the file's text. */
const serviceAccount = z.preprocess(
  (value) => (typeof value === "string" ? (parseJson(value) ?? value) : value),
  z.looseObject({
    client_email: z.string().min(1).max(MAX_EMAIL_LENGTH),
    private_key: z.string().min(1).max(MAX_KEY_LENGTH),
    private_key_id: z.string().max(MAX_ID_LENGTH).optional(),
    token_uri: httpAddress.optional().meta({ encrypted: true }),
  }),
);

const FURTHER = "Acting for a user, labels, another address";

export const cloudDriveConfig = z
  .strictObject({
    sharedDriveId: id
      .optional()
      .meta({ label: "Shared drive", hint: "Its id, the last part of its address. Or:" }),
    /** Without it, the whole shared drive. */
    rootFolderId: id
      .optional()
      .meta({ label: "Folder", hint: "The id of a folder. Quarry reads everything in it." }),
    credentials: serviceAccount.meta({
      label: "Key file of the service account",
      hint: "The whole JSON file. The folder or drive must be shared with its e-mail.",
      rows: 6,
      secret: true,
    }),
    subject: z.email().max(MAX_EMAIL_LENGTH).optional().meta({
      label: "Acts for",
      hint: "With domain-wide delegation: the user's e-mail.",
      input: "email",
      folded: FURTHER,
    }),
    labelIds: z.array(id).max(MAX_LABELS).optional().meta({
      label: "Labels",
      hint: "Ids of Drive labels, one a line; their values become the files' metadata.",
      folded: FURTHER,
    }),
    apiBaseUrl: apiAddress({ folded: FURTHER }),
  })
  .refine(({ rootFolderId, sharedDriveId }) => rootFolderId ?? sharedDriveId, {
    path: ["rootFolderId"],
    message: "or sharedDriveId is required",
  });

export type GoogleDriveConfig = Omit<z.infer<typeof cloudDriveConfig>, "credentials">;
export type ServiceAccount = z.infer<typeof serviceAccount>;
