import { z } from "zod";

import { httpAddress } from "../guarded-url.ts";

const MAX_NAME_LENGTH = 1_024;
/** Temporary credentials of AWS carry their policies in it. */
const MAX_TOKEN_LENGTH = 16_384;
const name = z.string().min(1).max(MAX_NAME_LENGTH);

export const prefix = z.string().max(MAX_NAME_LENGTH).optional().meta({
  label: "Folder",
  hint: "Only keys that begin with it, such as handbook/. If empty, the whole bucket.",
});

const credentials = z.strictObject({
  accessKeyId: name.meta({ label: "Access key id" }),
  secretAccessKey: name.meta({ label: "Secret access key", input: "password" }),
  sessionToken: z.string().min(1).max(MAX_TOKEN_LENGTH).optional().meta({
    label: "Session token",
    input: "password",
    folded: "Temporary credentials",
  }),
});

export const objectStorageConfig = z.strictObject({
  endpoint: httpAddress.meta({
    label: "Endpoint",
    placeholder: "https://s3.eu-central-1.amazonaws.com",
    destination: true,
  }),
  region: name.meta({ label: "Region", placeholder: "eu-central-1", isHalf: true }),
  // Where it is a part of the host name, these would end that.
  bucket: name
    .regex(/^[^/\\?#]*$/, String.raw`must be a name, without /, \, ? and #`)
    .meta({ label: "Bucket", isHalf: true }),
  prefix,
  pathStyle: z
    .boolean()
    .default(true)
    .meta({ label: "The bucket is part of the path, not of the host name" }),
  credentials: credentials.meta({ secret: true }),
});

export type ObjectStorageConfig = Omit<z.infer<typeof objectStorageConfig>, "credentials">;
export type ObjectStorageSecrets = z.infer<typeof credentials>;
