const FIRST_SIGN_MS = 1_000;
const SIGN_EVERY_MS = 2_000;

/**
 * Shows that work goes on: a line after a second, a dot every two seconds. Returns what ends it.
 * Nothing is written for work that is done sooner.
 */
export function showWaiting(stream: NodeJS.WritableStream, label: string): () => void {
  let dots: NodeJS.Timeout | undefined;
  const first = setTimeout(() => {
    stream.write(`${label} .`);
    dots = setInterval(() => stream.write("."), SIGN_EVERY_MS);
  }, FIRST_SIGN_MS);
  return () => {
    clearTimeout(first);
    clearInterval(dots);
    if (dots !== undefined) stream.write("\n");
    dots = undefined;
  };
}

/** The same while a promise is pending. */
export async function whileWaiting<Result>(
  stream: NodeJS.WritableStream,
  label: string,
  work: Promise<Result>,
): Promise<Result> {
  const end = showWaiting(stream, label);
  try {
    return await work;
  } finally {
    end();
  }
}
