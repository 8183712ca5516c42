import { dataOf, dataUnless, type Chunk, type PanelApi, type PublicApi } from "../api/clients.ts";

const MAX_PAGES = 10;
const FILES_A_PAGE = 100;
const NOT_FOUND = 404;

/** A sentence where the service ignored the wish to rerank. */
export function rerankNotice(response: Response, subject: string): string[] {
  const ignored = (response.headers.get("X-Ignored-Fields") ?? "").split(", ");
  return ignored.includes("useReranking") ? [`--rerank has no effect: ${subject}.`] : [];
}

/** A sentence for each file of `--file` that does not exist. Asks only for files without results. */
export async function missingFileNotices(
  files: string[],
  found: readonly Pick<Chunk, "source">[],
  exists: (file: string) => Promise<boolean>,
): Promise<string[]> {
  const asked = files.filter((file) => !found.some(({ source }) => source?.filePath === file));
  const known = await Promise.all(asked.map(exists));
  return asked
    .filter((_, at) => known[at] === false)
    .map((file) => `--file ${file}: there is no such file.`);
}

/** Whether a RAG has a file. True where its folder has too many files to look through. */
export async function isInRag(api: PublicApi, identifier: string, file: string): Promise<boolean> {
  const path = file.slice(0, file.lastIndexOf("/") + 1);
  for (let page = 1; page <= MAX_PAGES; page++) {
    const query = { page, limit: FILES_A_PAGE, ...(path === "" ? {} : { path }) };
    const params = { path: { identifier }, query };
    const listed = await dataOf(api.GET("/api/rags/{identifier}/files", { params }));
    const files = "data" in listed ? listed.data : listed;
    if (files.some(({ filePath }) => filePath === file)) return true;
    if (files.length < FILES_A_PAGE) return false;
  }
  return true;
}

/** Whether one of an inference's sources has a file. */
export async function isInSources(
  api: PublicApi,
  identifier: string,
  sources: string[],
  file: string,
): Promise<boolean> {
  const found = await Promise.all(
    sources.map((source) => {
      const path = { identifier, file_source_identifier: source };
      const call = api.GET("/api/inferences/{identifier}/file-sources/{file_source_identifier}", {
        params: { path, query: { file } },
      });
      return dataUnless(NOT_FOUND, call);
    }),
  );
  return found.some((one) => one !== null);
}

/** Whether the source of a RAG has a file, for administrators. */
export async function isInSourceOf(api: PanelApi, rag: string, path: string): Promise<boolean> {
  const { fileSource } = await dataOf(api.GET("/rags/{id}", { params: { path: { id: rag } } }));
  const params = { path: { id: fileSource.identifier }, query: { path, limit: 1 } };
  return (await dataOf(api.GET("/file-sources/{id}/files", { params }))).total > 0;
}
