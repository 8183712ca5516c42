import type { z } from "zod";

import type { objectStorageConfig, objectStorageCredentials } from "./object-storage-config.ts";

export type ObjectStorageConfig = z.infer<typeof objectStorageConfig>;
export type ObjectStorageSecrets = z.infer<typeof objectStorageCredentials>;
