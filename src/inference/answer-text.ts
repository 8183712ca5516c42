import type { StepResult, ToolSet } from "ai";

import { isObject } from "../core/is-object.ts";
import type { Citation, ContentBlock, InferenceResult } from "./types.ts";

/** The text of an answer that follows no schema: its content blocks, one after the other. */
export function textOf(response: InferenceResult["response"]): string {
  const blocks = blocksIn(response) ?? [];
  return blocks.map(({ text }) => text).join("");
}

/** Its citations, with offsets into that text. */
export function citationsIn(response: InferenceResult["response"]): Citation[] {
  let before = 0;
  return (blocksIn(response) ?? []).flatMap(({ text, citations = [] }) => {
    const from = before;
    before += text.length;
    return citations.map(({ item, start, end }) => {
      return { item, start: from + start, end: from + end };
    });
  });
}

/** The content blocks of a text; null for an answer that follows a JSON Schema. */
export function blocksIn(response: InferenceResult["response"]): ContentBlock[] | null {
  if (!Array.isArray(response) || response.length === 0) return null;
  const parts: unknown[] = response;
  return parts.every(isBlock) ? parts : null;
}

const isBlock = (value: unknown): value is ContentBlock =>
  isObject(value) && value["type"] === "text" && typeof value["text"] === "string";

/** A refusal in the model's own words is an answer, and whole. */
export function finishOf(step: StepResult<ToolSet> | undefined): InferenceResult["finish"] {
  if (step?.finishReason === "length") return "length";
  return step?.rawFinishReason === "content_filter" ? "content_filter" : "stop";
}

/** Why an answer has no text, by how it ended. */
export const WITHOUT_TEXT: Record<InferenceResult["finish"], string> = {
  stop: "empty answer",
  length: "its output limit came before an answer",
  content_filter: "the provider's filter withheld the answer",
};
