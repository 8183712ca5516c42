/** A file of a RAG as these APIs name it: `staff-handbook/leave/holiday.md`. */
export type FileAddress = { rag: string; path: string };

export const fileIdOf = ({ rag, path }: FileAddress): string => `${rag}/${path}`;

/** A RAG's identifier has no slash; a path may be any text. Null: it names no file. */
export function readFileId(id: string): FileAddress | null {
  const slash = id.indexOf("/");
  if (slash < 1 || slash === id.length - 1) return null;
  return { rag: id.slice(0, slash), path: id.slice(slash + 1) };
}
