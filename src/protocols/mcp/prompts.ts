import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import type {
  CompleteRequestParams,
  CompleteResult,
  GetPromptRequestParams,
  GetPromptResult,
  ListPromptsResult,
} from "@modelcontextprotocol/server";

import { findRunner, runnerTools } from "./runner-tools.ts";
import { coveredRags, type Session } from "./session.ts";

/* https://modelcontextprotocol.io/specification/2026-07-28/server/prompts */

const QUESTION = { name: "prompt", description: "The question or task.", required: true };
/** As many as the protocol permits. */
const VALUES_LIMIT = 100;

/** One for each inference and agent, named as its tool, a page at a time. */
export async function listPrompts(
  session: Session,
  cursor: string | undefined,
): Promise<ListPromptsResult> {
  const { tools, ...page } = await runnerTools(session, cursor);
  const prompts = tools.map(({ name, title = name, description = title }) => {
    return { name, title, description, arguments: [QUESTION] };
  });
  return { ...page, prompts };
}

/** A person has chosen what answers: the model is told to call it. */
export async function getPrompt(
  session: Session,
  { name, arguments: args = {} }: GetPromptRequestParams,
): Promise<GetPromptResult> {
  if ((await findRunner(session, name)) === null) throw await unknownPrompt(session, name);
  const prompt = args["prompt"] ?? "";
  if (!/\S/.test(prompt)) throw invalidParams("prompt is required");
  const text = `Call the tool ${name} with the prompt below. Answer from its result and name its sources.\n\n${prompt}`;
  return { messages: [{ role: "user", content: { type: "text", text } }] };
}

const invalidParams = (message: string) =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, message);

const NAMES_SHOWN = 20;

async function unknownPrompt(session: Session, name: string): Promise<ProtocolError> {
  const { tools } = await runnerTools(session, undefined);
  const names = tools.slice(0, NAMES_SHOWN).map((tool) => tool.name);
  return invalidParams(
    `Unknown prompt: ${name.slice(0, 100)}. The token covers: ${names.join(", ")}`,
  );
}

/** RAGs of the template of resources, by how their identifiers begin; nothing else is completed. */
export async function complete(
  session: Session,
  { ref, argument }: CompleteRequestParams,
): Promise<CompleteResult> {
  const isRag = ref.type === "ref/resource" && argument.name === "rag";
  const values = (isRag ? await coveredRags(session) : [])
    .map(({ identifier }) => identifier)
    .filter((identifier) => identifier.startsWith(argument.value));
  return { completion: { values: values.slice(0, VALUES_LIMIT), total: values.length } };
}
