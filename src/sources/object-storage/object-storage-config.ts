import { z } from "zod";

import { httpAddress } from "../http-address.ts";

const NAME_MAX_LENGTH = 1_024;
/** Temporary credentials of AWS carry their policies in it. */
const TOKEN_MAX_LENGTH = 16_384;
const name = z.string().min(1).max(NAME_MAX_LENGTH);

const prefix = z.string().max(NAME_MAX_LENGTH).optional();

/** The bucket that is bound to the Worker. */
export const boundBucketConfig = z.strictObject({ r2: z.literal(true), prefix });

export const objectStorageCredentials = z.strictObject({
  accessKeyId: name,
  secretAccessKey: name,
  sessionToken: z.string().min(1).max(TOKEN_MAX_LENGTH).optional(),
});

/** Any vendor that speaks S3. */
export const objectStorageConfig = z.strictObject({
  endpoint: httpAddress,
  region: name,
  bucket: name,
  prefix,
  /** False: the bucket is a label of the host name. */
  pathStyle: z.boolean().default(true),
});

export type ObjectStorageConfig = z.infer<typeof objectStorageConfig>;
export type ObjectStorageSecrets = z.infer<typeof objectStorageCredentials>;
