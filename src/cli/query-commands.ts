import { Command } from "commander";

import { panelApi } from "./api/panel-api.ts";
import { answerText, publicApi } from "./api/public-api.ts";
import type { FileEntry, PublicApi } from "./api/public-api.ts";
import { showChunks, sourceLines } from "./demo/show-answers.ts";
import { collect } from "./run-command.ts";
import { readSchema } from "./schema-file.ts";
import { checkedUrl, DEFAULT_URL, keyIn, tokenIn } from "./target-options.ts";
import { openTerminal, pathOfUser } from "./terminal.ts";

type Shared = { url: string; json?: true };
type SearchOptions = Shared & {
  topK: string;
  rerank?: true;
  threshold?: string;
  query?: string[];
  explain?: true;
  file?: string[];
  folder?: string[];
};
type AskOptions = Shared & { topK: string; rerank?: true; search?: string[]; schema?: string };

const DEFAULT_TOP_K = "5";

function shared(command: Command): Command {
  return command
    .option("--url <url>", "address of the service", process.env["QUARRY_URL"] ?? DEFAULT_URL)
    .option("--json", "print the service's answer as JSON")
    .addHelpText("after", "\nThe token is read from QUARRY_TOKEN.");
}

export function searchCommand(): Command {
  return shared(new Command("search"))
    .description("find the passages of a RAG that answer a query")
    .argument("<rag>", "identifier of the RAG")
    .argument("<query...>", "what to search for; several words are one query")
    .option("--query <text>", "one more query (may be repeated)", collect)
    .option("--top-k <n>", "how many passages", DEFAULT_TOP_K)
    .option("--rerank", "order them by the RAG's reranker")
    .option("--threshold <score>", "leave out passages with a lower score, 0 to 1")
    .option("--file <path>", "only in this file (may be repeated)", collect)
    .option("--folder <path>", "only in this folder (may be repeated)", collect)
    .option("--explain", "why each passage stands where it does (an administrator's QUARRY_KEY)")
    .action(search);
}

export function askCommand(): Command {
  return shared(new Command("ask"))
    .description("run an inference")
    .argument("<inference>", "identifier of the inference")
    .argument("<prompt...>", "what the model receives")
    .option("--search <query>", "search for this instead of the prompt (may be repeated)", collect)
    .option("--top-k <n>", "how many passages the model gets", DEFAULT_TOP_K)
    .option("--rerank", "order them by the RAG's reranker")
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
  const { file, folder, threshold } = options;
  const restricted = file !== undefined || folder !== undefined;
  const request = {
    semanticSearch: queries,
    topK: Number(options.topK),
    useReranking: options.rerank === true,
    includeSources: true,
    ...(threshold === undefined ? {} : { similarityThreshold: Number(threshold) }),
    ...(restricted
      ? { useAllFiles: false, selectedFiles: file ?? [], selectedFolders: folder ?? [] }
      : {}),
  };
  const answer =
    options.explain === true
      ? await panelApi(checkedUrl(options.url), keyIn(process.env)).search(rag, request)
      : await open(options).retrieve(rag, request);
  const terminal = openTerminal(options.json === true);
  terminal.result(answer);
  if (terminal.json) return;
  showChunks(terminal, answer.chunks, queries);
  const [first] = answer.chunks;
  if (options.explain === true && first !== undefined && first["explanation"] === undefined) {
    terminal.warn("Explanations need the key of an administrator.");
  }
}

async function ask(inference: string, words: string[], options: AskOptions): Promise<void> {
  const prompt = words.join(" ");
  const api = open(options);
  const { schema, search: searches } = options;
  const request = {
    prompt,
    topK: Number(options.topK),
    useReranking: options.rerank === true,
    includeSources: true,
    ...((await hasRags(api, inference)) ? { semanticSearch: searches ?? [prompt] } : {}),
    ...(schema === undefined ? {} : { jsonSchema: await readSchema(pathOfUser(schema)) }),
  };
  const terminal = openTerminal(options.json === true);
  if (terminal.json) return terminal.result(await api.runInference(inference, request));
  let hasText = false;
  const run = await api.streamInference(inference, request, (text) => {
    hasText = true;
    terminal.write(text);
  });
  // Structured output comes whole.
  terminal.say(hasText ? "" : answerText(run.response));
  // A pipe gets the answer alone.
  for (const line of sourceLines(run)) terminal.warn(line);
}

/** An inference without linked RAGs accepts no queries; the list shows the RAGs of each. */
async function hasRags(api: PublicApi, inference: string): Promise<boolean> {
  const listed = await api.inferences();
  return listed.some(({ identifier, fileSources }) => {
    return identifier === inference && fileSources.length > 0;
  });
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
