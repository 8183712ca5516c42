import type { Child } from "hono/jsx";

import { cookieIn } from "../../../access/sessions/session-cookie.ts";
import { readSteps } from "../../../db/maintenance/overview-store.ts";
import { isAdmin, type PageContext } from "../page-env.ts";
import { missingSteps, NextStep } from "./first-steps.tsx";

const COOKIE = "quarry_first_steps";
const ATTRIBUTES = "HttpOnly; SameSite=Strict; Path=/panel";

/** Who saw the checklist is shown the next step on each page, until the browser is closed. */
export const followSteps = (context: PageContext) =>
  context.header("Set-Cookie", `${COOKIE}=1; ${ATTRIBUTES}`, { append: true });

/** The next step for who follows them; others cost no query. */
export async function nextStep(context: PageContext): Promise<Child> {
  const { path } = context.req;
  if (cookieIn(context.req.header("Cookie"), COOKIE) !== "1" || !isAdmin(context)) return null;
  const steps = await readSteps(context.get("services").db);
  if (missingSteps(steps) > 0) return <NextStep steps={steps} path={path} />;
  context.header("Set-Cookie", `${COOKIE}=; ${ATTRIBUTES}; Max-Age=0`, { append: true });
  return null;
}
