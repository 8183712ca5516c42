import {
  createMcpHandler,
  isLegacyRequest,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { z } from "zod";

import packageFacts from "../../../package.json" with { type: "json" };
import { parseJson } from "../../core/input/parse-json.ts";
import { isObject } from "../../core/is-object.ts";
import { logFailure } from "../../http/errors.ts";
import { progressOf } from "./progress.ts";
import { complete, getPrompt, listPrompts } from "./prompts.ts";
import { RESOURCE_TEMPLATE, listResources, readResource } from "./resources.ts";
import type { Session } from "./session.ts";
import { callTool, listTools } from "./tools.ts";

const INSTRUCTIONS = [
  "Searches a body of documents. Call search to find passages, and fetch with the id of a result to",
  "read its whole file. Every other tool answers a request from the documents that it names.",
].join(" ");

const EVENTS_TYPE = "text/event-stream";
const ANY_ANSWER = `application/json, ${EVENTS_TYPE}`;

const WithProgress = z.object({
  method: z.literal("tools/call"),
  params: z.object({ _meta: z.object({ progressToken: z.union([z.string(), z.number()]) }) }),
});

/** Whether the caller reads events and asks for progress. */
const wantsEvents = ({ headers }: Request, body: unknown): boolean =>
  headers.get("Accept")?.includes(EVENTS_TYPE) === true && WithProgress.safeParse(body).success;

/** A message has its params, these their fields, and one of these the arguments of a tool or prompt. */
const UNSET_DEPTH = 3;

/** Some clients send null for what is not set, or an empty argument, where others leave it out. */
function omitUnset(value: unknown, depth: number, within?: string): unknown {
  if (depth === 0 || !isObject(value)) return value;
  const isUnset = (field: unknown) => field === null || (field === "" && within === "arguments");
  const fields = Object.entries(value).filter(([name, field]) => name === "id" || !isUnset(field));
  return Object.fromEntries(
    fields.map(([name, field]) => [name, omitUnset(readField(name, field), depth - 1, name)]),
  );
}

/** Some models write the arguments of a tool as a text. */
const readField = (name: string, field: unknown): unknown =>
  name === "arguments" && typeof field === "string" ? (parseJson(field) ?? field) : field;

const REVISION = "MCP-Protocol-Version";

/** Some clients send it twice (https://github.com/modelcontextprotocol/java-sdk/pull/448) or empty. */
function foldRevision({ headers }: Request): void {
  const [revision = ""] = (headers.get(REVISION) ?? "").split(",", 1);
  if (revision.trim() === "") headers.delete(REVISION);
  else headers.set(REVISION, revision.trim());
}

/**
 * Answers one message, with JSON unless it asks for progress, in the revision of the protocol that
 * the client speaks: the present one, where each request stands for itself, or an earlier one,
 * which begins with `initialize`.
 */
export async function serve(session: Session, request: Request, body: unknown): Promise<Response> {
  const message = omitUnset(body, UNSET_DEPTH);
  const parsed = { parsedBody: message };
  const streams = wantsEvents(request, message);
  // The SDK refuses a client that reads JSON alone, which is all that it gets.
  request.headers.set("Accept", ANY_ANSWER);
  foldRevision(request);
  if (await isLegacyRequest(request, message)) {
    const transport = new WebStandardStreamableHTTPServerTransport({
      enableJsonResponse: !streams,
    });
    await serverFor(session, streams).connect(transport);
    return await transport.handleRequest(request, parsed);
  }
  const { data: unknown } = Unserved.safeParse(message);
  if (unknown !== undefined) return methodNotFound(unknown.id);
  return await createMcpHandler(() => serverFor(session, streams)).fetch(request, parsed);
}

/**
 * The SDK serves subscriptions whatever a server declares, though no change here is announced. The
 * others are methods of earlier revisions, which go-sdk 1.8 sends without `_meta`: it takes any
 * refusal but this one for the end of the connection.
 */
const Unserved = z.object({
  method: z.enum(["subscriptions/listen", "ping", "logging/setLevel"]),
  id: z.union([z.string(), z.number()]),
});

function methodNotFound(id: string | number): Response {
  const error = { code: ProtocolErrorCode.MethodNotFound, message: "Method not found" };
  return Response.json({ jsonrpc: "2.0", id, error }, { status: 404 });
}

/** `streams`: progress reaches the caller. */
function serverFor(session: Session, streams: boolean): Server {
  const { version } = packageFacts;
  const server = new Server(
    { name: "quarry", title: "Quarry", version },
    {
      capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
      instructions: INSTRUCTIONS,
    },
  );
  const answer = <Result>(work: () => Result | Promise<Result>) => translateErrors(session, work);
  server.setRequestHandler("tools/list", ({ params }) =>
    answer(() => listTools(session, params?.cursor)),
  );
  server.setRequestHandler("tools/call", ({ params }, context) =>
    answer(() => callTool(session, params, streams ? progressOf(context) : undefined)),
  );
  server.setRequestHandler("resources/list", ({ params }) =>
    answer(() => listResources(session, params?.cursor)),
  );
  server.setRequestHandler("resources/templates/list", () => {
    return { resourceTemplates: [RESOURCE_TEMPLATE] };
  });
  server.setRequestHandler("resources/read", ({ params }) =>
    answer(() => readResource(session, params.uri)),
  );
  server.setRequestHandler("prompts/list", ({ params }) =>
    answer(() => listPrompts(session, params?.cursor)),
  );
  server.setRequestHandler("prompts/get", ({ params }) => answer(() => getPrompt(session, params)));
  server.setRequestHandler("completion/complete", ({ params }) =>
    answer(() => complete(session, params)),
  );
  return server;
}

/** The SDK would answer with the message of any error, which may quote what is not the caller's. */
async function translateErrors<Result>(
  { services }: Session,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof ProtocolError) throw thrown;
    const { status, error } = logFailure(thrown, services.log);
    const { InvalidParams, InternalError } = ProtocolErrorCode;
    throw new ProtocolError(status < 500 ? InvalidParams : InternalError, error);
  }
}
