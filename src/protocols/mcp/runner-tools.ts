import type { Tool } from "@modelcontextprotocol/server";
import { z } from "zod";

import { hash32 } from "../../core/hash.ts";
import type { Lookup } from "../../db/access/principal-lookup.ts";
import { identifiersFrom, listCoveredRunners, runnersAfter } from "../../db/access/public-lists.ts";
import type { CoveredRunner } from "../../db/access/public-lists.ts";
import type { ListedRag } from "../../db/records.ts";
import { degradedAnswer } from "../../http/answers.ts";
import { ragsForReader } from "../../http/rags-for-reader.ts";
import { parseOrRefuse } from "../../http/validation.ts";
import { textOf } from "../../inference/answer-text.ts";
import type { EmitEvent } from "../../inference/run-events.ts";
import { fileIdOf } from "../file-address.ts";
import { run, type Runner } from "../run.ts";
import { cursorOf, readCursor } from "./cursor.ts";
import { resourceUri } from "./resources.ts";
import { schemaOf } from "./schema-of.ts";
import type { Session } from "./session.ts";

/** Names are at most 64 characters long with the strictest client. */
const NAME_LENGTH = 64;
const MAX_SEARCH_LENGTH = 10_000;

const AgentInput = z.object({
  prompt: z.string().regex(/\S/, "must not be blank").describe("The question or task."),
});

const InferenceInput = AgentInput.extend({
  search: z
    .string()
    .regex(/\S/, "must not be blank")
    .max(MAX_SEARCH_LENGTH)
    .optional()
    .describe("Search query; by default, the prompt."),
});

const Source = z.object({
  id: z.string().describe("Id of the file, for fetch."),
  url: z.string(),
  score: z.number(),
});

const Output = z.object({
  answer: z.string(),
  sources: z.array(Source).describe("Files whose passages the model received."),
  degraded: z.object({ occurred: z.literal(true) }).optional(),
});

/** `ask_staff-handbook`, `agent_helper`; a name that is too long ends in its hash. */
function toolNameOf({ kind, identifier }: NamedRunner): string {
  const name = `${kind === "agent" ? "agent" : "ask"}_${identifier}`;
  if (name.length <= NAME_LENGTH) return name;
  const mark = `_${hash32(name).toString(36)}`;
  return name.slice(0, NAME_LENGTH - mark.length) + mark;
}

/** Many clients read the first page only, and few tokens cover as many. */
const PAGE_RUNNERS = 200;

/** One for each inference and agent that the token covers, a page at a time. */
export async function runnerTools(
  { services, credential }: Session,
  cursor: string | undefined,
): Promise<{ tools: Tool[]; nextCursor?: string }> {
  const last = cursor === undefined ? null : readCursor(cursor, ["kind", "identifier"]);
  const slice = runnersAfter(last, PAGE_RUNNERS);
  const { runners, hasMore } = await listCoveredRunners(services.reads, credential, slice);
  const tools = runners.map(runnerTool);
  const next = runners.at(-1);
  if (!hasMore || next === undefined) return { tools };
  return { tools, nextCursor: cursorOf({ kind: next.kind, identifier: next.identifier }) };
}

function runnerTool(runner: CoveredRunner): Tool {
  const isAgent = runner.kind === "agent";
  const input = !isAgent && runner.nativeRag ? InferenceInput : AgentInput;
  return {
    name: toolNameOf(runner),
    title: runner.name,
    description: descriptionOf(runner),
    inputSchema: schemaOf(input, "input"),
    outputSchema: schemaOf(Output, "output"),
    annotations: { readOnlyHint: true, openWorldHint: false },
  };
}

function descriptionOf(runner: CoveredRunner): string {
  if (runner.kind === "inference") {
    return `Runs the inference "${runner.name}", which answers from its documents.`;
  }
  const { description, name } = runner;
  return description === ""
    ? `Asks the agent "${name}", which searches its documents.`
    : description;
}

/** Runners whose names a client could mean: they begin alike for some 50 characters. */
const MAX_ALIKE = 1_000;

/** Runners whose names may end in a hash instead of the identifier's end. */
async function findSimilarRunners(
  { services, credential }: Session,
  { kind, identifier }: NamedRunner,
): Promise<CoveredRunner[]> {
  const mark = identifier.lastIndexOf("_");
  if (mark === -1) return [];
  const prefixes = identifiersFrom(identifier.slice(0, mark));
  const { runners } = await listCoveredRunners(services.reads, credential, {
    inferences: kind === "inference" ? prefixes : null,
    agents: kind === "agent" ? prefixes : null,
    limit: MAX_ALIKE,
  });
  return runners;
}

const TOOL = /^(ask|agent)_(.{1,100})$/s;

/** Finds the runner of a tool; null where the token covers none of that name. */
export async function findRunner(session: Session, name: string): Promise<Runner | null> {
  const [, word, identifier = ""] = TOOL.exec(name) ?? [];
  if (word === undefined) return null;
  const lookup = {
    kind: word === "agent" ? ("agent" as const) : ("inference" as const),
    identifier,
  };
  const namedRunner = await readRunner(session, lookup);
  if (namedRunner !== null || name.length < NAME_LENGTH) return namedRunner;
  const alike = await findSimilarRunners(session, lookup);
  const shortened = alike.find((runner) => toolNameOf(runner) === name);
  return shortened === undefined ? null : await readRunner(session, shortened);
}

type NamedRunner = Pick<CoveredRunner, "kind" | "identifier">;

async function readRunner(
  session: Session,
  { kind, identifier }: NamedRunner,
): Promise<Runner | null> {
  const { services, credential } = session;
  const { recentLookups: recent } = services;
  if (kind === "agent") {
    const agent = coveredOf(await recent.agent.find(services, credential, identifier));
    return agent === null ? null : { kind, agent: await runnerForReader(session, agent) };
  }
  const inference = coveredOf(await recent.inference.find(services, credential, identifier));
  if (inference === null) return null;
  return { kind, inference: await runnerForReader(session, inference) };
}

type RunCall = { given: object; emit: EmitEvent | undefined };

export async function runTool(session: Session, runner: Runner, { given: input, emit }: RunCall) {
  const { prompt, search: query } = parseOrRefuse(InferenceInput, input);
  const { services, caller, signal } = session;
  const result = await run(services, { runner, prompt, query, caller, signal, emit });
  const sources = result.items.map(({ source, score }) => {
    const file = { rag: source.ragIdentifier, path: source.filePath };
    return { id: fileIdOf(file), url: source.url ?? resourceUri(file), score };
  });
  return {
    answer: textOf(result.response),
    sources: sources.filter(({ id }, at) => sources.findIndex((first) => first.id === id) === at),
    ...degradedAnswer(caller, result.degradations),
  };
}

/** The runner with its RAGs as the caller may read them. */
async function runnerForReader<Runner extends { rags: ListedRag[] }>(
  { services, caller }: Session,
  runner: Runner,
): Promise<Runner> {
  return { ...runner, rags: await ragsForReader(services, caller, runner.rags) };
}

const coveredOf = <Resource>({ found: resource }: Lookup<Resource>): Resource | null =>
  resource?.covered === true ? resource.resource : null;
