import type { PanelApi } from "../api/clients.ts";
import { ApiError, Unreachable } from "../api/patient-fetch.ts";
import { CommandFailure } from "../failure.ts";
import type { Terminal } from "../terminal.ts";
import { pushFolder, reportPush, type PushRequest, type PushSummary } from "./push-folder.ts";
import { watchFolder } from "./watch-folder.ts";

/**
 * Keeps a source equal to a folder until `signal` aborts. A push that fails is reported and tried
 * again. @throws what the first push throws, unless the service is unreachable or has failed
 */
export async function pushContinuously(
  api: PanelApi,
  terminal: Terminal,
  request: PushRequest,
  after: (summary: PushSummary, isFirst: boolean) => void,
  signal: AbortSignal,
): Promise<void> {
  const push = async (isFirst: boolean) => {
    try {
      const summary = await pushFolder(api, terminal, request);
      after(summary, isFirst);
      if (summary.failed.length > 0) console.error("Failed files are retried automatically.");
      return summary.failed.length === 0;
    } catch (thrown) {
      if (signal.aborted) return false;
      if (isFirst && !isTemporary(thrown)) throw thrown;
      if (thrown instanceof CommandFailure) terminal.warn(thrown.message);
      else console.error(thrown);
      console.error("The push is retried automatically.");
      return false;
    }
  };
  await watchFolder(request.folder, push, signal);
}

/** Whether the cause lies at the service: a full disk, or a start that is under way. */
const isTemporary = (thrown: unknown) =>
  thrown instanceof Unreachable || (thrown instanceof ApiError && thrown.status >= 500);

/** A push that changed nothing and left nothing out says nothing. */
export function reportChanges(terminal: Terminal, summary: PushSummary): void {
  const { added, changed, moved, removed, readers, failed } = summary;
  if (added + changed + moved + removed + summary.held + readers + failed.length === 0) return;
  reportPush(terminal, summary);
}
