import { z } from "zod";

import { identifier, name } from "../../core/input/input-fields.ts";
import { storedSettings } from "../../core/input/setting-fields.ts";
import { answerSettings, promptSettings } from "../models/prompt-settings.ts";

/** What an inference is made with: the settings of API, forms, references and columns. */
export const newInference = z.object({
  name,
  identifier: identifier.optional(),
  ...promptSettings,
  nativeRag: z
    .boolean()
    .meta({
      label: "Search before asking the model",
      hint: "Otherwise the model gets a search tool and decides itself.",
    })
    .default(true),
  ...answerSettings,
});
export type NewInference = z.output<typeof newInference>;

export const storedInference = storedSettings(newInference);
export const inferencePatch = storedInference.extend({ identifier: z.string() }).partial();
