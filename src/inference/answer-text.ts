import { isObject } from "../core/is-object.ts";
import type { Citation, ContentBlock, InferenceResult } from "./types.ts";

/** The text of an answer that follows no schema: its content blocks, one after the other. */
export function textOf(response: InferenceResult["response"]): string {
  return blocksOf(response)
    .map(({ text }) => text)
    .join("");
}

/** Its citations, with offsets into that text. */
export function citationsIn(response: InferenceResult["response"]): Citation[] {
  let before = 0;
  return blocksOf(response).flatMap(({ text, citations = [] }) => {
    const from = before;
    before += text.length;
    return citations.map(({ item, start, end }) => {
      return { item, start: from + start, end: from + end };
    });
  });
}

function blocksOf(response: InferenceResult["response"]): ContentBlock[] {
  const blocks: unknown[] = Array.isArray(response) ? response : [];
  return blocks.filter(isBlock);
}

const isBlock = (value: unknown): value is ContentBlock =>
  isObject(value) && value["type"] === "text" && typeof value["text"] === "string";
