/** workerd tells of each by the same "internal error; reference = …"; its own log says more. */
const INSIDE =
  " (a name that is unknown or of your own network, or a certificate that is not trusted?)";

/** The cause of a failed `fetch` as the end of a sentence; "" where it is not known. */
export const causeOfFailedFetch = (thrown: unknown): string =>
  thrown instanceof Error && thrown.message.startsWith("internal error") ? INSIDE : "";
