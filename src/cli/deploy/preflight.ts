import { z } from "zod";

import { ConfigError, parseConfig } from "../../config.ts";
import { mapParallel } from "../../core/work/parallel.ts";
import type { Terminal } from "../terminal.ts";
import type { DeploySettings } from "./settings.ts";
import { parseOutput, failureReason, presentFinding, unknownFinding } from "./wrangler-command.ts";
import type { AskWrangler, Finding } from "./wrangler-command.ts";

/** Each question starts a wrangler process, which costs a second of CPU time. */
const QUESTIONS_AT_ONCE = 4;

/**
 * Lists what a deployment needs and the account lacks, in the order of fixing it. Changes nothing.
 */
export async function preflight(ask: AskWrangler, settings: DeploySettings) {
  const { vectorIndex } = settings;
  const variables = checkVariables(settings);
  const signIn = await checkSignIn(ask, settings.accountId);
  if (signIn.state !== "there") return summary([signIn, variables]);
  const checks: (() => Promise<Finding[]>)[] = [
    async () => [await checkById(ask, settings, "database")],
    async () => [await checkById(ask, settings, "namespace")],
    ...settings.buckets.map((name) => async () => [await checkResource(ask, "R2 bucket", name)]),
    ...settings.queues.map((name) => async () => [await checkResource(ask, "queue", name)]),
    ...(vectorIndex === null ? [] : [() => checkVectorIndex(ask, vectorIndex)]),
    () => checkSecrets(ask, settings),
  ];
  const findings = await mapParallel(checks, QUESTIONS_AT_ONCE, (check) => check());
  return summary([signIn, variables, ...findings.flat()]);
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
    const option = environment === "production" ? "" : ` -- --env ${environment}`;
    terminal.say(`\nRun these, then npm run deploy${option} again:\n`);
    for (const line of fix) terminal.say(`  ${line}`);
    terminal.say();
  }
}

/** Columns of text: fits a terminal of 110. */
const WIDTHS = [32, 8, 60];

const whoami = z.object({
  loggedIn: z.boolean(),
  email: z.string().nullish(),
  accounts: z.array(z.object({ id: z.string(), name: z.string() })).default([]),
});

const SIGN_IN = ["npx wrangler login", "# or, without a browser: export CLOUDFLARE_API_TOKEN=…"];

/** How wrangler reports that it reached nobody. */
const OFFLINE = /unable to resolve|fetch failed|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT/i;
const CHECK_NETWORK = [
  "# check the network, a proxy (HTTPS_PROXY) and DNS: api.cloudflare.com must answer",
  "# npm run deploy -- --dry-run builds everything offline",
];

/** The other checks need this one to be `there`. */
async function checkSignIn(ask: AskWrangler, accountId = ""): Promise<Finding> {
  const what = "sign-in";
  const output = await ask(["whoami", "--json"]);
  const answer = parseOutput(output, whoami);
  if (answer === null) {
    return OFFLINE.test(failureReason(output))
      ? { what, state: "unknown", note: "Cloudflare cannot be reached", fix: CHECK_NETWORK }
      : { ...unknownFinding(what, output), fix: SIGN_IN };
  }
  const { loggedIn, accounts } = answer;
  if (!loggedIn) {
    return { what, state: "missing", note: "the account cannot be read", fix: SIGN_IN };
  }
  if (accounts.length > 1 && accountId === "") {
    const fix = accounts.map(({ id, name }) => `export CLOUDFLARE_ACCOUNT_ID=${id}  # ${name}`);
    return { what, state: "wrong", note: "you have several accounts: choose one", fix };
  }
  return presentFinding(
    what,
    accounts.find(({ id }) => accountId === "" || id === accountId)?.name,
  );
}

/** 32 zero bytes in the form of a key, for checking the other settings. */
const ANY_KEY = `${"A".repeat(43)}=`;

/** Checks the variables of wrangler.toml as the Worker itself reads them. */
function checkVariables({ variables, environment }: DeploySettings): Finding {
  const what = "variables";
  try {
    parseConfig({ ...variables, ENCRYPTION_KEY: ANY_KEY });
    return presentFinding(what);
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown;
    const fix = [`# correct them under [env.${environment}.vars] of wrangler.toml`];
    return { what, state: "wrong", note: thrown.message, fix };
  }
}

const secretList = z.array(z.object({ name: z.string() }));
/** wrangler's error before the first deployment of the Worker. */
const NO_WORKER = /worker .*not found|does not exist/i;

/** One finding for each secret: secret names can be listed, values cannot. */
async function checkSecrets(
  ask: AskWrangler,
  { secrets, environment }: DeploySettings,
): Promise<Finding[]> {
  const output = await ask(["secret", "list", "--env", environment]);
  const secretNames = parseOutput(output, secretList);
  if (secretNames === null && !NO_WORKER.test(failureReason(output)))
    return [unknownFinding("secrets", output)];
  const names = new Set((secretNames ?? []).map(({ name }) => name));
  return secrets.map((name) => {
    const what = `secret ${name}`;
    if (names.has(name)) return presentFinding(what);
    const remedy = `npx wrangler secret put ${name} --env ${environment}`;
    const fix = [name === "ENCRYPTION_KEY" ? `openssl rand -base64 32 | ${remedy}` : remedy];
    return { what, state: "missing", fix };
  });
}

/** Resources that wrangler.toml names by an id which their creation prints. */
const BY_ID = {
  database: { noun: "D1 database", command: "d1", json: ["--json"], key: "database_id" },
  namespace: { noun: "KV namespace", command: "kv namespace", json: [], key: "id" },
};
const TABLES = { database: "d1_databases", namespace: "kv_namespaces" };
const database = z.object({ uuid: z.string(), name: z.string() });
const namespace = z
  .object({ id: z.string(), title: z.string() })
  .transform(({ id: uuid, title: name }) => ({ uuid, name }));
const resources = z.array(database.or(namespace));

async function checkById(
  ask: AskWrangler,
  settings: DeploySettings,
  kind: keyof typeof BY_ID,
): Promise<Finding> {
  const { noun, command, json, key } = BY_ID[kind];
  const { name, id } = settings[kind];
  const what = `${noun} ${name}`;
  const output = await ask([...command.split(" "), "list", ...json]);
  const list = parseOutput(output, resources);
  if (list === null) return unknownFinding(what, output);
  const actual = list.find((each) => each.name === name)?.uuid;
  const section = `[[env.${settings.environment}.${TABLES[kind]}]] of wrangler.toml`;
  if (actual === undefined) {
    const hint = `# and put the ${key} that it prints under ${section}`;
    return { what, state: "missing", fix: [`npx wrangler ${command} create ${name}`, hint] };
  }
  if (actual === id) return presentFinding(what);
  const fix = [`# under ${section}:`, `# ${key} = "${actual}"`];
  return { what, state: "wrong", note: `wrangler.toml has another id: ${id}`, fix };
}

/** How R2 (code 10006) and Queues report that a resource does not exist. */
const ABSENT = /does not exist|not found|10006/i;
/** R2 has to be enabled once per account in the dashboard. */
const R2_IS_OFF = /10042|enable R2/i;
const R2_PAGE = "https://dash.cloudflare.com/?to=/:account/r2/overview";

const RESOURCES = { "R2 bucket": "r2 bucket", queue: "queues" } as const;

async function checkResource(
  ask: AskWrangler,
  kind: keyof typeof RESOURCES,
  name: string,
): Promise<Finding> {
  const what = `${kind} ${name}`;
  const command = RESOURCES[kind];
  const create = `npx wrangler ${command} create ${name}`;
  const output = await ask([...command.split(" "), "info", name]);
  if (output.code === 0) return presentFinding(what);
  if (R2_IS_OFF.test(failureReason(output))) {
    const note = "the account has no R2 yet";
    return { what, state: "missing", note, fix: [`# switch R2 on: ${R2_PAGE}`, create] };
  }
  return ABSENT.test(failureReason(output))
    ? { what, state: "missing", fix: [create] }
    : unknownFinding(what, output);
}

const indexes = z.array(
  z.object({
    name: z.string(),
    config: z.object({ dimensions: z.number(), metric: z.string() }).partial().optional(),
  }),
);
const metadataIndexes = z.array(z.object({ propertyName: z.string(), indexType: z.string() }));

const METRIC = "cosine";
const TYPE = "string";

type VectorIndex = NonNullable<DeploySettings["vectorIndex"]>;

async function checkVectorIndex(ask: AskWrangler, index: VectorIndex): Promise<Finding[]> {
  const what = `Vectorize index ${index.name}`;
  const output = await ask(["vectorize", "list", "--json"]);
  const list = parseOutput(output, indexes);
  if (list === null) return [unknownFinding(what, output)];
  const match = list.find(({ name }) => name === index.name);
  if (match === undefined) return [{ what, state: "missing", fix: creation(index) }];
  const { dimensions, metric } = match.config ?? {};
  if (dimensions !== index.dimensions || metric !== METRIC) {
    // The dimensions of an index cannot change, and deleting one is not suggested lightly.
    const needed = `wrangler.toml needs ${index.dimensions} dimensions, metric ${METRIC}`;
    const note = `it has ${dimensions} dimensions, metric ${metric}; ${needed}`;
    const replacement = creation({ ...index, name: `${index.name}-${index.dimensions}` });
    return [{ what, state: "wrong", note, fix: [...OTHER_SHAPE, ...replacement] }];
  }
  return [presentFinding(what), await checkMetadataIndexes(ask, index)];
}

const creation = (index: VectorIndex) => [
  `npx wrangler vectorize create ${index.name} --dimensions=${index.dimensions} --metric=${METRIC}`,
  ...index.metadataIndexes.map((property) => addition(index, property)),
];

const addition = ({ name }: VectorIndex, property: string) =>
  `npx wrangler vectorize create-metadata-index ${name} --property-name=${property} --type=${TYPE}`;

const OTHER_SHAPE = [
  "# set EMBEDDING_DIMENSIONS to what the index has, or make another one and name it in",
  "# wrangler.toml (index_name):",
];

async function checkMetadataIndexes(ask: AskWrangler, index: VectorIndex): Promise<Finding> {
  const what = `metadata indexes of ${index.name}`;
  const output = await ask(["vectorize", "list-metadata-index", index.name, "--json"]);
  const list = parseOutput(output, metadataIndexes);
  if (list === null) return unknownFinding(what, output);
  const strings = list.filter(({ indexType }) => indexType.toLowerCase() === TYPE);
  const properties = new Set(strings.map(({ propertyName }) => propertyName));
  const lacking = index.metadataIndexes.filter((name) => !properties.has(name));
  if (lacking.length === 0) return presentFinding(what);
  return {
    what,
    state: "missing",
    note: `${lacking.join(", ")}; a metadata index covers only vectors that are stored after its creation`,
    fix: [
      ...lacking.map((name) => addition(index, name)),
      "# if RAGs are indexed already: POST /panel/api/rags/{id}/reindex for each",
    ],
  };
}
