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
import { logFailure } from "../../http/errors.ts";
import { RESOURCE_TEMPLATE, listResources, readResource } from "./resources.ts";
import type { Session } from "./session.ts";
import { progressOf } from "./progress.ts";
import { complete, getPrompt, listPrompts } from "./prompts.ts";
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

/**
 * Answers one message, with JSON unless it asks for progress, in the revision of the protocol that
 * the client speaks: the present one, where each request stands for itself, or an earlier one,
 * which begins with `initialize`.
 */
export async function serve(session: Session, request: Request, body: unknown): Promise<Response> {
  const parsed = { parsedBody: body };
  const streams = wantsEvents(request, body);
  // The SDK refuses a client that reads JSON alone, which is all that it gets.
  request.headers.set("Accept", ANY_ANSWER);
  if (await isLegacyRequest(request, body)) {
    const transport = new WebStandardStreamableHTTPServerTransport({
      enableJsonResponse: !streams,
    });
    await serverFor(session).connect(transport);
    return await transport.handleRequest(request, parsed);
  }
  // Nothing changes while a client listens that it could be told of.
  const options = { responseMode: streams ? "auto" : "json", maxSubscriptions: 0 } as const;
  return await createMcpHandler(() => serverFor(session), options).fetch(request, parsed);
}

function serverFor(session: Session): Server {
  const { version } = packageFacts;
  const server = new Server(
    { name: "quarry", title: "Quarry", version },
    {
      capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
      instructions: INSTRUCTIONS,
    },
  );
  const told = <Result>(work: () => Result | Promise<Result>) => answered(session, work);
  server.setRequestHandler("tools/list", ({ params }) =>
    told(() => listTools(session, params?.cursor)),
  );
  server.setRequestHandler("tools/call", ({ params }, context) =>
    told(() => callTool(session, params, progressOf(context))),
  );
  server.setRequestHandler("resources/list", ({ params }) =>
    told(() => listResources(session, params?.cursor)),
  );
  server.setRequestHandler("resources/templates/list", () => {
    return { resourceTemplates: [RESOURCE_TEMPLATE] };
  });
  server.setRequestHandler("resources/read", ({ params }) =>
    told(() => readResource(session, params.uri)),
  );
  server.setRequestHandler("prompts/list", ({ params }) =>
    told(() => listPrompts(session, params?.cursor)),
  );
  server.setRequestHandler("prompts/get", ({ params }) => told(() => getPrompt(session, params)));
  server.setRequestHandler("completion/complete", ({ params }) =>
    told(() => complete(session, params)),
  );
  return server;
}

/** The SDK would answer with the message of any error, which may quote what is not the caller's. */
async function answered<Result>(
  { services }: Session,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof ProtocolError) throw thrown;
    const { error } = logFailure(thrown, services.log);
    throw new ProtocolError(ProtocolErrorCode.InternalError, error);
  }
}
