import { startBundledService } from "./support/bundled-service.ts";
import { startEmpty } from "./support/fresh-service.ts";
import { compareInTurn, ROUNDS } from "./support/in-turn.ts";
import { fillRags } from "./support/local-service.ts";
import { retrievalsOf } from "./support/retrievals.ts";
import { askingOf } from "./support/timed-clients.ts";

const RATE_LIMIT = "10000";

/**
 * `npm run bench -- proxy [FOLDER]`: the same retrievals of one service in plain workerd and behind
 * the Workers and processes of `wrangler dev`, as `npm start` runs it, in turn.
 */
export async function run([folder]: string[]): Promise<Record<string, unknown>> {
  const { documents, bodies } = retrievalsOf(folder);
  const plain = await startBundledService({ RATE_LIMIT_API: RATE_LIMIT });
  try {
    const local = await startEmpty();
    try {
      const [ofPlain, ofLocal] = await Promise.all([
        fillRags(plain.url, documents),
        fillRags(new URL(local.url), documents),
      ]);
      const results = await compareInTurn(bodies, {
        base: { name: "plain workerd", asking: askingOf(plain.url, ofPlain.token) },
        other: { name: "npm start", asking: askingOf(local.url, ofLocal.token) },
      });
      return { documents: documents.length, passages: ofPlain.count, rounds: ROUNDS, results };
    } finally {
      await local.stop();
    }
  } finally {
    await plain.stop();
  }
}
