import { SECOND_MS } from "../../core/time.ts";
import { SourceFailure } from "../../ports/source-reader.ts";
import type { Services } from "../../services.ts";
import type { FileSource } from "./find-file-source.ts";

/** Whoever saved a source waits for the answer. */
const CHECK_TIMEOUT_MS = 8 * SECOND_MS;

/** `ok` null: this provider is not asked. The message is a sentence for the one who set it up. */
export type SourceCheck = { ok: boolean | null; message: string };

/** Asks the provider, with one cheap call, whether the source can be read. Stores nothing. */
export async function checkFileSource(
  services: Pick<Services, "log" | "sourceReaders">,
  { source: { source } }: { source: FileSource },
): Promise<SourceCheck> {
  const signal = AbortSignal.timeout(CHECK_TIMEOUT_MS);
  try {
    const reader = await services.sourceReaders(source);
    if (reader?.check === undefined) return NOT_ASKED;
    return { ok: true, message: await reader.check(signal) };
  } catch (thrown) {
    if (thrown instanceof SourceFailure) return { ok: false, message: thrown.message };
    if (signal.aborted) return { ok: false, message: "the provider did not answer in 8 seconds" };
    services.log.error("source check failed", { sourceId: source.id });
    return { ok: false, message: "the source could not be checked" };
  }
}

const NOT_ASKED: SourceCheck = {
  ok: null,
  message: "run a scan to see whether this source can be read",
};
