import { z } from "zod";

import { identifier, name } from "../../core/input/input-fields.ts";
import { storedSettings } from "../../core/input/setting-fields.ts";
import { ANSWER, answerSettings, promptSettings } from "../models/prompt-settings.ts";

const MAX_DESCRIPTION_LENGTH = 2_000;
const MAX_STEPS = 10;
const DEFAULT_STEPS = 5;

/** A new agent: the settings of API, forms, references and columns. */
export const newAgent = z.object({
  name,
  identifier: identifier.optional(),
  description: z.string().max(MAX_DESCRIPTION_LENGTH).meta({ label: "Description" }).default(""),
  ...promptSettings,
  maxSteps: z
    .int()
    .min(1)
    .max(MAX_STEPS)
    .meta({ label: "Maximum steps", group: ANSWER })
    .default(DEFAULT_STEPS),
  ...answerSettings,
});
export type NewAgent = z.output<typeof newAgent>;

export const storedAgent = storedSettings(newAgent);
export const agentPatch = storedAgent.extend({ identifier: z.string() }).partial();
