const EVENT = /^event: (\w+)\ndata: (.*)$/;

/** The server-sent events of an answer as they come, each with JSON in one line; no comments. */
export async function* eventsIn(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<{ name: string; data: object }, void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  for (let result = await reader.read(); !result.done; result = await reader.read()) {
    const blocks = (rest + decoder.decode(result.value, { stream: true })).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const [, name = "", data = "null"] = EVENT.exec(block) ?? [];
      const event: unknown = JSON.parse(data);
      if (typeof event === "object" && event !== null) yield { name, data: event };
    }
  }
}
