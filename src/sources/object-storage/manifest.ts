import { sourceManifest } from "../source-manifest.ts";
import { objectStorageConfig } from "./object-storage-config.ts";

export const objectStorage = sourceManifest({
  id: "s3",
  provider: "object_storage",
  name: "S3",
  summary: "A bucket of Amazon S3, MinIO, Backblaze, R2 of another account, or a similar service.",
  config: objectStorageConfig,
  open: async ({ credentials, ...config }, tools) => {
    const { objectStorageReader } = await import("./object-storage-reader.ts");
    return objectStorageReader(config, credentials, tools);
  },
});
