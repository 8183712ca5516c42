import { inParallel } from "../../core/work/parallel.ts";
import type { Terminal } from "../terminal.ts";
import {
  checkDatabase,
  checkNamespace,
  checkResource,
  checkSecrets,
  checkSignIn,
  checkVariables,
  checkVectorIndex,
} from "./check-account.ts";
import type { DeploySettings } from "./settings.ts";
import type { AskWrangler, Finding } from "./wrangler-command.ts";

/** Each question starts a wrangler process, which costs a second of CPU time. */
const QUESTIONS_AT_ONCE = 4;

/** What a deployment needs and the account lacks, in the order of fixing it. Changes nothing. */
export async function preflight(ask: AskWrangler, settings: DeploySettings) {
  const { vectorIndex } = settings;
  const variables = checkVariables(settings);
  const signIn = await checkSignIn(ask, settings.accountId);
  if (signIn.state !== "there") return summary([signIn, variables]);
  const checks: (() => Promise<Finding[]>)[] = [
    async () => [await checkDatabase(ask, settings)],
    async () => [await checkNamespace(ask, settings)],
    ...settings.buckets.map((name) => async () => [await checkResource(ask, "R2 bucket", name)]),
    ...settings.queues.map((name) => async () => [await checkResource(ask, "queue", name)]),
    ...(vectorIndex === null ? [] : [() => checkVectorIndex(ask, vectorIndex)]),
    () => checkSecrets(ask, settings),
  ];
  const found = await inParallel(checks, QUESTIONS_AT_ONCE, (check) => check());
  return summary([signIn, variables, ...found.flat()]);
}

const summary = (findings: Finding[]) => ({
  findings,
  ready: findings.every(({ state }) => state === "there"),
});

export function reportPreflight(
  terminal: Terminal,
  { environment, workerName }: DeploySettings,
  { findings, ready }: ReturnType<typeof summary>,
): void {
  terminal.say(`Preflight of ${workerName} (${environment})`);
  const rows = findings.map(({ what, state, note }) => [what, state, note ?? ""]);
  terminal.table(["what", "state", ""], rows, WIDTHS);
  if (ready) return;
  const fix = findings.flatMap(({ fix = [] }) => fix);
  if (fix.length > 0) {
    const again = environment === "production" ? "" : ` -- --env ${environment}`;
    terminal.say(`\nRun these, then npm run deploy${again} again:\n`);
    for (const line of fix) terminal.say(`  ${line}`);
    terminal.say();
  }
}

/** Columns of text: fits a terminal of 110. */
const WIDTHS = [32, 8, 60];
