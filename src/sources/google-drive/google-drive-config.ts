import { z } from "zod";

import { httpAddress } from "../http-address.ts";

const ID_MAX_LENGTH = 256;
const id = z.string().min(1).max(ID_MAX_LENGTH);

/** A service account's key file, as an object or as the file's text. */
export const serviceAccount = z.preprocess(
  parsedWhenText,
  z.looseObject({
    client_email: z.string().min(1),
    private_key: z.string().min(1),
    token_uri: httpAddress.optional(),
  }),
);

export const cloudDriveConfig = z
  .strictObject({
    rootFolderId: id.optional(),
    sharedDriveId: id.optional(),
    apiBaseUrl: httpAddress.optional(),
  })
  .refine(({ rootFolderId, sharedDriveId }) => rootFolderId ?? sharedDriveId, {
    path: ["rootFolderId"],
    message: "or sharedDriveId is required",
  });

function parsedWhenText(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
