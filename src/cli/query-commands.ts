import { Command, InvalidArgumentError } from "commander";
import { readFile } from "node:fs/promises";

import { parseJson } from "../core/input/parse-json.ts";
import { normalForm } from "../core/normal-form.ts";
import { dataOf, panelApi, publicApi, nullIf, type PublicApi } from "./api/clients.ts";
import { streamInference } from "./api/stream-inference.ts";
import { answerText, noticeLines, showChunks, sourceLines } from "./demo/show-answers.ts";
import { CommandFailure, unusableReason } from "./failure.ts";
import { emptyFileNotices, explanationNotices, rerankNotice } from "./query-notices.ts";
import { afterHelp, collect } from "./run-command.ts";
import { parseServiceUrl, keyIn, tokenIn, withTarget } from "./target-options.ts";
import { openTerminal, pathOfUser } from "./terminal.ts";

type QueryOptions = { url: string; json?: true; as?: string };
type SearchFlags = QueryOptions & {
  topK: number;
  rerank?: true;
  threshold?: number;
  file?: string[];
  folder?: string[];
};
type SearchOptions = SearchFlags & { query?: string[]; explain?: true };
type AskOptions = SearchFlags & { search?: string[]; schema?: string };

const DEFAULT_TOP_K = 5;
const NOT_FOUND = 404;
const PAGE_FILES = 100;

const createServiceCommand = (name: string) =>
  withTarget(new Command(name), "QUARRY_TOKEN", "the service's answer").option(
    "--as <address>",
    "only what this person may read (a token with the reader named)",
  );

/** Options of a search, by itself and for an answer. */
function createSearchCommand(name: string): Command {
  return createServiceCommand(name)
    .option("--top-k <n>", "number of passages", numberIn, DEFAULT_TOP_K)
    .option("--rerank", "order the passages by the RAG's reranker")
    .option("--threshold <score>", "leave out passages with a lower score, 0 to 1", numberIn)
    .option("--file <path>", "only in this file (may be repeated)", collectPath)
    .option("--folder <path>", "only in this folder (may be repeated)", collectPath)
    .addHelpText("after", afterHelp("Put words that begin with - after --: … -- --gzip."));
}

/** A path of the source, also as a shell completes it: `./de/` is the folder `de`. */
function collectPath(value: string, earlier: string[] | undefined): string[] {
  if (value.startsWith("/")) {
    throw new InvalidArgumentError("must be a path in the source, without a leading /");
  }
  const path = normalForm(value, "NFC")
    .replace(/^(?:\.\/)+/, "")
    .replace(/\/+$/, "");
  if (path === "" || path === ".") throw new InvalidArgumentError("must be a path in the source");
  return collect(path, earlier);
}

function numberIn(text: string): number {
  if (text.trim() !== "" && Number.isFinite(Number(text))) return Number(text);
  throw new InvalidArgumentError("must be a number");
}

export function searchCommand(): Command {
  return createSearchCommand("search")
    .description("find passages in a RAG")
    .argument("<rag>", "identifier of the RAG")
    .argument("<query...>", "what to search for; several words are one query")
    .option("--query <text>", "one more query (may be repeated)", collect)
    .option("--explain", "explain the order of the passages (needs an administrator's QUARRY_KEY)")
    .action(search);
}

export function askCommand(): Command {
  return createSearchCommand("ask")
    .description("run an inference and show the passages that its answer cites")
    .argument("<inference>", "identifier of the inference")
    .argument("<prompt...>", "text for the model")
    .option("--search <query>", "search for this instead of the prompt (may be repeated)", collect)
    .option("--schema <file>", "JSON Schema that the answer must follow")
    .action(ask);
}

export function statusCommand(): Command {
  return createServiceCommand("status")
    .description(
      "show how many files of a RAG are indexed, why others failed, and (with QUARRY_KEY) wait",
    )
    .argument("<rag>", "identifier of the RAG")
    .action(status);
}

async function search(rag: string, words: string[], options: SearchOptions): Promise<void> {
  const queries = [words.join(" "), ...(options.query ?? [])];
  const { file = [], folder = [] } = options;
  const body = {
    semanticSearch: queries,
    ...searchFields(options),
    ...(isRestricted(options) ? { selectedFiles: file, selectedFolders: folder } : {}),
  };
  const ask = options.explain === true ? searchWithExplanation : searchPublicApi;
  const terminal = openTerminal(options.json === true);
  const { answer, notices } = await ask(rag, body, options).finally(terminal.waitForAnswer());
  terminal.result(answer);
  if (!terminal.json) showChunks(terminal, answer.chunks, queries);
  for (const line of [...noticeLines(answer), ...notices]) terminal.warn(line);
}

type SearchBody = { semanticSearch: string[] } & ReturnType<typeof searchFields>;

async function searchPublicApi(identifier: string, body: SearchBody, options: SearchOptions) {
  const api = open(options);
  const params = { path: { identifier } };
  const call = api.POST("/api/rags/{identifier}/retrieve", { params, body });
  const answer = await dataOf(call);
  const notices = [
    ...rerankNotice((await call).response, `the RAG ${identifier} has no reranker`),
    ...(await emptyFileNotices(
      options,
      answer.chunks,
      async (path) => (await filePage(api, identifier, { page: 1, limit: 1, path })).data,
    )),
  ];
  return { answer, notices };
}

/** The panel's search, which explains each passage to administrators. */
async function searchWithExplanation(id: string, search: SearchBody, options: SearchOptions) {
  const { url, rerank, as } = options;
  const body = { ...search, ...(as === undefined ? {} : { reader: as }) };
  const api = panelApi(parseServiceUrl(url), keyIn(process.env));
  const answer = await dataOf(api.POST("/rags/{id}/search", { params: { path: { id } }, body }));
  const filesAt = async (path: string) => {
    const { fileSource } = await dataOf(api.GET("/rags/{id}", { params: { path: { id } } }));
    const params = { path: { id: fileSource.identifier }, query: { path, limit: 1 } };
    return (await dataOf(api.GET("/file-sources/{id}/files", { params }))).data;
  };
  const notices = [
    ...explanationNotices(answer.chunks, rerank === true),
    ...(await emptyFileNotices(options, answer.chunks, filesAt)),
  ];
  return { answer, notices };
}

/** The API's fields for options that a search and an answer share. */
function searchFields(options: SearchFlags) {
  const { topK, rerank, threshold } = options;
  return {
    topK,
    useReranking: rerank === true,
    includeSources: true,
    ...(threshold === undefined ? {} : { similarityThreshold: threshold }),
    ...(isRestricted(options) ? { useAllFiles: false } : {}),
  };
}

const isRestricted = ({ file, folder }: SearchFlags) => file !== undefined || folder !== undefined;

async function ask(inference: string, words: string[], options: AskOptions): Promise<void> {
  const prompt = words.join(" ");
  const { schema, search: searches = [prompt] } = options;
  const jsonSchema = schema === undefined ? undefined : await readSchema(pathOfUser(schema));
  const api = open(options);
  const linked = await sourcesOf(api, inference);
  const rags = linked.map(({ ragIdentifier }) => ragIdentifier);
  const context = contextFrom(inference, rags, searches, options);
  const body = { prompt, ...context, ...(jsonSchema === undefined ? {} : { jsonSchema }) };
  const terminal = openTerminal(options.json === true);
  const answered = terminal.waitForAnswer();
  let answer = "";
  const { run, response } = await streamInference(api, inference, body, (text) => {
    answered();
    answer += text;
    if (!terminal.json) terminal.write(text);
  }).finally(answered);
  terminal.result(run);
  // Structured output comes whole.
  if (!terminal.json) terminal.say(answer === "" ? answerText(run.response) : "");
  const notices = [
    ...rerankNotice(response, "no RAG of this inference has a reranker"),
    ...(await emptyFileNotices(options, run.items, (file) =>
      statesIn(api, inference, linked, file),
    )),
  ];
  const notes = terminal.json ? [] : [...sourceLines(run), ...noticeLines(run)];
  // A pipe gets the answer alone.
  for (const line of [...notes, ...notices]) terminal.warn(line);
}

/** An inference that searches no RAG accepts no queries and no restriction. @throws CommandFailure */
function contextFrom(
  inference: string,
  rags: string[],
  semanticSearch: string[],
  options: AskOptions,
) {
  const { file: files = [], folder: folders = [], threshold, search } = options;
  if (rags.length > 0) {
    const selected = {
      selectedFiles: rags.map((ragIdentifier) => ({ ragIdentifier, files })),
      selectedFolders: rags.map((ragIdentifier) => ({ ragIdentifier, folders })),
    };
    const fields = { semanticSearch, ...searchFields(options) };
    return isRestricted(options) ? { ...fields, ...selected } : fields;
  }
  if (!isRestricted(options) && threshold === undefined && search === undefined) return {};
  throw new CommandFailure(
    `The inference ${inference} searches no RAG before it answers: ` +
      "--search, --file, --folder and --threshold do not apply.",
  );
}

/** The RAGs that an inference searches before its model is called, with their sources. */
async function sourcesOf(api: PublicApi, inference: string) {
  const inferences = await dataOf(api.GET("/api/inferences"));
  return inferences.find(({ identifier }) => identifier === inference)?.fileSources ?? [];
}

/** The state of a file in each of an inference's sources that has it. */
async function statesIn(
  api: PublicApi,
  identifier: string,
  sources: Awaited<ReturnType<typeof sourcesOf>>,
  file: string,
) {
  const lookups = sources.map(({ identifier: file_source_identifier }) => {
    const params = { path: { identifier, file_source_identifier }, query: { file } };
    const path = "/api/inferences/{identifier}/file-sources/{file_source_identifier}";
    return nullIf(NOT_FOUND, dataOf(api.GET(path, { params })));
  });
  return (await Promise.all(lookups)).filter((source) => source !== null);
}

/** The text of a JSON Schema. @throws CommandFailure when there is no JSON at the path */
export async function readSchema(path: string): Promise<string> {
  const text = await readFile(path, "utf8").catch((thrown: unknown) => {
    throw new CommandFailure(`The schema ${path} ${unusableReason(thrown)}.`);
  });
  if (parseJson(text) === undefined) throw new CommandFailure(`The schema ${path} is not JSON.`);
  return text;
}

async function status(identifier: string, options: QueryOptions): Promise<void> {
  const api = open(options);
  const params = { path: { identifier } };
  const terminal = openTerminal(options.json === true);
  const counting = dataOf(api.GET("/api/rags/{identifier}", { params }));
  const reading = counting.then(() => failedFiles(api, identifier));
  const all = Promise.all([counting, reading]);
  const [rag, failed] = await all.finally(terminal.waitForAnswer());
  const left = rag.totalFiles - rag.processedFiles - failed.length;
  const waiting = left > 0 ? await waitingFiles(identifier, options) : [];
  terminal.result({ ...rag, failed, waiting });
  if (terminal.json) return;
  const counts = [rag.status, rag.totalFiles, rag.processedFiles, failed.length, rag.numberVectors];
  terminal.say(`${rag.name} (${rag.identifier})`);
  terminal.table(["status", "files", "indexed", "failed", "passages"], [counts.map(String)]);
  for (const { reason, files } of waiting ?? []) {
    terminal.say(`${files} ${files === 1 ? "file waits" : "files wait"}: ${reason}`);
  }
  if (waiting === null) terminal.say("Set QUARRY_KEY as well to see why files wait.");
  if (failed.length === 0) return;
  terminal.table(
    ["failed file", "reason"],
    failed.map(({ filePath, errorMessage }) => [filePath, errorMessage ?? ""]),
  );
}

/** Why files wait, which the public API does not tell; null: unknown. */
async function waitingFiles(id: string, { url, as }: QueryOptions) {
  if (as !== undefined) return [];
  if (!process.env["QUARRY_KEY"]) return null;
  const api = panelApi(parseServiceUrl(url), keyIn(process.env));
  return (await dataOf(api.GET("/rags/{id}", { params: { path: { id } } }))).waiting ?? [];
}

type FileQuery = { page: number; limit: number; path?: string; status?: "error" };

const filePage = (api: PublicApi, identifier: string, query: FileQuery) =>
  dataOf(api.GET("/api/rags/{identifier}/files", { params: { path: { identifier }, query } }));

async function failedFiles(api: PublicApi, identifier: string) {
  const files = [];
  for (let page = 1; ; page++) {
    const query = { page, limit: PAGE_FILES, status: "error" } as const;
    const { data, total } = await filePage(api, identifier, query);
    files.push(...data);
    if (data.length < PAGE_FILES || files.length >= total) return files;
  }
}

function open({ url, as }: QueryOptions): PublicApi {
  return publicApi(parseServiceUrl(url), tokenIn(process.env), { reader: as });
}
