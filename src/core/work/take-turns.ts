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
 *
 * `pass` lets others run. It is called a turn ahead, because the shortest timer takes a
 * millisecond, which then has passed.
 */
export function takingTurns(pass: () => Promise<unknown>): TakeTurn {
  let bytes = 0;
  let passing: Promise<unknown> | null = null;
  let last = Promise.resolve();
  const turn = async () => {
    await passing;
    passing = pass();
  };
  return async (more) => {
    passing ??= pass();
    bytes += more;
    if (bytes < BYTES_PER_TURN) return;
    bytes = 0;
    last = last.then(turn);
    await last;
  };
}
