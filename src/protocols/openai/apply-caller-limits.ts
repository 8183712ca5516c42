import type { Runner } from "../run.ts";
import type { Turn } from "./turn.ts";

/** OpenAI's default, which a caller cannot raise where nothing is configured. */
const DEFAULT_TEMPERATURE = 1;

type Settings = {
  systemPrompt: string;
  temperature: number | null;
  maxOutputTokens: number | null;
};

/** The runner with the caller's system message after its own, and the caller's limits where lower. */
export function applyCallerLimits(runner: Runner, turn: Turn): Runner {
  return runner.kind === "agent"
    ? { kind: "agent", agent: lowered(runner.agent, turn) }
    : { kind: "inference", inference: lowered(runner.inference, turn) };
}

function lowered<Set extends Settings>(settings: Set, turn: Turn): Set {
  const { systemPrompt, temperature, maxOutputTokens } = settings;
  return {
    ...settings,
    systemPrompt: [systemPrompt, turn.systemNote].filter((text) => text !== "").join("\n\n"),
    temperature:
      turn.temperature === null
        ? temperature
        : Math.min(temperature ?? DEFAULT_TEMPERATURE, turn.temperature),
    maxOutputTokens:
      turn.maxOutputTokens === null
        ? maxOutputTokens
        : Math.min(maxOutputTokens ?? Infinity, turn.maxOutputTokens),
  };
}
