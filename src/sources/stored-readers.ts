import { z } from "zod";

import type { FileReaders } from "../ports/source-reader.ts";

/** Readers as a source keeps them between scans. */
export const storedReaders: z.ZodType<FileReaders> = z.union([
  z.object({ principals: z.array(z.object({ principal: z.string(), from: z.string() })) }),
  z.object({ unreadable: z.string() }),
]);

/** Whether the same principals read; what is unknown is the same only if both are. */
export function isSame(a: FileReaders, b: FileReaders | undefined): boolean {
  if (b === undefined) return false;
  return JSON.stringify(namesOf(a)) === JSON.stringify(namesOf(b));
}

const namesOf = (readers: FileReaders) =>
  "unreadable" in readers ? null : readers.principals.map(({ principal }) => principal).sort();
