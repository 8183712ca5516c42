import type { ServerContext } from "@modelcontextprotocol/server";

import type { EmitEvent } from "../../inference/run-events.ts";

/* https://modelcontextprotocol.io/specification/2026-07-28/basic/utilities/progress */

/** Tells how far a run is; undefined for a caller that did not ask. */
export function progressOf({ mcpReq }: ServerContext): EmitEvent | undefined {
  // oxlint-disable-next-line no-underscore-dangle -- the protocol names it so
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  let progress = 0;
  let step = -1;
  const report = async (message: string) => {
    progress += 1;
    const params = { progressToken, progress, message };
    await mcpReq.notify({ method: "notifications/progress", params: params });
  };
  return async (event) => {
    if (event.type === "retrieval") await report(`Found ${event.items.length} passages`);
    if (event.type === "tool" && event.state === "started") await report(`Calling ${event.tool}`);
    if (event.type !== "delta" || event.step === step) return;
    step = event.step;
    await report("Writing");
  };
}
