/**
 * Copies an OpenAI vector store into a file source: the extracted text, with names and attributes.
 * Run it again after an interruption: equal files change nothing.
 */
import process from "node:process";

const { OPENAI_API_KEY, VECTOR_STORE, QUARRY_URL, QUARRY_KEY, SOURCE } = process.env;
const { OPENAI_BASE_URL = "https://api.openai.com/v1" } = process.env;
const FILES = `/vector_stores/${VECTOR_STORE}/files`;

type StoredFile = { id: string; attributes: object | null };

async function read<Answer>(path: string): Promise<Answer> {
  const headers = { Authorization: `Bearer ${OPENAI_API_KEY}` };
  const answer = await fetch(OPENAI_BASE_URL + path, { headers });
  if (!answer.ok) throw new Error(`OpenAI answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as Answer;
}

async function* storedFiles() {
  let after = "";
  do {
    const page = await read<{ data: StoredFile[]; has_more: boolean }>(
      `${FILES}?limit=100${after}`,
    );
    yield* page.data;
    after = page.has_more ? `&after=${page.data.at(-1)?.id}` : "";
  } while (after !== "");
}

/** A header takes ASCII only. */
const asHeader = (value: object) =>
  JSON.stringify(value).replaceAll(
    /[^ -~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

for await (const { id, attributes } of storedFiles()) {
  const { filename } = await read<{ filename: string }>(`/files/${id}`);
  const { data } = await read<{ data: { text?: string }[] }>(`${FILES}/${id}/content`);
  const path = `${id}/${encodeURIComponent(filename)}.md`;
  const answer = await fetch(`${QUARRY_URL}/panel/api/file-sources/${SOURCE}/files/${path}`, {
    method: "PUT",
    headers: {
      Authorization: `Bearer ${QUARRY_KEY}`,
      "Content-Type": "text/markdown",
      "X-File-Metadata": asHeader(attributes ?? {}),
    },
    body: data.map(({ text }) => text ?? "").join("\n\n"),
  });
  console.log(`${answer.status} ${filename}${answer.ok ? "" : `: ${await answer.text()}`}`);
  if (!answer.ok) process.exitCode = 1;
}
