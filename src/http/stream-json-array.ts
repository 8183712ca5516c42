/**
 * Answers with a JSON array of unknown length, batch by batch, so that only one batch is in
 * memory. The first is read before the status is sent: an immediate failure is still an error
 * answer.
 */
export async function streamJsonArray<Item>(
  batches: AsyncGenerator<Item[], void>,
  answerOf: (item: Item) => unknown,
): Promise<Response> {
  const first = await batches.next();
  const encoder = new TextEncoder();
  let separator = "[";
  const textOf = (items: Item[]) => {
    let text = "";
    for (const item of items) {
      text += separator + JSON.stringify(answerOf(item));
      separator = ",";
    }
    return text;
  };
  let pending: IteratorResult<Item[], void> | null = first;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = pending ?? (await batches.next());
      pending = null;
      const text = done === true ? (separator === "[" ? "[]" : "]") : textOf(value ?? []);
      if (text !== "") controller.enqueue(encoder.encode(text));
      if (done === true) controller.close();
    },
    async cancel() {
      await batches.return();
    },
  });
  return new Response(body, { headers: { "Content-Type": "application/json" } });
}
