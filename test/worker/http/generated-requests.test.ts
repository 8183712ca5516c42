import { env, exports } from "cloudflare:workers";
import * as fc from "fast-check";
import { beforeAll, expect, test } from "vitest";

import { clientOf, type Answer, type Call } from "../../contract/client.ts";
import { oversizedRequests, requests, type Document, type Known } from "../../contract/generate.ts";
import { setUpWorld, type World } from "../../contract/world.ts";
import { ORIGIN } from "../../support/worker-client.ts";
import {
  asProtocolClient,
  protocolOperations,
  isProtocolCall,
} from "../protocols/protocol-operations.ts";

const { GENERATED_REQUESTS = "1000" } = env;
const REQUESTS = Number(GENERATED_REQUESTS);
/** A status is met often: in one of so many requests at least. */
const OFTEN = REQUESTS / 50;
const AT_ONCE = 20;
const SEED = 20_260_131;
/** On a busy machine too. */
const WITHIN_MS = 900_000;

let world: World;

beforeAll(async () => {
  const client = clientOf(ORIGIN, async (request) => await exports.default.fetch(request), true);
  const admin = { email: "admin@localhost", password: "quarry" };
  world = await setUpWorld(client, admin, {});
}, WITHIN_MS);

const published = () => world.client.published?.document as unknown as Document;

function knownNames(): Known {
  const anyObject = { type: "object", properties: {} };
  const { agent, inference, otherRag, plain, rag, scopedRag, tools } = world;
  return {
    identifiers: [rag, otherRag, scopedRag, inference, plain, tools, agent],
    sources: [world.source, world.otherSource, world.webSourceId],
    tokens: [world.token, world.limited, world.none, world.webhookSecret],
    unpublished: [
      { method: "GET", path: "/api/agents/{identifier}", schema: anyObject },
      {
        method: "POST",
        path: "/api/agents/{identifier}/invoke",
        schema: {
          type: "object",
          properties: { prompt: { type: "string" }, messages: { type: "array" } },
        },
      },
      { method: "POST", path: "/api/webhooks/web/{file_source_id}", schema: anyObject },
      { method: "POST", path: "/api/webhooks/drive", schema: anyObject },
      { method: "POST", path: "/api/webhooks/graph", schema: anyObject },
      { method: "GET", path: "/embed/{identifier}", schema: anyObject },
      ...protocolOperations({
        rags: [rag, otherRag, scopedRag],
        inferences: [inference, plain, tools],
        agents: [agent],
      }),
    ],
  };
}

const MAX_ERROR_CHARACTERS = 10_000;
const LEAKS = /\bat .*\.(ts|js):|SQLITE|D1_ERROR/;

function isGoodAnswer({ status, body, text }: Answer): boolean {
  if (status < 400) return true;
  const { error, ...rest } = body as { error?: unknown };
  const isError = typeof error === "string" && Object.keys(rest).length === 0;
  return status < 500 && isError && !LEAKS.test(text);
}

/** Each protocol has its own form of errors; those of MCP can be results. */
const isGoodProtocolAnswer = ({ status, text }: Answer): boolean =>
  status < 500 && !LEAKS.test(text);

test(
  `${REQUESTS} generated requests: no defect, and each refusal is one line`,
  { timeout: WITHIN_MS },
  async () => {
    const statuses: Record<number, number> = {};
    const problems: unknown[] = [];
    const arbitrary = requests(published(), knownNames());
    const all = fc.sample(arbitrary, { numRuns: REQUESTS, seed: SEED }).map(asProtocolClient);
    for (let at = 0; at < all.length; at += AT_ONCE) {
      await Promise.all(
        all.slice(at, at + AT_ONCE).map(async (call) => {
          const answer = await world.client.call(call);
          statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
          const isGood = isProtocolCall(call) ? isGoodProtocolAnswer : isGoodAnswer;
          if (!isGood(answer)) problems.push({ call, status: answer.status, text: answer.text });
        }),
      );
    }
    expect(problems).toEqual([]);
    // Every way through the order of checks was taken, and often.
    const often = Object.keys(statuses).filter((status) => (statuses[Number(status)] ?? 0) > OFTEN);
    expect(often).toEqual(expect.arrayContaining(["200", "400", "401", "403", "404"]));
  },
);

const OVERSIZED = Math.ceil(REQUESTS / 60);
/** No call of a quick machine takes so many of the references; without a bound, many do. */
const MAX_REFERENCES = 40;
/** A machine that does something else meanwhile is no slow call. */
const TRIES = 5;
const WORDS = JSON.stringify(Array.from({ length: 100_000 }, (_, at) => `word ${at}`));
const ROUNDS = 8;

/** About a tenth of a second of a quick machine. */
async function reference(): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) JSON.stringify(JSON.parse(WORDS));
  // The clock of a Worker stands still while it computes.
  await scheduler.wait(0);
}

async function timed<Result>(work: () => Promise<Result>): Promise<[Result, ms: number]> {
  const started = Date.now();
  return [await work(), Date.now() - started];
}

/** One call at a time, each in references that are measured next to it. */
async function leastReferences(call: Call): Promise<{ answer: Answer; references: number }> {
  let references = Infinity;
  for (let tries = 1; ; tries++) {
    const [answer, ms] = await timed(() => world.client.call({ ...call, impatient: true }));
    const [, referenceMs] = await timed(reference);
    references = Math.min(references, ms / Math.max(1, referenceMs));
    if (references <= MAX_REFERENCES || tries === TRIES) return { answer, references };
  }
}

test(
  `${2 * OVERSIZED} requests with an oversized field are refused or answered, soon`,
  { timeout: WITHIN_MS },
  async () => {
    const key = await world.panel("POST", "/keys", { name: "Oversized", role: "admin" });
    const { body } = await world.panel("GET", "/openapi.json");
    const panel = body as Document;
    const paths = Object.entries(panel.paths).map(([path, methods]) => [
      `/panel/api${path}`,
      methods,
    ]);
    // Nothing that the world needs is changed.
    const nothing = { identifiers: ["nothing"], sources: ["nothing"], unpublished: [] };
    const byKey = { ...nothing, tokens: [(key.body as { key: string }).key] };
    const ofPanel = { ...panel, paths: Object.fromEntries(paths) as Document["paths"] };
    const problems: unknown[] = [];
    for (const arbitrary of [
      oversizedRequests(published(), knownNames()),
      oversizedRequests(ofPanel, byKey),
    ]) {
      for (const call of fc.sample(arbitrary, { numRuns: OVERSIZED, seed: SEED })) {
        const { answer, references } = await leastReferences(asProtocolClient(call));
        const isGood = isProtocolCall(call) ? isGoodProtocolAnswer : isGoodAnswer;
        const isShort = answer.status < 400 || answer.text.length < MAX_ERROR_CHARACTERS;
        if (isGood(answer) && isShort && references <= MAX_REFERENCES) continue;
        const { method, path } = call;
        const text = answer.text.slice(0, 300);
        problems.push({ method, path, references, status: answer.status, text });
      }
    }
    expect(problems).toEqual([]);
  },
);
