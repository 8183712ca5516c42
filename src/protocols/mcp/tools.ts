import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import type {
  CallToolRequestParams,
  CallToolResult,
  ListToolsResult,
} from "@modelcontextprotocol/server";

import { logFailure } from "../../http/errors.ts";
import type { EmitEvent } from "../../inference/run-events.ts";
import { FETCH_TOOL, fetchFile, SEARCH_TOOL, searchDocuments } from "./document-tools.ts";
import { findRunner, runnerTools, runTool } from "./runner-tools.ts";
import type { Session } from "./session.ts";

/* https://modelcontextprotocol.io/specification/2026-07-28/server/tools */

/** Search and fetch, then a tool for each inference and agent, a page at a time. */
export async function listTools(
  session: Session,
  cursor: string | undefined,
): Promise<ListToolsResult> {
  const page = await runnerTools(session, cursor);
  const general = cursor === undefined ? [SEARCH_TOOL, FETCH_TOOL] : [];
  return { ...page, tools: [...general, ...page.tools] };
}

/** Failures in a tool are results for the model. @throws ProtocolError for an unknown tool */
export async function callTool(
  session: Session,
  { name, arguments: args = {} }: CallToolRequestParams,
  emit?: EmitEvent,
): Promise<CallToolResult> {
  try {
    const structuredContent = await workOf(session, { name, given: args, emit });
    // Clients of earlier revisions read the text.
    const text = JSON.stringify(structuredContent);
    return { content: [{ type: "text", text }], structuredContent };
  } catch (thrown) {
    if (thrown instanceof ProtocolError) throw thrown;
    const { error } = logFailure(thrown, session.services.log);
    return { content: [{ type: "text", text: error }], isError: true };
  }
}

type StructuredContent = Record<string, unknown>;

type ToolInvocation = { name: string; given: object; emit: EmitEvent | undefined };

async function workOf(
  session: Session,
  { name, given: input, emit }: ToolInvocation,
): Promise<StructuredContent> {
  if (name === SEARCH_TOOL.name) return await searchDocuments(session, input);
  if (name === FETCH_TOOL.name) return await fetchFile(session, input);
  const runner = await findRunner(session, name);
  if (runner !== null) return await runTool(session, runner, { given: input, emit });
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${name.slice(0, 100)}`);
}
