/** Bytes of text between two turns: some 50 ms of chunking, embedding and storing. */
const BYTES_PER_TURN = 256 * 1_024;

/** To be awaited before a piece of work on so many bytes of text. */
export type TakeTurn = (bytes: number) => Promise<void>;

/**
 * Takes turns with the rest of a thread. A local runtime reads nothing from the network while there
 * is work: without turns, the panel would wait for a whole batch. Turns of one event follow each
 * other.
 * @param pass lets others run; the shortest timer takes about a millisecond
 */
export function takingTurns(pass: () => Promise<unknown>): TakeTurn {
  let bytes = 0;
  let last: Promise<unknown> = Promise.resolve();
  return async (more) => {
    bytes += more;
    if (bytes < BYTES_PER_TURN) return;
    bytes = 0;
    last = last.then(pass);
    await last;
  };
}
