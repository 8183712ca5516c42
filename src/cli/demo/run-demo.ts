import { BUILT_IN_MODELS } from "../../ports/models.ts";
import { dataOf, publicApi, type PanelApi, type SourceFile } from "../api/clients.ts";
import { ApiError } from "../api/patient-fetch.ts";
import { CommandFailure, sentenceOf } from "../failure.ts";
import { whileWaiting } from "../progress.ts";
import { chooser, listFolder } from "../push/list-folder.ts";
import { pushContinuously, reportChanges } from "../push/push-continuously.ts";
import { pushFolder, reportPush, type PushSummary } from "../push/push-folder.ts";
import { openTerminal, pathOfUser, type Terminal } from "../terminal.ts";
import { checkPortIsFree, claimState } from "../worker/claim-state.ts";
import { withWorker } from "../worker/start-worker.ts";
import { encryptionKeys } from "../worker/state-files.ts";
import { checkVariables, readVariables, applySettings } from "../worker/worker-variables.ts";
import { hasDatabase } from "../worker/workerd.ts";
import { LOCAL_EMAIL, newLocalPassword, readDemoState, writeDemoState } from "./demo-state.ts";
import type { DemoState } from "./demo-state.ts";
import { modelSettings } from "./model-settings.ts";
import { ensureToken, openPanel, setUpResources } from "./set-up.ts";
import { addressesOf, answerText, noticeLines, showAddresses } from "./show-answers.ts";
import { showChunks, sourceLines } from "./show-answers.ts";
import { firstHeading, SAMPLE_FOLDER, SAMPLE_QUESTIONS, subjectOf } from "./subject.ts";
import type { Questions, Subject } from "./subject.ts";
import { failedFiles, STANDSTILL_MS, waitForIndex } from "./wait-for-index.ts";

export type DemoOptions = {
  folder: string | undefined;
  query?: string;
  prompt?: string;
  port: number;
  host?: string;
  state: string;
  embedded?: true;
  confirmRemovals?: true;
  ignore: boolean;
  once?: true;
  watch: boolean;
  json?: true;
};

const PASSAGES = 3;
const WAITING = "Files that wait are indexed while it runs.";
/** Who has a service need not wait for its files. */
const SERVE_AFTER_MS = 60_000;

/** The whole of `npm start`: Worker, resources, documents, two questions, addresses. */
export async function runDemo(options: DemoOptions): Promise<void> {
  const environment = await readVariables(process.env);
  checkVariables(environment);
  const terminal = openTerminal(options.json === true);
  const folder = options.folder === undefined ? SAMPLE_FOLDER : pathOfUser(options.folder);
  const stateFolder = pathOfUser(options.state);
  const questions = await questionsOf(options, folder);
  // Before anything there is read or written: another server may use it.
  await checkPortIsFree(options.port, options.host);
  claimState(stateFolder, options.port);
  const state = await readDemoState(stateFolder);
  const subject = subjectOf(folder, state.folders);
  // Without a start before this one, `npm run dev` has made what there is.
  const ofDev = hasDatabase(stateFolder) ? BUILT_IN_MODELS.embedding : null;
  const madeWith = state.embeddingModel ?? ofDev;
  const choice = { embedded: options.embedded === true, madeWith };
  const settings = await modelSettings(environment, choice);
  state.password ??= newLocalPassword();
  state.embeddingModel = madeWith ?? settings.embeddingModel;
  // Written before the Worker can use it: an interrupted start must not lose it.
  writeDemoState(stateFolder, state);
  const variables = {
    ...encryptionKeys(stateFolder, environment),
    ...applySettings(environment, settings.variables),
    PANEL_ADMIN_EMAIL: LOCAL_EMAIL,
    PANEL_ADMIN_PASSWORD: state.password,
  };
  terminal.say(settings.about);
  const { embeddingModel } = settings;
  if (madeWith !== null && madeWith !== embeddingModel) {
    terminal.warn(
      `The files are embedded again with ${embeddingModel}; the index was made with ${madeWith}. Meanwhile the previous index answers.`,
    );
  }
  const { port, host } = options;
  const { warn: tell, output } = terminal;
  const isService = options.once !== true;
  const worker = { port, host, stateFolder, variables, tell, output, isService };
  await withWorker(worker, async ({ url, lastReason }, stopping) => {
    const { origin } = new URL(environment["PUBLIC_BASE_URL"] ?? url);
    const setUp = async () => {
      const api = await openPanel(url, state, origin);
      const reader = await setUpResources(api, subject, settings.chatModel, state);
      await ensureToken(url, api, state, subject, reader);
      return { api, reader };
    };
    const ready = await whileWaiting(output, "Setting up", setUp());
    state.folders[subject.identifier] = subject.folder;
    state.embeddingModel = embeddingModel;
    writeDemoState(stateFolder, state);
    const reported = new Set<string>();
    const running = { url, origin, lastReason, stopping };
    const served = { ...running, ...ready, state, subject, questions, terminal, reported };
    await indexAndAsk(served, options);
  });
}

type Demo = {
  url: string;
  /** Where people reach it. */
  origin: string;
  lastReason: () => string;
  /** Aborts when a signal ends the service. */
  stopping: AbortSignal;
  api: PanelApi;
  /** For whom it asks; undefined: the source has no permissions. */
  reader: string | undefined;
  state: DemoState;
  subject: Subject;
  questions: Questions;
  terminal: Terminal;
  /** Path and hash of the files that have failed, as was printed. */
  reported: Set<string>;
};

/** Returns with `--once`, else serves until the process ends. */
async function indexAndAsk(served: Demo, options: DemoOptions): Promise<void> {
  const { url, origin, state, subject, questions, terminal, reader } = served;
  if (options.once === true) {
    if (!(await pushAndIndex(served, options, STANDSTILL_MS))) process.exitCode = 1;
    return await askAndShow(served);
  }
  const index = () => pushAndIndex(served, options, SERVE_AFTER_MS);
  await tolerate(index, served, () => {
    const reason = served.lastReason();
    return `${WAITING}${reason === "" ? "" : ` The last failure: ${reason}.`}`;
  });
  await tolerate(() => askAndShow(served), served, adviceOnModels);
  const addresses = addressesOf(url, subject.identifier);
  showAddresses(terminal, addresses, { token: state.token ?? "", reader }, questions);
  terminal.say(`
Panel: ${origin}/panel
  Sign in as ${LOCAL_EMAIL}, password ${state.password}

Serving on ${url}. Ctrl-C ends it.`);
  const isWatched = options.watch && subject.folder !== SAMPLE_FOLDER;
  await tolerate(
    () => (isWatched ? keepIndexCurrent(served, options) : Promise.resolve()),
    served,
    () => "Changes of the folder are indexed at the next start.",
  );
  await new Promise(() => undefined);
}

/** Removals that were confirmed at the start confirm no later one. */
async function keepIndexCurrent(served: Demo, options: DemoOptions): Promise<void> {
  const { api, terminal, subject } = served;
  const request = { ...options, ...sourceOf(subject), confirmRemovals: false };
  // Pushes do not wait for files of earlier ones; a report that is yet to begin covers all of them.
  let indexed = Promise.resolve();
  let isAwaited = false;
  const followPush = (summary: PushSummary, isFirst: boolean) => {
    reportChanges(terminal, summary);
    if (isFirst) {
      terminal.say(`Watching ${subject.folder}: changes are indexed within seconds.`);
    }
    // The wait at the start may have ended before all files were indexed.
    if (isAwaited || (!isFirst && summary.added + summary.changed === 0)) return;
    isAwaited = true;
    const report = () => {
      isAwaited = false;
      return reportFailures(served);
    };
    indexed = indexed.then(() => tolerate(report, served, () => WAITING)).catch(console.error);
  };
  await pushContinuously(api, terminal, request, followPush, served.stopping);
}

const sourceOf = ({ folder, identifier: source }: Subject) => ({ folder, source });

/** Reads the folder first, so that a wrong folder is reported before anything starts. */
async function questionsOf(options: DemoOptions, folder: string): Promise<Questions> {
  const { query, prompt } = options;
  const { files } = await listFolder(folder, chooser(options));
  if (files.length === 0) throw new CommandFailure(`The folder ${folder} has no files.`);
  if (folder === SAMPLE_FOLDER && query === undefined && prompt === undefined) {
    return SAMPLE_QUESTIONS;
  }
  const heading = query ?? prompt ?? (await firstHeading(files)) ?? folder;
  return { query: query ?? prompt ?? heading, prompt: prompt ?? query ?? heading };
}

/**
 * Returns whether the index holds the folder: every file, and none that the folder lacks.
 * @throws CommandFailure when nothing moves for so long, or every file failed
 */
async function pushAndIndex(served: Demo, options: DemoOptions, standstillMs: number) {
  const { api, terminal, subject } = served;
  const summary = await pushFolder(api, terminal, { ...options, ...sourceOf(subject) });
  reportPush(terminal, summary);
  const index = await waitForIndex(api, subject.identifier, terminal, standstillMs);
  const { total, indexed, vectors, failed } = index;
  if (total > 0 && indexed === 0) {
    const { filePath = "", errorMessage = null } = failed[0] ?? {};
    const why = errorMessage ?? "no reason given";
    throw new CommandFailure(`None of the ${total} files could be indexed. ${filePath}: ${why}`);
  }
  terminal.say(`${indexed} of ${total} files are indexed, in ${vectors} passages.`);
  warnOfFailures(served, failed);
  return failed.length === 0 && summary.failed.length === 0 && summary.held === 0;
}

/** Warns of the files that could not be indexed, once all others are or nothing moves. */
async function reportFailures(served: Demo): Promise<void> {
  const { api, subject, terminal } = served;
  try {
    await waitForIndex(api, subject.identifier, terminal);
  } finally {
    warnOfFailures(served, await failedFiles(api, subject.identifier));
  }
}

/** Once for each failure of a content: it may be repaired, and fail later. */
export function warnOfFailures(
  served: Pick<Demo, "reported"> & { terminal: Pick<Terminal, "warn"> },
  failed: Pick<SourceFile, "filePath" | "sha256" | "errorMessage">[],
): void {
  const { terminal, reported } = served;
  served.reported = new Set();
  for (const { filePath, sha256, errorMessage } of failed) {
    const content = `${filePath} ${sha256}`;
    served.reported.add(content);
    if (!reported.has(content)) terminal.warn(`not indexed: ${filePath} (${errorMessage ?? ""})`);
  }
}

/** A broken model or a full disk does not end the service: it can search, and be repaired. */
export async function tolerate(
  work: () => Promise<unknown>,
  { terminal, stopping }: { terminal: Pick<Terminal, "warn">; stopping: AbortSignal },
  advice: (thrown: unknown) => string,
): Promise<void> {
  try {
    await work();
  } catch (thrown) {
    // While the service ends, its calls fail: that is no news, and nothing follows it.
    if (stopping.aborted) await new Promise(() => undefined);
    const sentence = sentenceOf(thrown);
    if (sentence === null) throw thrown;
    terminal.warn(`\n${sentence}\nThe service runs. ${advice(thrown)}`.trimEnd());
  }
}

/** Only a model that failed is answered with 502. */
export const adviceOnModels = (thrown: unknown) =>
  thrown instanceof ApiError && thrown.status === 502
    ? "Set CHAT_MODEL for another model, or start with --embedded."
    : "";

async function askAndShow({
  url,
  state,
  terminal,
  subject,
  questions,
  reader,
}: Demo): Promise<void> {
  const { identifier } = subject;
  const { query, prompt } = questions;
  const api = publicApi(url, state.token ?? "", {
    credential: "the token of this start",
    reader,
  });
  const shared = { topK: PASSAGES, useReranking: true, includeSources: true };
  const params = { path: { identifier } };
  const search = { semanticSearch: [query], ...shared };
  const searching = dataOf(api.POST("/api/rags/{identifier}/retrieve", { params, body: search }));
  const retrieval = await whileWaiting(terminal.output, "Searching", searching);
  terminal.say(`\nPassages for “${query}”`);
  showChunks(terminal, retrieval.chunks, [query]);
  for (const line of noticeLines(retrieval)) terminal.say(line);
  const body = { prompt, semanticSearch: [prompt], ...shared };
  const answering = dataOf(api.POST("/api/inferences/{identifier}", { params, body }));
  const run = await whileWaiting(terminal.output, "Waiting for the answer", answering);
  terminal.say(`\nAnswer to “${prompt}”`);
  const lines = [...answerText(run.response).split("\n"), ...sourceLines(run), ...noticeLines(run)];
  for (const line of lines) terminal.say(`  ${line}`);
  terminal.result({
    retrieval: { query, chunks: retrieval.chunks },
    inference: { prompt, response: run.response },
    urls: addressesOf(url, identifier),
  });
}
