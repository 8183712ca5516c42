import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { expect } from "vitest";

import { extractiveChat } from "../../../../src/adapters/embedded/extractive-chat.ts";
import { readResponseSchema } from "../../../../src/inference/response-schema.ts";
import {
  newDelimiterKey,
  writePassages,
  writeRequest,
} from "../../../../src/text/prompt-delimiters.ts";
import type { Passage } from "../../../../src/text/prompt-delimiters.ts";

export const HANDBOOK = `# Leave

Everyone is welcome here.

## Holiday

Full-time employees get 26 days of paid holiday a year. Up to 5 days may be carried over until
31 March 2027. Unused days are not paid out.

## Sickness

Call your manager before 9:30 on the first day.

| Grade | Notice period |
| --- | --- |
| Junior | 4 weeks |
| Senior | 3 months |`;

export function promptOf(
  request: string,
  passages: (string | Passage)[],
): LanguageModelV4CallOptions["prompt"] {
  const key = newDelimiterKey();
  const block = writePassages(
    passages.map((text) => (typeof text === "string" ? { source: "leave.md", text } : text)),
    key,
  );
  const text = passages.length === 0 ? request : `${block}\n\n${writeRequest(request, key)}`;
  return [{ role: "user", content: [{ type: "text", text }] }];
}

export async function answer(
  request: string,
  passages: (string | Passage)[] = [],
  schema?: unknown,
): Promise<string> {
  const { content } = await extractiveChat().doGenerate({
    prompt: promptOf(request, passages),
    ...(schema === undefined
      ? {}
      : { responseFormat: { type: "json", schema: schema as Record<string, unknown> } }),
  });
  const [part] = content;
  return part?.type === "text" ? part.text : "";
}

/** Fills a schema by the model; the schema admits the result. */
export async function filled(
  request: string,
  schema: unknown,
  passages: string[] = [],
): Promise<unknown> {
  const value = JSON.parse(await answer(request, passages, schema)) as unknown;
  const result = readResponseSchema(JSON.stringify(schema));
  expect(result.ok && result.schema.findings(value)).toEqual([]);
  return value;
}
