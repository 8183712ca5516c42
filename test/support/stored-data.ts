import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";

import type { RagId } from "../../src/core/ids.ts";
import type { VectorizeDouble } from "../doubles/vectorize/vectorize-double.ts";
import type { World } from "./ingestion-world.ts";

type Row = Record<string, unknown>;

/** Texts and bytes alike, the bytes one character each. */
function asText(value: unknown): string {
  if (value instanceof ArrayBuffer) {
    return Array.from(new Uint8Array(value), (byte) => String.fromCharCode(byte)).join("");
  }
  return Array.isArray(value) ? asText(Uint8Array.from(value as number[]).buffer) : String(value);
}

const rowsAsText = (rows: Row[]) =>
  rows.map((row) => Object.values(row).map(asText).join(" ")).join("\n");

const TABLES = `select name from sqlite_master where type = 'table'
  and name not like 'sqlite\\_%' escape '\\' and name not like '\\_cf\\_%' escape '\\'`;

async function readDatabase(into: Map<string, string>): Promise<void> {
  const { results } = await env.DB.prepare(TABLES).all<{ name: string }>();
  for (const { name } of results) {
    const { results: rows } = await env.DB.prepare(`select * from "${name}"`).all<Row>();
    into.set(`D1 ${name}`, rowsAsText(rows));
  }
}

async function readBucket(into: Map<string, string>): Promise<void> {
  const { objects } = await env.FILES.list({ include: ["customMetadata"] });
  for (const { key, customMetadata } of objects) {
    const bytes = await (await env.FILES.get(key))?.arrayBuffer();
    const metadataText = JSON.stringify(customMetadata ?? {});
    into.set(`R2 ${key}`, `${key} ${metadataText} ${asText(bytes ?? "")}`);
  }
}

/** Every table of an index object, those that FTS5 keeps its words in included. */
async function readIndex(into: Map<string, string>, name: string): Promise<void> {
  const stub = env.RAG_INDEX.get(env.RAG_INDEX.idFromName(name));
  await runInDurableObject(stub, (_, { storage: { sql } }) => {
    for (const { name: table } of sql.exec<{ name: string }>(TABLES).toArray()) {
      // Rows of a contentless table have no columns; its data lies in its shadow tables.
      const rows = table === "words" ? [] : sql.exec(`select * from "${table}"`).toArray();
      into.set(`index ${name} ${table}`, rowsAsText(rows));
    }
  });
}

/** The places that hold a word, in any spelling of its case: all that is stored anywhere. */
export async function placesOf(
  word: string,
  storage: { world: World; rags: RagId[]; vectorize: VectorizeDouble | null },
): Promise<string[]> {
  const data = new Map<string, string>();
  await readDatabase(data);
  await readBucket(data);
  for (const rag of storage.rags) await readIndex(data, `${rag}:1:0`);
  data.set("Vectorize", storage.vectorize?.everything() ?? "");
  data.set("queues", JSON.stringify([storage.world.waiting, storage.world.usage]));
  const needle = word.toLowerCase();
  const holding = [...data].filter(([, text]) => text.toLowerCase().includes(needle));
  return holding.map(([place]) => place).sort();
}
