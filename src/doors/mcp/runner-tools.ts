import type { Tool } from "@modelcontextprotocol/server";
import { z } from "zod";

import { forbidden, notFound } from "../../core/errors.ts";
import { hash32 } from "../../core/hash.ts";
import type { CoveredRunner } from "../../db/access/covered-lists.ts";
import { lookUpAgent, lookUpInference } from "../../db/access/principal-lookup.ts";
import type { Lookup } from "../../db/access/principal-lookup.ts";
import { degradedFor } from "../../http/answers.ts";
import { parseOrRefuse } from "../../http/validation.ts";
import { fileIdOf } from "../file-address.ts";
import { textOf } from "../answer-text.ts";
import { run } from "../run.ts";
import type { Runner } from "../run.ts";
import { resourceUri } from "./resources.ts";
import { schemaOf } from "./schema-of.ts";
import type { Session } from "./session.ts";

/** Names are at most 64 characters long with the strictest client. */
const NAME_LENGTH = 64;
const SEARCH_MAX_LENGTH = 10_000;

const AgentInput = z.object({
  prompt: z.string().regex(/\S/, "must not be blank").describe("What is asked or to be done."),
});

const InferenceInput = AgentInput.extend({
  search: z
    .string()
    .regex(/\S/, "must not be blank")
    .max(SEARCH_MAX_LENGTH)
    .optional()
    .describe("What to look for in the documents; without it the prompt."),
});

const Source = z.object({
  id: z.string().describe("Of the file, for fetch."),
  url: z.string(),
  score: z.number(),
});

const Output = z.object({
  answer: z.string(),
  sources: z.array(Source).describe("Files whose passages the model was given."),
  degraded: z.object({ occurred: z.literal(true) }).optional(),
});

/** `ask_staff-handbook`, `agent_helper`; a name that is too long ends in its hash. */
function toolNameOf({ kind, identifier }: CoveredRunner): string {
  const name = `${kind === "agent" ? "agent" : "ask"}_${identifier}`;
  if (name.length <= NAME_LENGTH) return name;
  const mark = `_${hash32(name).toString(36)}`;
  return name.slice(0, NAME_LENGTH - mark.length) + mark;
}

export function runnerTool(runner: CoveredRunner): Tool {
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
    return `Answers with the inference "${runner.name}", from the documents behind it.`;
  }
  const { description, name } = runner;
  return description === ""
    ? `Asks the agent "${name}", which searches its documents.`
    : description;
}

export const runnerNamed = ({ runners }: Session, name: string): CoveredRunner | null =>
  runners.find((runner) => toolNameOf(runner) === name) ?? null;

export async function runTool(session: Session, covered: CoveredRunner, given: object) {
  const { prompt, search: query } = parseOrRefuse(InferenceInput, given);
  const { services, caller, signal } = session;
  const runner = await readRunner(session, covered);
  const result = await run(services, { runner, prompt, query, caller, signal });
  return {
    answer: textOf(result.response),
    sources: result.items.map(({ source, score }) => {
      const file = { rag: source.ragIdentifier, path: source.filePath };
      return { id: fileIdOf(file), url: source.url ?? resourceUri(file), score };
    }),
    ...degradedFor(caller, result.degradations),
  };
}

async function readRunner(session: Session, { kind, identifier }: CoveredRunner): Promise<Runner> {
  const { services, credential } = session;
  return kind === "agent"
    ? { kind, agent: resourceOf(await lookUpAgent(services.reads, credential, identifier)) }
    : {
        kind,
        inference: resourceOf(await lookUpInference(services.reads, credential, identifier)),
      };
}

/** It was covered when it was listed a moment ago. @throws QuarryError */
function resourceOf<Resource>({ found }: Lookup<Resource>): Resource {
  if (found === null) throw notFound();
  if (!found.covered) throw forbidden();
  return found.resource;
}
