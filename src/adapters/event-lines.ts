/**
 * The lines of a stream of server-sent events, each replaced by what `translate` makes of it.
 * `whole`: the text is one, whatever lines it has.
 */
export function mappedLines(
  events: ReadableStream<Uint8Array>,
  translate: (line: string) => string[],
  { whole = false } = {},
): ReadableStream<Uint8Array> {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let rest = "";
  return events.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(bytes, controller) {
        rest += decoder.decode(bytes, { stream: true });
        if (whole) return;
        const lines = rest.split("\n");
        rest = lines.pop() ?? "";
        const translated = lines.flatMap((line) => translate(line.trim()));
        if (translated.length > 0) controller.enqueue(encoder.encode(translated.join("")));
      },
      /** The last line need not end in a line break. */
      flush(controller) {
        const last = translate((rest + decoder.decode()).trim());
        if (last.length > 0) controller.enqueue(encoder.encode(last.join("")));
      },
    }),
  );
}
