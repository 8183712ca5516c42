import { QuarryError } from "../../core/errors.ts";
import type { UserId } from "../../core/ids.ts";
import type { PanelCaller } from "../sessions/find-panel-caller.ts";

/** The user who calls; a key stands for its maker. */
export const userOfCaller = (caller: PanelCaller): UserId =>
  caller.kind === "key" ? caller.createdBy : caller.session.userId;

/** Changing own credentials takes the current password or a code. @throws QuarryError `forbidden` */
export function refuseOwnCredentials(target: UserId, by: UserId): void {
  if (target !== by) return;
  const how = "Change your own password and second factor on your account's page";
  throw new QuarryError("forbidden", how);
}
