const EVENT = /^event: (\w+)\ndata: (.*)$/;

/** The server-sent events of an answer as they come, each with JSON in one line; no comments. */
export async function* eventsIn(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<{ name: string; data: object }, void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    const blocks = (rest + decoder.decode(read.value, { stream: true })).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const [, name = "", data = "null"] = EVENT.exec(block) ?? [];
      const told: unknown = JSON.parse(data);
      if (typeof told === "object" && told !== null) yield { name, data: told };
    }
  }
}
