import { filesOf, readCollection } from "./collection.ts";
import type { PushedText } from "./local-service.ts";
import { queryFor, textOf } from "./synthetic-text.ts";

const QUERIES_A_ROUND = 300;
const MADE_UP = 5_000;
const WORDS_EACH = 220;
const WORDS_ASKED = 10;
const TOP_K = 10;

type Retrievals = { documents: PushedText[]; bodies: string[] };

/** A collection and bodies of retrievals; made up without a folder. */
export function retrievalsOf(folder: string | undefined): Retrievals {
  const { documents, queries } = textsOf(folder);
  const bodies = queries.map((query) =>
    JSON.stringify({ semanticSearch: [query], topK: TOP_K, includeSources: true }),
  );
  return { documents, bodies };
}

function textsOf(folder: string | undefined) {
  if (folder !== undefined) {
    const { documents, queries } = readCollection(folder);
    return {
      documents: filesOf(documents),
      queries: queries.map(({ text }) => text).slice(0, QUERIES_A_ROUND),
    };
  }
  const documents = Array.from({ length: MADE_UP }, (_, at) => {
    return { path: `${at}.md`, text: `# Note ${at}\n\n${textOf(at, WORDS_EACH)}.\n` };
  });
  const queries = Array.from({ length: QUERIES_A_ROUND }, (_, at) =>
    queryFor((at * 7) % MADE_UP, WORDS_EACH, WORDS_ASKED),
  );
  return { documents, queries };
}
