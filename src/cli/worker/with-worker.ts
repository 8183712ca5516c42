import { CommandFailure } from "../failure.ts";
import { whileWaiting } from "../waiting.ts";
import { startWorker, type WorkerSettings } from "./start-worker.ts";

/** The exit code that shells report for a program ended by Ctrl-C. */
const INTERRUPTED_EXIT = 130;

/**
 * Runs `work` against a Worker that lives as long as the work does. Ctrl-C ends both; a second
 * one, or one while the Worker is still starting, ends them at once.
 * @throws CommandFailure when the Worker ends before the work; whatever the work throws.
 */
export async function withWorker(
  settings: WorkerSettings & { output: NodeJS.WritableStream },
  work: (url: string) => Promise<void>,
): Promise<void> {
  let endNicely = (): Promise<void> => Promise.resolve();
  const state = { interrupted: false };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      state.interrupted = true;
      const ending = endNicely();
      endNicely = () => Promise.resolve();
      // Exiting ends the remaining processes of the Worker.
      void ending.then(() => process.exit(INTERRUPTED_EXIT));
    });
  }
  const starting = startWorker(settings);
  const worker = await whileWaiting(settings.output, "Starting the Worker", starting);
  endNicely = worker.stop;
  const gone = worker.ended.then(() => "gone" as const);
  try {
    const outcome = await Promise.race([work(worker.url), gone]);
    // Waits for the exit above.
    if (state.interrupted) await new Promise(() => undefined);
    if (outcome === "gone")
      throw new CommandFailure(
        "The Worker ended unexpectedly. See worker.log in the state folder.",
      );
  } finally {
    await worker.stop();
  }
}
