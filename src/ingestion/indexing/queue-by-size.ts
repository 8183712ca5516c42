import type { FileId } from "../../core/ids.ts";
import type { IndexMessage } from "../../core/queue-messages.ts";
import type { PushedText, SizedMessage } from "../../ports/job-queue.ts";
import type { Services } from "../../services.ts";

/** Files of at most this size (bytes) share messages, so that they are indexed together. */
const SMALL_FILE_BYTES = 64 * 1_024;

/** Small files share messages that carry their texts; none waits for a larger one. */
export async function queueBySize(
  { queue }: Pick<Services, "queue">,
  files: SizedMessage[],
  texts?: ReadonlyMap<FileId, PushedText>,
): Promise<void> {
  const { small = [], large = [] } = Object.groupBy(files, ({ size }) =>
    size !== null && size <= SMALL_FILE_BYTES ? "small" : "large",
  );
  if (large.length > 0) await queue.index(large.map(messageOf));
  if (small.length === 0) return;
  await queue.index(small.map(messageOf), { together: true, ...(texts && { texts }) });
}

/** The message that is queued for a file, without other facts. */
export const messageOf = ({ ragId, generation, fileId, revision }: IndexMessage): IndexMessage => ({
  ragId,
  generation,
  fileId,
  revision,
});
