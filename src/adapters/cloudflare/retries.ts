const TRIES = 3;
const FIRST_WAIT_MS = 200;

/** Calls again after a growing, jittered wait; the last failure is thrown under `what`. */
export async function withRetries<T>(what: string, call: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (cause) {
      if (attempt === TRIES) throw new Error(`${what}: ${reasonOf(cause)}`, { cause });
      await waited(FIRST_WAIT_MS * 2 ** (attempt - 1) * (0.5 + Math.random()));
    }
  }
}

/** A platform's message may be long; its first line names the code. */
function reasonOf(cause: unknown): string {
  const text = cause instanceof Error ? cause.message : String(cause);
  return text.split("\n", 1)[0] ?? "";
}

function waited(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
