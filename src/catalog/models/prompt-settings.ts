import { z } from "zod";

import { MAX_IDENTIFIER_LENGTH } from "../../core/ids.ts";
import { modelName, openToMembers } from "../../core/input/input-fields.ts";

const MAX_PROMPT_LENGTH = 200_000;
const MAX_LINKS = 100;
const MAX_TEMPERATURE = 2;
const MAX_OUTPUT_TOKENS = 1_000_000;

/** Prompts of inferences and agents, and the RAGs that they search. */
export const promptSettings = {
  systemPrompt: z.string().max(MAX_PROMPT_LENGTH).meta({ label: "System prompt" }),
  model: modelName.meta({ label: "Model" }),
  rags: z
    .array(z.string().max(MAX_IDENTIFIER_LENGTH))
    .max(MAX_LINKS)
    .meta({ label: "RAGs" })
    .default([]),
};

export const ANSWER = "Answer";

/** How their model answers. */
export const answerSettings = {
  temperature: z
    .number()
    .min(0)
    .max(MAX_TEMPERATURE)
    .nullable()
    .meta({
      label: "Temperature",
      hint: "0 to 2. If empty, the model's default.",
      isHalf: true,
      group: ANSWER,
    })
    .default(null),
  maxOutputTokens: z
    .int()
    .min(1)
    .max(MAX_OUTPUT_TOKENS)
    .nullable()
    .meta({
      label: "Length of the answer",
      hint: "Maximum, in tokens. If empty, the model's default.",
      isHalf: true,
      group: ANSWER,
    })
    .default(null),
  openToMembers,
};
