/** Bytes of text between two turns: some 50 ms of chunking, embedding and storing. */
const BYTES_PER_TURN = 256 * 1_024;

/** To be awaited before a piece of work on so many bytes of text. */
export type TakeTurn = (bytes: number) => Promise<void>;

/**
 * Takes turns with all else that an event's thread has to do. A local runtime has one thread for
 * everything and reads nothing from the network as long as there is work: without turns the panel
 * and searches would wait until a whole batch of files is indexed. Turns of one event come one
 * after the other, however many pieces of its work run side by side; a larger piece is a turn by
 * itself.
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
