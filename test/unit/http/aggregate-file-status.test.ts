import { expect, test } from "vitest";

import type { FileStatus, PublicFile } from "../../../src/db/files/public-files.ts";
import { aggregateFileStatus } from "../../../src/http/routes/inference-files.ts";

const file = (status: FileStatus): PublicFile => ({
  path: "a",
  externalId: null,
  name: "a",
  status,
  indexedAt: null,
  size: 1,
  isExcluded: false,
  mimeType: "text/plain",
  errorMessage: null,
});
const among = (...statuses: FileStatus[]) => aggregateFileStatus(statuses.map(file))?.status;

test("error, pending, processing, indexed, deleted: the first found is the file's", () => {
  expect(among("deleted", "indexed", "processing", "pending", "error")).toBe("error");
  expect(among("indexed", "processing", "pending")).toBe("pending");
  expect(among("indexed", "processing")).toBe("processing");
  expect(among("deleted", "indexed")).toBe("indexed");
  expect(among("deleted")).toBe("deleted");
  expect(among()).toBeUndefined();
});
