import { toBatches } from "../../core/work/batches.ts";
import { mayTakeFewer, ModelFailure } from "../../ports/models.ts";

/** Items a call that a server took after it had refused more, by the server's name. */
const acceptedSizes = new Map<string, number>();

type BatchCalls<Item, Reply> = {
  /** The server's name: its size is remembered while the isolate lives. */
  name: string;
  send: (batch: Item[]) => Promise<Reply>;
  /** Replaces a single item that is refused; without it, the refusal is thrown. */
  alone?: { refused: number; replace: (item: Item, thrown: unknown) => Promise<Reply> };
};

/** Items a call: `limit`, or fewer where the server has refused so many. */
export const acceptedSize = (name: string, limit: number): number =>
  Math.min(limit, acceptedSizes.get(name) ?? limit);

/**
 * Sends a batch, or its halves where it is refused, down to single items. A size counts as taken
 * once both halves are: then not an item but the number of them was refused. A server that failed
 * says nothing about the number.
 * @throws what the first refused item without replacement, or another failure, threw
 */
export async function sendAcceptedBatches<Item, Reply>(
  sending: BatchCalls<Item, Reply>,
  batch: Item[],
): Promise<Reply[]> {
  const { name, send, alone } = sending;
  try {
    return [await send(batch)];
  } catch (thrown) {
    const [item] = batch;
    if (item === undefined || !mayTakeFewer(thrown)) throw thrown;
    if (batch.length === 1) {
      if (alone === undefined) throw thrown;
      alone.refused += 1;
      return [await alone.replace(item, thrown)];
    }
    const before = alone?.refused;
    const size = Math.ceil(batch.length / 2);
    const replies: Reply[] = [];
    for (const half of toBatches(batch, size)) {
      replies.push(...(await sendAcceptedBatches(sending, half)));
    }
    const isRefusal = thrown instanceof ModelFailure && !thrown.retryable;
    if (isRefusal && alone?.refused === before) acceptedSizes.set(name, acceptedSize(name, size));
    return replies;
  }
}
