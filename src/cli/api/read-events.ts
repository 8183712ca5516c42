/** One server-sent event; the service's data are JSON in one line. */
export type ServerEvent = { name: string; data: unknown };

const EVENT = /^event: (\w+)\ndata: (.*)$/;

/** The events of an answer as they come; comments are left out. */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<ServerEvent, void> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const part of body) {
    const blocks = (rest + decoder.decode(part, { stream: true })).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const [, name, data] = EVENT.exec(block) ?? [];
      if (name !== undefined && data !== undefined) {
        yield { name, data: JSON.parse(data) as unknown };
      }
    }
  }
}
