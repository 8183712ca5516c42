import type { KnownFiles } from "../../../src/ports/source-reader.ts";

/** A source that was never scanned. */
export const knownNone: KnownFiles = {
  byPath: async () => [],
  byExternalId: async () => [],
  all: async () => [],
  pushed: async () => [],
};
