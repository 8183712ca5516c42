/** Claims each state folder that it is sent, answers whether it has it, and releases it on demand. */
import { claimState } from "../../src/cli/worker/claim-state.ts";

let release = () => {};

function claim(folder: string): boolean {
  try {
    release = claimState(folder, 1);
    return true;
  } catch {
    return false;
  }
}

process.on("message", (folder: unknown) => {
  if (typeof folder === "string") process.send?.(claim(folder));
  else {
    release();
    process.send?.("released");
  }
});
process.send?.("ready");
