import type { TestProject } from "vitest/node";

import { CREDENTIALS, startObjectStorage } from "./object-storage.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** A real S3-compatible server with one empty bucket; the only one for all tests. */
    objectStorage: {
      endpoint: string;
      bucket: string;
      credentials: { accessKeyId: string; secretAccessKey: string };
    };
  }
}

/** Serves object storage on loopback, for tests inside workerd. */
export default async function serveObjectStorage(
  project: TestProject,
): Promise<() => Promise<void>> {
  const storage = await startObjectStorage("library");
  const { endpoint, bucket } = storage;
  project.provide("objectStorage", { endpoint, bucket, credentials: CREDENTIALS });
  return () => storage.stop();
}
