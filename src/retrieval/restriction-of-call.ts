import { trimEnd } from "../core/trim.ts";
import type { MetadataFilter, Restriction } from "../ports/rag-index.ts";
import { storedFormsOf } from "../sources/file-names.ts";

type Selection = {
  useAllFiles: boolean;
  files: string[];
  folders: string[];
  metadata?: MetadataFilter[];
};

/**
 * What a call may see of one RAG. Unless it uses all files, it sees only those that it names, in
 * any Unicode or URL form; an empty folder name matches nothing.
 */
export function restrictionTo({
  useAllFiles,
  files,
  folders,
  metadata = [],
}: Selection): Restriction {
  if (useAllFiles) return { named: null, metadata };
  const named = {
    files: files.flatMap(storedFormsOf),
    folders: folders.filter((folder) => trimEnd(folder, "/") !== "").flatMap(storedFormsOf),
  };
  return { named, metadata };
}
