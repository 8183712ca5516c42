import { z } from "zod";

/** Settings of an S3-compatible source, without secrets. */
export const objectStorageConfig = z.object({
  /** `https://s3.example.com`, without the bucket. */
  endpoint: z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/\/+$/, "")),
  region: z.string().min(1).default("us-east-1"),
  bucket: z.string().min(1),
  /** A folder; empty: the whole bucket. */
  prefix: z.string().optional(),
  /** False: the bucket is a label of the host name. */
  pathStyle: z.boolean().default(true),
});
export type ObjectStorageConfig = z.infer<typeof objectStorageConfig>;

export const objectStorageSecrets = z.object({
  accessKeyId: z.string().min(1),
  secretAccessKey: z.string().min(1),
  sessionToken: z.string().min(1).optional(),
});
export type ObjectStorageSecrets = z.infer<typeof objectStorageSecrets>;
