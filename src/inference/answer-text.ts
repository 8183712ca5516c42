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
