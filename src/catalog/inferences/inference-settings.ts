import { z } from "zod";

import { identifier, name } from "../../core/input/input-fields.ts";
import { storedSettings } from "../../core/input/setting-fields.ts";
import { answerSettings, promptSettings } from "../models/prompt-settings.ts";

const SEARCH = "Search";

/** A new inference: the settings of API, forms, references and columns. */
export const newInference = z.object({
  name,
  identifier: identifier.optional(),
  ...promptSettings,
  nativeRag: z
    .boolean()
    .meta({
      label: "Search before asking the model",
      group: SEARCH,
      hint: "Otherwise the model gets a search tool and decides itself.",
    })
    .default(true),
  conversation: z
    .enum(["rewrite", "last-message"])
    .meta({
      label: "Search in a conversation for",
      group: SEARCH,
      hint: "Questions cost one more model call for each message after the first.",
      choices: {
        rewrite: "Questions that the model writes from the messages",
        "last-message": "The last message alone",
      },
    })
    .default("rewrite"),
  planning: z
    .enum(["off", "on"])
    .meta({
      label: "Complex questions",
      group: SEARCH,
      hint: "Splitting a question costs one more model call.",
      choices: { off: "At once", on: "One by one: the model splits the question" },
    })
    .default("off"),
  ...answerSettings,
});
export type NewInference = z.output<typeof newInference>;

export const storedInference = storedSettings(newInference);
export const inferencePatch = storedInference.extend({ identifier: z.string() }).partial();
