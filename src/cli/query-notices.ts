import type { Chunk, ExplainedPassage, SourceFile } from "./api/clients.ts";
import { CommandFailure } from "./failure.ts";

export function explanationNotices(chunks: ExplainedPassage[], rerank: boolean): string[] {
  const [first] = chunks;
  if (first === undefined) return [];
  if (first.explanation === undefined) return ["Explanations need the key of an administrator."];
  const isReranked = chunks.some(({ explanation }) => explanation?.relevance !== null);
  return rerank && !isReranked
    ? ["--rerank has no effect: no reranker scored these passages."]
    : [];
}

/** A sentence where the service ignored the wish to rerank. */
export function rerankNotice(response: Response, subject: string): string[] {
  const ignored = (response.headers.get("X-Ignored-Fields") ?? "").split(", ");
  return ignored.includes("useReranking") ? [`--rerank has no effect: ${subject}.`] : [];
}

type FileState = Pick<SourceFile, "status" | "errorMessage"> & { filePath?: string };

/** For each `--file` without a passage. `filesAt`: the file comes first, then those below it. */
export async function emptyFileNotices(
  { file: files = [] }: { file?: string[] },
  chunks: Pick<Chunk, "source">[],
  filesAt: (file: string) => Promise<FileState[]>,
): Promise<string[]> {
  const empty = files.filter((file) => !chunks.some(({ source }) => source?.filePath === file));
  const reasonFor = async (file: string) => {
    const states = await filesAt(file).catch((thrown: unknown) => {
      // The answer itself is there.
      if (thrown instanceof CommandFailure) return thrown;
      throw thrown;
    });
    if (states instanceof CommandFailure) return `no passage of it was found; ${states.message}`;
    const [first] = states;
    if (first === undefined || (first.filePath ?? file) !== file) return "there is no such file";
    const { status, errorMessage } = first;
    if (status === "error") return `it could not be indexed: ${errorMessage}`;
    if (status === "indexed") return "no passage of it was found";
    return status === "deleted" ? "it was deleted" : `it is not indexed yet (${status})`;
  };
  return await Promise.all(empty.map(async (file) => `--file ${file}: ${await reasonFor(file)}.`));
}
