import { z } from "zod";

import type { FileReaders } from "../ports/source-reader.ts";

export const storedReaders: z.ZodType<FileReaders> = z.union([
  z.object({ principals: z.array(z.object({ principal: z.string(), from: z.string() })) }),
  z.object({ unreadable: z.string() }),
]);

/** `expiresAt`: when the first of them stops reading, ms; null: never. */
export type ReadPermissions = { readers: FileReaders; expiresAt: number | null };

/** The earlier of two times; null: never. */
export const earlierOf = (a: number | null, b: number | null) =>
  a === null || b === null ? (a ?? b) : Math.min(a, b);

/** Whether the same principals read; what is unknown is the same only if both are. */
export function isSame(a: FileReaders, b: FileReaders | undefined): boolean {
  if (b === undefined) return false;
  return JSON.stringify(namesOf(a)) === JSON.stringify(namesOf(b));
}

const namesOf = (readers: FileReaders) =>
  "unreadable" in readers ? null : readers.principals.map(({ principal }) => principal).sort();
