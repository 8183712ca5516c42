import type { Runner } from "../run.ts";
import type { ReadChat } from "./chat-request.ts";

/** OpenAI's default, which a caller cannot raise where nothing is configured. */
const DEFAULT_TEMPERATURE = 1;

type Settings = {
  systemPrompt: string;
  temperature: number | null;
  maxOutputTokens: number | null;
};

/** The runner with the caller's system message after its own, and the caller's limits where lower. */
export function applyCallerLimits(runner: Runner, chat: ReadChat): Runner {
  return runner.kind === "agent"
    ? { kind: "agent", agent: lowered(runner.agent, chat) }
    : { kind: "inference", inference: lowered(runner.inference, chat) };
}

function lowered<Set extends Settings>(settings: Set, chat: ReadChat): Set {
  const { systemPrompt, temperature, maxOutputTokens } = settings;
  return {
    ...settings,
    systemPrompt: [systemPrompt, chat.systemNote].filter((text) => text !== "").join("\n\n"),
    temperature:
      chat.temperature === null
        ? temperature
        : Math.min(temperature ?? DEFAULT_TEMPERATURE, chat.temperature),
    maxOutputTokens:
      chat.maxOutputTokens === null
        ? maxOutputTokens
        : Math.min(maxOutputTokens ?? Infinity, chat.maxOutputTokens),
  };
}
