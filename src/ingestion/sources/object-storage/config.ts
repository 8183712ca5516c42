import type { z } from "zod";

import type {
  objectStorageConfig,
  objectStorageCredentials,
} from "../../../catalog/provider-config/object-storage.ts";

export type ObjectStorageConfig = z.infer<typeof objectStorageConfig>;
export type ObjectStorageSecrets = z.infer<typeof objectStorageCredentials>;
