import { z } from "zod";

import { measureRun, type RunTools } from "./record-usage.ts";
import { schemaIn } from "./response-schema.ts";
import { runTurn } from "./run-turn.ts";
import { planOutput } from "./structured-output.ts";
import type { InferenceServices, Usage } from "./types.ts";

type ModelQuestion<Reply> = {
  model: string;
  systemPrompt: string;
  /** `key`: of the delimiters, which no text can know (text/prompt-delimiters.ts). */
  prompt: (key: string) => string;
  /** The schema of a JSON object. */
  reply: z.ZodType<Reply>;
  /** Owners of the usage, in addition to the model. */
  countedFor: { inferenceId: string | null; ragIds: string[] };
};

/** Asks a chat model for an object outside of any inference. @throws QuarryError `model-failed` */
export async function askModel<Reply extends object>(
  services: InferenceServices,
  asking: ModelQuestion<Reply>,
): Promise<{ reply: Reply; usage: Usage }> {
  const { model, systemPrompt, prompt, reply, countedFor } = asking;
  // Gemini refuses a schema that names its `$schema`.
  const { $schema: _, ...schema } = z.toJSONSchema(reply);
  const output = planOutput(schemaIn(JSON.stringify(schema)));
  const caller = { tokenId: null };
  const subject = { kind: "inference" as const, ...countedFor, agentId: null, caller, model };
  const setting = { systemPrompt, maxOutputTokens: null };
  const ask = async ({ key, meter }: RunTools) => {
    const content = [prompt(key), output.formNote].join("\n\n");
    return await runTurn(services, {
      setting: { ...setting, temperature: null, rags: [] },
      chat: services.models.chat(model),
      messages: [{ role: "user", content }],
      output,
      citing: null,
      shown: [],
      search: null,
      maxSteps: 1,
      key,
      meter,
      signal: undefined,
      emit: undefined,
    });
  };
  const { response, usage } = await measureRun(services, subject, setting, ask, false);
  return { reply: reply.parse(response), usage };
}
