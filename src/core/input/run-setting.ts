import { z } from "zod";

import { MAX_IDENTIFIER_LENGTH } from "../ids.ts";
import { modelName } from "./input-fields.ts";
import { searchSettings } from "./search-settings.ts";

/** A run's changes of the resource's own settings; absent: as the resource has it. */
export const settingShape = searchSettings.partial().extend({
  /** Another RAG or another inference that runs instead: its identifier. */
  target: z.string().min(1).max(MAX_IDENTIFIER_LENGTH).optional(),
  /** Another chat model, of an inference. */
  model: modelName.optional(),
  reranker: modelName.nullable().optional(),
});
export type RunSetting = z.infer<typeof settingShape>;
