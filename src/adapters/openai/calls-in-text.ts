import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4FunctionTool,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolCall,
} from "@ai-sdk/provider";

import { parseJson } from "../../core/input/parse-json.ts";
import { isObject } from "../../core/is-object.ts";

/*
 * A server without a parser for its model leaves calls of tools in the text: those of Hermes, Qwen,
 * GLM and Mistral (https://github.com/vllm-project/vllm/tree/main/vllm/tool_parsers), or JSON alone
 * or in a code block
 * (https://github.com/vllm-project/vllm/issues/46863, https://github.com/ollama/ollama-vscode/pull/20).
 */
const MISTRAL_MARK = "[TOOL_CALLS]";
const MARKS = ["<tool_call>", MISTRAL_MARK];
const END_MARK = "</tool_call>";
const BEFORE_JSON = /^(?:```(?:json)?|<\|python_(?:tag|start)\|>)/;
const AFTER_JSON = /(?:```|<\|python_end\|>)$/;
/** Without spaces; a text that begins otherwise is no such JSON. */
const BEGINNINGS = ["{", "[{", "```{", "```[{", "```json{", "```json[{", MISTRAL_MARK, "<|python_"];
/** Characters of a beginning, spaces included. */
const MAX_BEGINNING = 40;
const CALLED: LanguageModelV4GenerateResult["finishReason"] = {
  unified: "tool-calls",
  raw: undefined,
};

type Options = Pick<LanguageModelV4CallOptions, "tools" | "toolChoice">;
type Tools = ReadonlyMap<string, LanguageModelV4FunctionTool>;

const toolsOf = ({ tools = [], toolChoice }: Options): Tools =>
  new Map(
    tools.flatMap((tool) =>
      tool.type === "function" && toolChoice?.type !== "none" ? [[tool.name, tool] as const] : [],
    ),
  );

/** An answer whose text is calls of the offered tools, with these calls in place of the text. */
export function withCallsOfText(
  { content, ...result }: LanguageModelV4GenerateResult,
  options: Options,
): LanguageModelV4GenerateResult {
  const tools = toolsOf(options);
  const parts = content.flatMap((part): LanguageModelV4Content[] => {
    if (part.type !== "text") return [part];
    const reader = callReader(tools);
    const text = reader.push(part.text);
    const { rest, calls } = reader.end();
    return calls.length === 0 ? [part] : [{ ...part, text: text + rest }, ...calls];
  });
  const hasCalls = parts.length > content.length;
  return { ...result, content: parts, ...(hasCalls ? { finishReason: CALLED } : {}) };
}

/** Does so for a stream: text that may be a call is held back. */
export function callsOfText(options: Options) {
  const tools = toolsOf(options);
  let reader = callReader(tools);
  let hasCalls = false;
  return new TransformStream<LanguageModelV4StreamPart, LanguageModelV4StreamPart>({
    transform(part, controller) {
      if (part.type === "text-delta") {
        const delta = reader.push(part.delta);
        if (delta !== "") controller.enqueue({ ...part, delta });
        return;
      }
      if (part.type !== "text-end") {
        return controller.enqueue(
          part.type === "finish" && hasCalls ? { ...part, finishReason: CALLED } : part,
        );
      }
      const { rest: delta, calls } = reader.end();
      reader = callReader(tools);
      hasCalls ||= calls.length > 0;
      if (delta !== "") controller.enqueue({ type: "text-delta", id: part.id, delta });
      for (const each of [part, ...calls]) controller.enqueue(each);
    },
  });
}

/** Reads a text that comes in pieces. */
function callReader(tools: Tools) {
  let state: "beginning" | "text" | "call" = "beginning";
  let pending = "";
  const push = (piece: string): string => {
    if (tools.size === 0) return piece;
    pending += piece;
    if (state === "beginning") state = stateOf(pending);
    if (state !== "text") return "";
    const end = startOfMark(pending);
    const text = pending.slice(0, end);
    pending = pending.slice(end);
    if (MARKS.some((mark) => pending.startsWith(mark))) state = "call";
    return text;
  };
  const end = () => {
    const calls = callsIn(pending, tools);
    return { calls: calls ?? [], rest: calls === null ? pending : "" };
  };
  return { push, end };
}

function stateOf(text: string) {
  const beginning = text.slice(0, MAX_BEGINNING).replaceAll(/\s/g, "");
  if (BEGINNINGS.some((each) => beginning.startsWith(each))) return "call";
  const mayBegin = BEGINNINGS.some((each) => each.startsWith(beginning));
  return mayBegin && text.length < MAX_BEGINNING ? "beginning" : "text";
}

/** Where a mark begins, or its first characters at the end of the text; else the text's end. */
function startOfMark(text: string): number {
  const starts = MARKS.map((mark) => {
    const at = text.indexOf(mark);
    if (at !== -1) return at;
    const last = text.lastIndexOf(mark.charAt(0));
    return last !== -1 && mark.startsWith(text.slice(last)) ? last : text.length;
  });
  return Math.min(...starts);
}

/** Null for a text that is anything else than calls of these tools. */
function callsIn(text: string, tools: Tools): LanguageModelV4ToolCall[] | null {
  const whole = text.trim();
  const mark = MARKS.find((each) => whole.startsWith(each));
  const blocks =
    mark === undefined
      ? [whole.replace(BEFORE_JSON, "").replace(AFTER_JSON, "")]
      : whole.split(mark).slice(1);
  const calls = blocks.flatMap((block) => {
    // Text behind a call is an invented answer to it.
    const [before, behind] = block.split(END_MARK, 2);
    const call = (before ?? "").trim();
    if (mark === undefined || /^[[{]/.test(call)) return jsonCalls(call);
    if (mark === MISTRAL_MARK) return mistralCall(call);
    // One that is cut off would be a call with half of its arguments.
    const isWhole = behind !== undefined || call.endsWith("</function>");
    return isWhole ? xmlCall(call, tools) : jsonCalls("");
  });
  const areCalls =
    calls.length > 0 && calls.every(({ name, args }) => tools.has(name) && isObject(args));
  if (!areCalls) return null;
  return calls.map(({ name: toolName, args }) => {
    const toolCallId = crypto.randomUUID();
    return { type: "tool-call", toolCallId, toolName, input: JSON.stringify(args) };
  });
}

function jsonCalls(text: string) {
  const json = parseJson(text);
  return (Array.isArray(json) ? json : [json]).map((call: unknown) => {
    const { function: inner, ...outer } = isObject(call) ? call : {};
    const { name, arguments: args, parameters } = isObject(inner) ? inner : outer;
    return {
      name: String(name),
      args: typeof args === "string" ? parseJson(args) : (args ?? parameters),
    };
  });
}

/** `search[ARGS]{"query": "boiler"}`; an id may stand between, and the mark be missing. */
function mistralCall(text: string) {
  const args = parseJson(text.slice(text.indexOf("{")));
  return { name: text.split(/[[{]/, 1)[0]?.trim() ?? "", args };
}

const FUNCTION = "<function=";

/**
 * `<function=search><parameter=query>boiler</parameter></function>` of Qwen3-Coder, or
 * `search<arg_key>query</arg_key><arg_value>boiler</arg_value>` of GLM.
 */
function xmlCall(text: string, tools: Tools) {
  const [keyMark, keyEnd, valueMark, valueEnd] = text.startsWith(FUNCTION)
    ? ["<parameter=", ">", "", "</parameter>"]
    : ["<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>"];
  const [head = "", ...fields] = text.split(keyMark);
  const name = head.replace(FUNCTION, "").split(">", 1)[0]?.trim() ?? "";
  const schema = tools.get(name)?.inputSchema.properties ?? {};
  const entries = fields.map((field) => {
    const [key, rest] = splitAt(field, keyEnd);
    const value = rest.replace(valueMark, "").split(valueEnd, 1)[0]?.trim() ?? "";
    const type = isObject(schema[key]) ? schema[key]["type"] : "string";
    return [key, type === "string" ? value : (parseJson(value) ?? value)] as const;
  });
  return { name, args: Object.fromEntries(entries) };
}

function splitAt(text: string, mark: string): [before: string, after: string] {
  const at = text.indexOf(mark);
  return at === -1 ? [text, ""] : [text.slice(0, at), text.slice(at + mark.length)];
}
