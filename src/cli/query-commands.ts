import { readFile } from "node:fs/promises";

import { Command, InvalidArgumentError } from "commander";

import { dataOf, panelApi, publicApi } from "./api/clients.ts";
import type { Chunk, Explained, PublicApi } from "./api/clients.ts";
import { streamInference } from "./api/stream-inference.ts";
import { answerText, lostLines, showChunks, sourceLines } from "./demo/show-answers.ts";
import { parsedJson } from "../core/input/parsed-json.ts";
import { codeOf, CommandFailure } from "./failure.ts";
import { afterHelp, collect } from "./run-command.ts";
import { checkedUrl, keyIn, tokenIn, withTarget } from "./target-options.ts";
import { openTerminal, pathOfUser } from "./terminal.ts";

type Shared = { url: string; json?: true };
type Searching = Shared & {
  topK: number;
  rerank?: true;
  threshold?: number;
  file?: string[];
  folder?: string[];
  as?: string;
};
type SearchOptions = Searching & { query?: string[]; explain?: true };
type AskOptions = Searching & { search?: string[]; schema?: string };

const DEFAULT_TOP_K = 5;

const ofService = (name: string) =>
  withTarget(new Command(name), "QUARRY_TOKEN", "the service's answer");

/** What a search takes, by itself and for an answer. */
function searching(name: string): Command {
  return ofService(name)
    .option("--top-k <n>", "number of passages", numberIn, DEFAULT_TOP_K)
    .option("--rerank", "order the passages by the RAG's reranker")
    .option("--threshold <score>", "leave out passages with a lower score, 0 to 1", numberIn)
    .option("--file <path>", "only in this file (may be repeated)", collectPath)
    .option("--folder <path>", "only in this folder (may be repeated)", collectPath)
    .option("--as <address>", "find only what this person may read (a token with the reader named)")
    .addHelpText("after", afterHelp("Put words that begin with - after --: … -- --gzip."));
}

/** A path of the source, also as a shell completes it: `./de/` is the folder `de`. */
function collectPath(value: string, earlier: string[] | undefined): string[] {
  if (value.startsWith("/")) {
    throw new InvalidArgumentError("must be a path in the source, without a leading /");
  }
  const path = value.replace(/^(?:\.\/)+/, "").replace(/\/+$/, "");
  if (path === "" || path === ".") throw new InvalidArgumentError("must be a path in the source");
  return collect(path, earlier);
}

function numberIn(text: string): number {
  if (text.trim() !== "" && Number.isFinite(Number(text))) return Number(text);
  throw new InvalidArgumentError("must be a number");
}

export function searchCommand(): Command {
  return searching("search")
    .description("find passages in a RAG")
    .argument("<rag>", "identifier of the RAG")
    .argument("<query...>", "what to search for; several words are one query")
    .option("--query <text>", "one more query (may be repeated)", collect)
    .option("--explain", "explain the order of the passages (needs an administrator's QUARRY_KEY)")
    .action(search);
}

export function askCommand(): Command {
  return searching("ask")
    .description("run an inference and show the passages that its answer cites")
    .argument("<inference>", "identifier of the inference")
    .argument("<prompt...>", "text for the model")
    .option("--search <query>", "search for this instead of the prompt (may be repeated)", collect)
    .option("--schema <file>", "JSON Schema that the answer must follow")
    .action(ask);
}

export function statusCommand(): Command {
  return ofService("status")
    .description("show how many files of a RAG are indexed, and why others failed")
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
  const ask = options.explain === true ? explained : searched;
  const terminal = openTerminal(options.json === true);
  const { answer, notices } = await ask(rag, body, options).finally(terminal.waitForAnswer());
  terminal.result(answer);
  if (!terminal.json) showChunks(terminal, answer.chunks, queries);
  notices.push(...emptyFileNotices(file, answer.chunks));
  for (const line of [...lostLines(answer), ...notices]) terminal.warn(line);
}

type SearchBody = { semanticSearch: string[] } & ReturnType<typeof searchFields>;

async function searched(identifier: string, body: SearchBody, options: SearchOptions) {
  const params = { path: { identifier } };
  const call = open(options).POST("/api/rags/{identifier}/retrieve", { params, body });
  const answer = await dataOf(call);
  const { response } = await call;
  return { answer, notices: rerankNotice(response, `the RAG ${identifier} has no reranker`) };
}

/** The panel's search, which explains each passage to administrators. */
async function explained(id: string, search: SearchBody, options: SearchOptions) {
  const { url, rerank, as } = options;
  const body = { ...search, ...(as === undefined ? {} : { reader: as }) };
  const api = panelApi(checkedUrl(url), keyIn(process.env));
  const answer = await dataOf(api.POST("/rags/{id}/search", { params: { path: { id } }, body }));
  return { answer, notices: explanationNotices(answer.chunks, rerank === true) };
}

function explanationNotices(chunks: Explained[], rerank: boolean): string[] {
  const [first] = chunks;
  if (first === undefined) return [];
  if (first.explanation === undefined) return ["Explanations need the key of an administrator."];
  const isReranked = chunks.some(({ explanation }) => explanation?.relevance !== null);
  return rerank && !isReranked
    ? ["--rerank has no effect: no reranker scored these passages."]
    : [];
}

/** A sentence where the service ignored the wish to rerank. */
function rerankNotice(response: Response, subject: string): string[] {
  const ignored = (response.headers.get("X-Ignored-Fields") ?? "").split(", ");
  return ignored.includes("useReranking") ? [`--rerank has no effect: ${subject}.`] : [];
}

/** A sentence for each `--file` that no passage comes from: it may be misspelt. */
function emptyFileNotices(files: string[], found: Pick<Chunk, "source">[]): string[] {
  const empty = files.filter((file) => !found.some(({ source }) => source?.filePath === file));
  return empty.map((file) => `--file ${file}: no passage comes from it. Check the path.`);
}

/** What the API calls the options that a search and an answer share. */
function searchFields(options: Searching) {
  const { topK, rerank, threshold } = options;
  return {
    topK,
    useReranking: rerank === true,
    includeSources: true,
    ...(threshold === undefined ? {} : { similarityThreshold: threshold }),
    ...(isRestricted(options) ? { useAllFiles: false } : {}),
  };
}

const isRestricted = ({ file, folder }: Searching) => file !== undefined || folder !== undefined;

async function ask(inference: string, words: string[], options: AskOptions): Promise<void> {
  const prompt = words.join(" ");
  const { schema, search: searches = [prompt] } = options;
  const jsonSchema = schema === undefined ? undefined : await readSchema(pathOfUser(schema));
  const api = open(options);
  const context = contextFrom(inference, await ragsOf(api, inference), searches, options);
  const body = { prompt, ...context, ...(jsonSchema === undefined ? {} : { jsonSchema }) };
  const terminal = openTerminal(options.json === true);
  const answered = terminal.waitForAnswer();
  let said = "";
  const { run, response } = await streamInference(api, inference, body, (text) => {
    answered();
    said += text;
    if (!terminal.json) terminal.write(text);
  }).finally(answered);
  terminal.result(run);
  // Structured output comes whole.
  if (!terminal.json) terminal.say(said === "" ? answerText(run.response) : "");
  const notices = [
    ...rerankNotice(response, "no RAG of this inference has a reranker"),
    ...emptyFileNotices(options.file ?? [], run.items),
  ];
  const shown = terminal.json ? [] : [...sourceLines(run), ...lostLines(run)];
  // A pipe gets the answer alone.
  for (const line of [...shown, ...notices]) terminal.warn(line);
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

/** The RAGs that an inference searches before its model is called. */
async function ragsOf(api: PublicApi, inference: string): Promise<string[]> {
  const listed = await dataOf(api.GET("/api/inferences"));
  const found = listed.find(({ identifier }) => identifier === inference);
  return found?.fileSources.map(({ ragIdentifier }) => ragIdentifier) ?? [];
}

/** The text of a JSON Schema. @throws CommandFailure when there is no JSON at the path */
export async function readSchema(path: string): Promise<string> {
  const text = await readFile(path, "utf8").catch((thrown: unknown) => {
    throw new CommandFailure(`The schema ${path} ${whyUnread(thrown)}.`);
  });
  if (parsedJson(text) === undefined) throw new CommandFailure(`The schema ${path} is not JSON.`);
  return text;
}

function whyUnread(thrown: unknown): string {
  const code = codeOf(thrown);
  if (code === "ENOENT") return "does not exist";
  return code === "EISDIR" ? "is a folder" : `cannot be read (${code})`;
}

async function status(identifier: string, options: Shared): Promise<void> {
  const api = open(options);
  const params = { path: { identifier } };
  const rag = await dataOf(api.GET("/api/rags/{identifier}", { params }));
  const failed = await failedFiles(api, identifier);
  const terminal = openTerminal(options.json === true);
  terminal.result({ ...rag, failed });
  if (terminal.json) return;
  const counts = [rag.status, rag.totalFiles, rag.processedFiles, failed.length, rag.numberVectors];
  terminal.say(`${rag.name} (${rag.identifier})`);
  terminal.table(["status", "files", "indexed", "failed", "passages"], [counts.map(String)]);
  if (failed.length === 0) return;
  terminal.table(
    ["failed file", "reason"],
    failed.map(({ filePath, errorMessage }) => [filePath, errorMessage ?? ""]),
  );
}

/** Without a page, the service answers with all of them. */
async function failedFiles(api: PublicApi, identifier: string) {
  const params = { path: { identifier }, query: { status: "error" } as const };
  const files = await dataOf(api.GET("/api/rags/{identifier}/files", { params }));
  return "data" in files ? files.data : files;
}

function open({ url, as }: Shared & { as?: string }): PublicApi {
  return publicApi(checkedUrl(url), tokenIn(process.env), { reader: as });
}
