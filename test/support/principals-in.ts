import type { FileReaders } from "../../src/ports/source-reader.ts";

/** The distinct principals, sorted; where there are none to tell, what stands there instead. */
export const principalsIn = (readers: FileReaders | undefined) =>
  readers !== undefined && "principals" in readers
    ? [...new Set(readers.principals.map(({ principal }) => principal))].sort()
    : readers;
