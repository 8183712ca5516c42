/**
 * Copies an OpenAI vector store into a file source: the text that OpenAI extracted, with names and
 * attributes. Run it again after an interruption: equal files change nothing.
 */
import OpenAI from "openai";

const { QUARRY_URL, QUARRY_KEY, VECTOR_STORE = "", SOURCE } = process.env;
const openai = new OpenAI();

async function textOf(fileId: string) {
  const parts: string[] = [];
  const pages = openai.vectorStores.files.content(fileId, { vector_store_id: VECTOR_STORE });
  for await (const { text } of pages) parts.push(text ?? "");
  return parts.join("\n\n");
}

/** A header takes ASCII only. */
const asHeader = (value: object) =>
  JSON.stringify(value).replaceAll(
    /[^ -~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

for await (const { id, attributes } of openai.vectorStores.files.list(VECTOR_STORE)) {
  const { filename } = await openai.files.retrieve(id);
  const path = `${id}/${encodeURIComponent(filename)}.md`;
  const answer = await fetch(`${QUARRY_URL}/panel/api/file-sources/${SOURCE}/files/${path}`, {
    method: "PUT",
    headers: {
      Authorization: `Bearer ${QUARRY_KEY}`,
      "Content-Type": "text/markdown",
      "X-File-Metadata": asHeader(attributes ?? {}),
    },
    body: await textOf(id),
  });
  console.log(`${answer.status} ${filename}${answer.ok ? "" : `: ${await answer.text()}`}`);
  if (!answer.ok) process.exitCode = 1;
}
