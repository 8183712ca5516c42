import { RagIndex as PlainRagIndex } from "../../../src/durable-objects/rag-index.ts";
import type { Env } from "../../../src/env.ts";

let cursors: { rowsRead: number; rowsWritten: number }[] = [];
let bytes = 0;
/** Asking for the size is a statement itself. */
const STATEMENTS_A_SIZE = 64;

/** The index object, its cursors kept: they know their rows when they have been read. */
export class RagIndex extends PlainRagIndex {
  constructor(context: DurableObjectState, env: Env) {
    const { sql } = context.storage;
    const exec = sql.exec.bind(sql);
    const countedExec = (...args: Parameters<typeof exec>) => {
      const cursor = exec(...args);
      cursors.push(cursor);
      if (cursors.length % STATEMENTS_A_SIZE === 1) bytes = Math.max(bytes, sql.databaseSize);
      return cursor;
    };
    Object.defineProperty(sql, "exec", { value: countedExec });
    super(context, env);
  }
}

/** Rows since it was asked last, and the bytes of the largest index object. */
export function indexRows(): { read: number; written: number; bytes: number } {
  const sum = (key: "rowsRead" | "rowsWritten") =>
    cursors.reduce((total, cursor) => total + cursor[key], 0);
  const rows = { read: sum("rowsRead"), written: sum("rowsWritten"), bytes };
  cursors = [];
  return rows;
}
