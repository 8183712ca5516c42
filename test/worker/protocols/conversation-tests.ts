import { beforeAll, beforeEach, describe, expect, test } from "vitest";

import { OpenAiDouble } from "../../doubles/openai-compatible/openai-double.ts";
import { answeredBy, serviceWith } from "./service-with.ts";
import type { ProtocolsWorld } from "./world.ts";

const WRITTEN = "When is the boiler serviced?";
const TURNS = [
  { role: "user", content: "What does the handbook say about the boiler?" },
  { role: "assistant", content: "That it gets a service." },
  { role: "user", content: "And when is that?" },
];
const TOLD = { retrieval: { questions: [WRITTEN] } };
const USAGE = { total_tokens: 240 };

const APIS = [
  {
    path: "/v1/chat/completions",
    fields: { messages: TURNS, stream_options: { include_usage: true } },
    /** The first part of a stream, and the part that has the usage. */
    first: TOLD,
    last: { usage: USAGE },
  },
  {
    path: "/v1/responses",
    fields: { input: TURNS },
    first: { type: "response.created", response: TOLD },
    last: { type: "response.completed", response: { ...TOLD, usage: USAGE } },
  },
];

export function conversationTests(getWorld: () => ProtocolsWorld): void {
  let token: string;
  let double: OpenAiDouble;

  beforeAll(async () => {
    token = await getWorld().token();
  });
  beforeEach(() => {
    double = new OpenAiDouble();
    double.script = ({ messages }) => {
      const writes = messages[0]?.content?.startsWith("You write the questions") === true;
      return { text: writes ? WRITTEN : "In spring." };
    };
  });

  describe.each(APIS)("a conversation at $path", ({ path, fields, first, last }) => {
    const send = async (more: object) => {
      const { stream_options, ...plain } = { stream_options: undefined, ...fields };
      const body = { model: "inference/ask", ...plain, ...more };
      const streams = "stream" in more && stream_options !== undefined ? { stream_options } : {};
      const service = serviceWith(answeredBy(double));
      const { status, text } = await service(token, { path, body: { ...body, ...streams } });
      expect({ status, text }).toMatchObject({ status: 200 });
      return text;
    };

    test("is searched for the model's question, plain and streamed", async () => {
      const plain = JSON.parse(await send({})) as object;
      expect(plain).toMatchObject({ ...TOLD, usage: USAGE });
      expect(plain).not.toHaveProperty("degraded");
      const prompt = JSON.stringify(double.calls("chat").at(-1)?.body);
      expect(prompt).toContain("The boiler gets its service in spring.");
      const events = (await send({ stream: true })).split("\n").flatMap((line) => {
        const data = line.startsWith("data: {") ? line.slice("data: ".length) : null;
        return data === null ? [] : [JSON.parse(data) as object];
      });
      expect(events[0]).toMatchObject(first);
      expect(events.at(-1)).toMatchObject(last);
    });

    test("is searched for its last message where the model writes no question", async () => {
      double.script = () => ({ text: "In spring." });
      const answer = JSON.parse(await send({})) as object;
      expect(answer).toMatchObject({ degraded: { occurred: true }, usage: USAGE });
      expect(answer).not.toHaveProperty("retrieval");
    });
  });
}
