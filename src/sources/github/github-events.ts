import { z } from "zod";

import { parseJson } from "../../core/input/parse-json.ts";
import type { NotificationCall } from "../source-manifest.ts";

/** https://docs.github.com/webhooks/webhook-events-and-payloads */
const EVENTS = new Set(
  "push issues issue_comment pull_request repository member team public".split(" "),
);
const push = z.object({ ref: z.string(), repository: z.object({ default_branch: z.string() }) });

/** A push to a branch that is not read concerns nothing, nor do other events, `ping` among them. */
export async function isAboutSource(call: NotificationCall, { branch }: Record<string, unknown>) {
  const event = call.header("X-GitHub-Event") ?? "";
  const payload = event === "push" ? push.safeParse(parseJson(await call.text())).data : undefined;
  if (payload === undefined) return EVENTS.has(event);
  const { ref, repository } = payload;
  return ref === `refs/heads/${typeof branch === "string" ? branch : repository.default_branch}`;
}
