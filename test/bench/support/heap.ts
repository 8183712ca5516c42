/**
 * Reads the heap of the Worker's isolate through the inspector of `wrangler dev`: all of our own
 * code, its Durable Objects included, and nothing of the simulators of D1, R2 and Queues.
 * Protocol: https://chromedevtools.github.io/devtools-protocol/v8/Runtime/#method-getHeapUsage
 */
export type Heap = {
  /** MiB of JavaScript objects and of buffers beside them. */
  read: () => Promise<number>;
  close: () => void;
};

type HeapUsage = { usedSize: number; embedderHeapUsedSize: number; backingStorageSize: number };
type Answer = { id?: number; result?: unknown };

const MIB = 1_048_576;

/** @throws when no inspector listens on the port. */
export async function openHeap(inspectorPort: number): Promise<Heap> {
  // Without an origin it trusts, the inspector closes the connection.
  const init: object = { headers: { Origin: "http://localhost" } };
  const socket = new WebSocket(`ws://127.0.0.1:${inspectorPort}/ws`, init as string[]);
  const waiting = new Map<number, (result: unknown) => void>();
  socket.addEventListener("message", ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as Answer;
    if (id !== undefined) waiting.get(id)?.(result);
  });
  await new Promise((opened, failed) => {
    socket.addEventListener("open", opened);
    socket.addEventListener("error", () => failed(new Error("the inspector does not answer")));
  });
  const sent = { count: 0 };
  const ask = (method: string) =>
    new Promise<unknown>((answered) => {
      sent.count += 1;
      waiting.set(sent.count, answered);
      socket.send(JSON.stringify({ id: sent.count, method }));
    });
  return {
    read: async () => {
      const usage = (await ask("Runtime.getHeapUsage")) as HeapUsage;
      return (usage.usedSize + usage.embedderHeapUsedSize + usage.backingStorageSize) / MIB;
    },
    close: () => socket.close(),
  };
}
