import type { PanelCaller } from "../../../access/sessions/find-panel-caller.ts";
import type { AppEnv } from "../../../http/app-env.ts";

/** What every handler behind the sign-in finds in its context. */
export type PanelEnv = {
  Bindings: AppEnv["Bindings"];
  Variables: AppEnv["Variables"] & { caller: PanelCaller };
};
