import { Command, InvalidArgumentError } from "commander";

import { panelApi } from "./api/panel-api.ts";
import { answerText, publicApi } from "./api/public-api.ts";
import type { FileEntry, PublicApi } from "./api/public-api.ts";
import { lostLines, showChunks, sourceLines } from "./demo/show-answers.ts";
import { CommandFailure } from "./failure.ts";
import { afterHelp } from "./help-text.ts";
import { START_COMMAND } from "./installation.ts";
import { collect } from "./run-command.ts";
import { readSchema } from "./schema-file.ts";
import { checkedUrl, DEFAULT_URL, keyIn, tokenIn } from "./target-options.ts";
import { openTerminal, pathOfUser } from "./terminal.ts";

type Shared = { url: string; json?: true };
type Searching = Shared & {
  topK: number;
  rerank?: true;
  threshold?: number;
  file?: string[];
  folder?: string[];
};
type SearchOptions = Searching & { query?: string[]; explain?: true };
type AskOptions = Searching & { search?: string[]; schema?: string };

const DEFAULT_TOP_K = 5;

function shared(command: Command): Command {
  return command
    .option("--url <url>", "address of the service", process.env["QUARRY_URL"] ?? DEFAULT_URL)
    .option("--json", "print the service's answer as JSON")
    .addHelpText(
      "after",
      afterHelp(
        `The token is read from QUARRY_TOKEN: ${START_COMMAND} prints one, the panel makes others.`,
      ),
    );
}

/** What a search takes, by itself and for an answer. */
function searching(command: Command): Command {
  return shared(command)
    .option("--top-k <n>", "how many passages", numberIn, DEFAULT_TOP_K)
    .option("--rerank", "order them by the RAG's reranker")
    .option("--threshold <score>", "leave out passages with a lower score, 0 to 1", numberIn)
    .option("--file <path>", "only in this file (may be repeated)", collectPath)
    .option("--folder <path>", "only in this folder (may be repeated)", collectPath)
    .addHelpText("after", afterHelp("Words that begin with - stand behind --: … -- --gzip."));
}

/** A path of the source, also as a shell completes it: `./de/` is the folder `de`. */
function collectPath(value: string, earlier: string[] | undefined): string[] {
  if (value.startsWith("/")) {
    throw new InvalidArgumentError("A path is one of the source, without a leading /.");
  }
  const path = value.replace(/^(?:\.\/)+/, "").replace(/\/+$/, "");
  if (path === "" || path === ".") throw new InvalidArgumentError("It names nothing.");
  return collect(path, earlier);
}

function numberIn(text: string): number {
  if (text.trim() !== "" && Number.isFinite(Number(text))) return Number(text);
  throw new InvalidArgumentError("must be a number");
}

export function searchCommand(): Command {
  return searching(new Command("search"))
    .description("find the passages of a RAG that answer a query")
    .argument("<rag>", "identifier of the RAG")
    .argument("<query...>", "what to search for; several words are one query")
    .option("--query <text>", "one more query (may be repeated)", collect)
    .option("--explain", "why each passage stands where it does (an administrator's QUARRY_KEY)")
    .action(search);
}

export function askCommand(): Command {
  return searching(new Command("ask"))
    .description("run an inference, and show which passages its answer cites")
    .argument("<inference>", "identifier of the inference")
    .argument("<prompt...>", "what the model receives")
    .option("--search <query>", "search for this instead of the prompt (may be repeated)", collect)
    .option("--schema <file>", "JSON Schema that the answer must follow")
    .action(ask);
}

export function statusCommand(): Command {
  return shared(new Command("status"))
    .description("show how many files of a RAG are indexed, and why others failed")
    .argument("<rag>", "identifier of the RAG")
    .action(status);
}

async function search(rag: string, words: string[], options: SearchOptions): Promise<void> {
  const queries = [words.join(" "), ...(options.query ?? [])];
  const { file = [], folder = [] } = options;
  const request = {
    semanticSearch: queries,
    ...searchFields(options),
    ...(isRestricted(options) ? { selectedFiles: file, selectedFolders: folder } : {}),
  };
  const answer =
    options.explain === true
      ? await panelApi(checkedUrl(options.url), keyIn(process.env)).search(rag, request)
      : await open(options).retrieve(rag, request);
  const terminal = openTerminal(options.json === true);
  terminal.result(answer);
  if (terminal.json) return;
  showChunks(terminal, answer.chunks, queries);
  for (const line of lostLines(answer)) terminal.warn(line);
  const [first] = answer.chunks;
  if (options.explain === true && first !== undefined && first["explanation"] === undefined) {
    terminal.warn("Explanations need the key of an administrator.");
  }
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
  const request = { prompt, ...context, ...(jsonSchema === undefined ? {} : { jsonSchema }) };
  const terminal = openTerminal(options.json === true);
  if (terminal.json) return terminal.result(await api.runInference(inference, request));
  let said = "";
  const run = await api.streamInference(inference, request, (text) => {
    said += text;
    terminal.write(text);
  });
  // Structured output comes whole.
  terminal.say(said === "" ? answerText(run.response) : "");
  // A pipe gets the answer alone.
  for (const line of [...sourceLines(run), ...lostLines(run)]) terminal.warn(line);
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

/** The RAGs that an inference searches itself, before its model is called. */
async function ragsOf(api: PublicApi, inference: string): Promise<string[]> {
  const listed = await api.inferences();
  const sources = listed.find(({ identifier }) => identifier === inference)?.fileSources ?? [];
  return sources.map(({ ragIdentifier }) => ragIdentifier);
}

async function status(identifier: string, options: Shared): Promise<void> {
  const api = open(options);
  const rag = await api.rag(identifier);
  const failed = await failedFiles(api, identifier);
  const terminal = openTerminal(options.json === true);
  terminal.result({ ...rag, failed });
  if (terminal.json) return;
  const counts = [rag.status, rag.totalFiles, rag.processedFiles, failed.length, rag.numberVectors];
  terminal.say(`${rag.name} (${rag.identifier})`);
  terminal.table(["status", "files", "indexed", "failed", "vectors"], [counts.map(String)]);
  if (failed.length === 0) return;
  terminal.table(
    ["failed file", "reason"],
    failed.map(({ filePath, errorMessage }) => [filePath, errorMessage ?? ""]),
  );
}

async function failedFiles(api: PublicApi, identifier: string): Promise<FileEntry[]> {
  const found: FileEntry[] = [];
  for (let page = 1; ; page++) {
    const { data, total } = await api.ragFiles(identifier, page, "error");
    found.push(...data);
    if (data.length === 0 || found.length >= total) return found;
  }
}

function open({ url }: Shared): PublicApi {
  return publicApi(checkedUrl(url), tokenIn(process.env));
}
