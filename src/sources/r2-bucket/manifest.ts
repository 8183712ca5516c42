import { z } from "zod";

import { objectStorage } from "../object-storage/manifest.ts";
import { prefix } from "../object-storage/object-storage-config.ts";
import { sourceManifest } from "../source-manifest.ts";

export const r2Bucket = sourceManifest({
  id: "r2",
  provider: objectStorage.provider,
  name: "R2 of this service",
  summary: "The files of the bucket that is bound to this service.",
  config: z.strictObject({ r2: z.literal(true), prefix }),
  open: async (config, { bucket, readsPermissions, known: knownFiles }) => {
    const { r2BucketReader } = await import("./r2-bucket-reader.ts");
    return r2BucketReader(bucket, config, { readsPermissions, known: knownFiles });
  },
});
