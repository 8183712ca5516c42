/** The pieces of text in place of a line; after null, the rest of the stream is not waited for. */
type Translation = (line: string) => (string | null)[];

const BEGINS_JSON = /^[{[]/;

/**
 * The lines of a stream of server-sent events, each replaced by what `translate` makes of it.
 * `whole` gets a body that is one JSON text instead, whatever its header says.
 */
export function mappedLines(
  events: ReadableStream<Uint8Array>,
  translate: Translation,
  whole?: Translation,
): ReadableStream<Uint8Array> {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let rest = "";
  let isWhole: boolean | null = whole === undefined ? false : null;
  return events.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(bytes, controller) {
        rest += decoder.decode(bytes, { stream: true });
        if (isWhole === null && rest.trim() !== "") isWhole = BEGINS_JSON.test(rest.trimStart());
        if (isWhole !== false) return;
        const lines = rest.split("\n");
        rest = lines.pop() ?? "";
        const translated = lines.flatMap((line) => translate(line.trim()));
        const text = translated.filter((piece) => piece !== null).join("");
        if (text !== "") controller.enqueue(encoder.encode(text));
        if (translated.includes(null)) controller.terminate();
      },
      /** The last line need not end in a line break. */
      flush(controller) {
        const last = (isWhole === true && whole) || translate;
        const text = last((rest + decoder.decode()).trim()).join("");
        if (text !== "") controller.enqueue(encoder.encode(text));
      },
    }),
  );
}
