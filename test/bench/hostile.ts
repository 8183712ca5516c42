import {
  HOSTILE_CALLS_WORK,
  HOSTILE_DOCUMENTS_WORK,
  type HostileWork,
} from "../support/hostile-work.ts";

const CALL_LIMIT_MS = 2_000;
const DOCUMENT_LIMIT_MS = 10_000;

/** `npm run bench -- hostile`: processor time of inputs made to hold a server up, by kind. */
export async function run(): Promise<Record<string, unknown>> {
  const calls = await timeAll(HOSTILE_CALLS_WORK, CALL_LIMIT_MS);
  const documents = await timeAll(HOSTILE_DOCUMENTS_WORK, DOCUMENT_LIMIT_MS);
  console.table([...calls.rows, ...documents.rows]);
  const tooSlow = [...calls.tooSlow, ...documents.tooSlow];
  if (tooSlow.length > 0) {
    console.error(`beyond the limit: ${tooSlow.join("; ")}`);
    process.exitCode = 1;
  }
  const inputs = HOSTILE_CALLS_WORK.length + HOSTILE_DOCUMENTS_WORK.length;
  return {
    inputs,
    slowestCallMs: calls.slowestMs,
    callLimitMs: CALL_LIMIT_MS,
    slowestDocumentMs: documents.slowestMs,
    documentLimitMs: DOCUMENT_LIMIT_MS,
    tooSlow,
  };
}

async function timeAll(all: HostileWork[], limitMs: number) {
  const rows: { kind: string; what: string; ms: number; end: string }[] = [];
  for (const { kind, what, run: work } of all) {
    const started = process.cpuUsage();
    const end = await endOf(work);
    const { user, system } = process.cpuUsage(started);
    const ms = Math.round((user + system) / 1_000);
    rows.push({ kind, what, ms, end });
  }
  const slow = rows.filter(({ ms }) => ms > limitMs);
  const tooSlow = slow.map(({ kind, what, ms }) => `${kind}, ${what}: ${ms} ms`);
  return { rows, slowestMs: Math.max(...rows.map(({ ms }) => ms)), tooSlow };
}

const END_CHARACTERS = 60;

/** A refusal is as good an end as a result: only its time counts here. */
async function endOf(work: () => unknown): Promise<string> {
  try {
    await work();
    return "done";
  } catch (thrown) {
    return String(thrown).slice(0, END_CHARACTERS);
  }
}
