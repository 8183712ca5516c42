/**
 * A back end that answers questions from documents. The token stays on the server; browsers talk
 * to this program only.
 *
 *   curl -s localhost:3000/ask -d '{"question":"How many days of leave are there?"}'
 */
import { createServer } from "node:http";
import { json } from "node:stream/consumers";

const { QUARRY_URL, QUARRY_TOKEN, INFERENCE = "sample", PORT = "3000" } = process.env;

type Run = {
  response: { text: string; citations: { item: number }[] }[];
  items: { score: number; source: { filePath: string } }[];
  /** There if a part of the search failed: the answer has less context. */
  degraded?: object;
};

async function ask(question: string) {
  const answer = await fetch(`${QUARRY_URL}/api/inferences/${INFERENCE}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${QUARRY_TOKEN}`, "Content-Type": "application/json" },
    body: JSON.stringify({ prompt: question, semanticSearch: [question], includeSources: true }),
    signal: AbortSignal.timeout(90_000),
  });
  if (!answer.ok) throw new Error(`Quarry answered ${answer.status}: ${await answer.text()}`);
  const { response, items, degraded } = (await answer.json()) as Run;
  const cited = response.flatMap(({ citations }) => citations);
  return {
    answer: response.map(({ text }) => text).join("\n"),
    sources: [...new Set(cited.map(({ item }) => items[item]?.source.filePath))],
    isComplete: degraded === undefined,
  };
}

const server = createServer(async (request, response) => {
  response.setHeader("Content-Type", "application/json");
  try {
    const body = (await json(request).catch(() => null)) as { question?: unknown } | null;
    const question = body?.question;
    if (typeof question === "string") response.end(JSON.stringify(await ask(question)));
    else {
      response.statusCode = 400;
      response.end(JSON.stringify({ error: 'The body is {"question": "…"}.' }));
    }
  } catch (error) {
    console.error(error);
    response.statusCode = 502;
    response.end(JSON.stringify({ error: "No answer at the moment." }));
  }
});

server.listen(Number(PORT), () => console.log(`Listening on http://localhost:${PORT}`));
