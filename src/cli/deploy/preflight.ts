import { inParallel } from "../../core/work/parallel.ts";
import { checkDatabase, checkMigrations } from "./check-database.ts";
import { checkSecrets, checkVariables } from "./check-settings.ts";
import { checkSignIn } from "./check-sign-in.ts";
import { checkBucket, checkQueue } from "./check-storage.ts";
import { checkVectorIndex } from "./check-vector-index.ts";
import type { Finding } from "./finding.ts";
import type { DeploySettings } from "./settings.ts";
import type { AskWrangler } from "./wrangler-command.ts";

export type Preflight = {
  findings: Finding[];
  pendingMigrations: string[];
  /** Nothing is missing, wrong or unknown. */
  ready: boolean;
};

/** Each question starts a wrangler process, which costs a second of CPU time. */
const QUESTIONS_AT_ONCE = 4;

/**
 * Compares what a deployment needs with what the account has, in the order of fixing it. Changes
 * nothing.
 */
export async function preflight(ask: AskWrangler, settings: DeploySettings): Promise<Preflight> {
  const variables = checkVariables(settings);
  const signIn = await checkSignIn(ask, settings.accountId);
  if (signIn.state !== "there") return summary([signIn, variables], []);
  const database = await checkDatabase(ask, settings);
  const checks: (() => Promise<Finding[]>)[] = [
    ...settings.buckets.map((name) => async () => [await checkBucket(ask, name)]),
    ...settings.queues.map((name) => async () => [await checkQueue(ask, name)]),
    ...vectorIndexCheck(ask, settings),
    () => checkSecrets(ask, settings),
  ];
  const rest = (await inParallel(checks, QUESTIONS_AT_ONCE, (check) => check())).flat();
  const findings = [signIn, variables, database, ...rest];
  if (database.state !== "there") return summary(findings, []);
  const { pending, ...migrations } = await checkMigrations(ask, settings);
  return summary([...findings, migrations], pending);
}

function vectorIndexCheck(ask: AskWrangler, { vectorIndex }: DeploySettings) {
  return vectorIndex === null ? [] : [() => checkVectorIndex(ask, vectorIndex)];
}

function summary(findings: Finding[], pendingMigrations: string[]): Preflight {
  const ready = findings.every(({ state }) => state === "there");
  return { findings, pendingMigrations, ready };
}
