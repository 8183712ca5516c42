import { LLMock } from "@copilotkit/aimock";
import type { TestProject } from "vitest/node";

import type { ChatBody, Said } from "../openai-compatible/chat-answer.ts";
import { isScriptName, SCRIPTS } from "../openai-compatible/scripts.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Where aimock listens; without a path. */
    aimockUrl: string;
  }
}

/**
 * A fake model server that others keep (`@copilotkit/aimock`), so that our own double is not the
 * only judge of what is sent. It is told what to say by the model's name: `x.repairs-itself`.
 */
export default async function serveAimock(project: TestProject): Promise<() => Promise<void>> {
  const mock = new LLMock({ port: 0, host: "127.0.0.1" });
  mock.on({ endpoint: "chat", predicate: () => true }, (request) => {
    const script = request.model.slice(request.model.indexOf(".") + 1);
    const say = isScriptName(script) ? SCRIPTS[script] : SCRIPTS.default;
    return fixtureOf(say(request as unknown as ChatBody));
  });
  project.provide("aimockUrl", await mock.start());
  return () => mock.stop();
}

const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };

const fixtureOf = (reply: Said) =>
  "text" in reply ? { content: reply.text, usage } : { toolCalls: reply.calls, usage };
