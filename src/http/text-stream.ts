/** Texts or bytes as a stream; each is made when the reader has taken the last. */
export function textStream(
  texts: AsyncGenerator<string | Uint8Array, void>,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await texts.next();
      if (done === true) controller.close();
      else controller.enqueue(typeof value === "string" ? encoder.encode(value) : value);
    },
    async cancel() {
      await texts.return();
    },
  });
}
