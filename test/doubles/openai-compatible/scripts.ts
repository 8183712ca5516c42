import { sayByDefault, type ChatBody, type Said } from "./chat-answer.ts";

const hasToolResult = ({ messages }: ChatBody) => messages.some(({ role }) => role === "tool");

/** Scripts of a model by name, so that a test can choose one in another process, too. */
export const SCRIPTS = {
  default: sayByDefault,
  "repairs-itself": ({ messages }): Said => ({
    text: messages.at(-1)?.content?.includes("does not follow") === true ? '{"answer":"ok"}' : "{}",
  }),
  "stays-wrong": (): Said => ({ text: '{"unasked":1}' }),
  "never-stops-searching": (): Said => ({
    calls: [{ name: "search_handbook", arguments: '{"query":"holiday"}' }],
  }),
  "calls-wrongly": (body): Said => {
    if (hasToolResult(body)) return { text: "Never mind." };
    const wrong = { name: "search_handbook", arguments: '{"query": 5}' };
    return { calls: [{ name: "delete_everything", arguments: "{}" }, wrong] };
  },
} satisfies Record<string, (body: ChatBody) => Said>;

export type ScriptName = keyof typeof SCRIPTS;

export const isScriptName = (name: string): name is ScriptName => Object.hasOwn(SCRIPTS, name);
