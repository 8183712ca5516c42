import { spawn } from "node:child_process";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { z } from "zod";

import { CommandFailure } from "../failure.ts";
import { PROJECT } from "../installation.ts";
import { whileWaiting } from "../progress.ts";
import type { Terminal } from "../terminal.ts";
import { exitCodeOf } from "../worker/processes.ts";

/** A new version reaches every location within seconds; a new address takes longer. */
const ANSWERS_WITHIN_MS = 120_000;
const ASK_EVERY_MS = 2_000;
const ANSWER_TIMEOUT_MS = 10_000;

const health = z.object({
  status: z.literal("ok"),
  environment: z.string(),
  version: z.object({ id: z.string(), tag: z.string() }).nullable(),
});

type Smoke = {
  url: string;
  /** Waits until this version answers; null: any. */
  versionId: string | null;
  /** `EMAIL:PASSWORD` of an administrator: the specification is checked with it. */
  admin: string | undefined;
  waitMs?: number;
};

/**
 * Waits until the version answers, then compares it with the API specification.
 * @throws CommandFailure with the service's last answer when it does not come up, or when a rule
 * of the specification fails.
 */
export async function smokeTest(terminal: Terminal, smoke: Smoke): Promise<void> {
  const asking = whileWaiting(terminal.output, `Waiting for ${smoke.url}`, healthOf(smoke));
  const { environment, version } = await asking;
  const name = version === null ? "" : `, version ${version.id} (${version.tag || "no tag"})`;
  terminal.say(`${smoke.url} answers: ${environment}${name}`);
  if (smoke.admin === undefined || smoke.admin === "") {
    terminal.say("The specification was not checked: set QUARRY_SMOKE_ADMIN=EMAIL:PASSWORD.");
    return;
  }
  const code = await conformance(smoke.url, smoke.admin);
  if (code !== 0)
    throw new CommandFailure("The service does not follow the API specification; see above.");
}

async function healthOf({ url, versionId, waitMs = ANSWERS_WITHIN_MS }: Smoke) {
  const giveUpAt = Date.now() + waitMs;
  for (;;) {
    const answer = await ask(url);
    const id = typeof answer === "string" ? undefined : answer.version?.id;
    if (typeof answer !== "string" && (versionId === null || id === versionId)) return answer;
    if (Date.now() >= giveUpAt) {
      const problem = typeof answer === "string" ? answer : `version ${id} still answers`;
      throw new CommandFailure(`${url}/health: ${problem}`);
    }
    await pause(ASK_EVERY_MS);
  }
}

async function ask(url: string): Promise<z.infer<typeof health> | string> {
  try {
    const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
    const response = await fetch(`${url}/health`, { signal, redirect: "error" });
    const text = await response.text();
    if (!response.ok) return `${response.status} ${text}`;
    const parsed = health.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : "another program answers there";
  } catch (thrown) {
    const cause = thrown instanceof Error ? thrown.cause : undefined;
    return cause instanceof Error ? cause.message : String(thrown);
  }
}

/** The password is passed in the environment: every user of the machine can see arguments. */
async function conformance(url: string, admin: string): Promise<number | null> {
  const script = join(PROJECT, "test/contract/run.ts");
  const child = spawn(process.execPath, [script, "--url", url], {
    env: { ...process.env, QUARRY_SMOKE_ADMIN: admin },
    stdio: "inherit",
  });
  return await exitCodeOf(child);
}
