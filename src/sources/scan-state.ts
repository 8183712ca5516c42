import type { z } from "zod";

import { parseJson } from "../core/input/parse-json.ts";
import type { ReaderStore } from "../ports/source-reader.ts";

/** Null where the store holds nothing of that form. */
export async function readJson<Value>(store: ReaderStore, key: string, schema: z.ZodType<Value>) {
  const bytes = await store.read(key);
  const json = bytes === null ? null : parseJson(new TextDecoder().decode(bytes));
  return schema.safeParse(json).data ?? null;
}

export const writeJson = async (store: ReaderStore, key: string, value: unknown) =>
  await store.write(key, new TextEncoder().encode(JSON.stringify(value)));

export type ScanState<State> = ReturnType<typeof scanState<State>>;

/** Keeps the state of a drive's reader between calls. */
export function scanState<State>(store: ReaderStore, name: string, schema: z.ZodType<State>) {
  const key = `${name}.json`;
  const pendingKey = `pending-${key}`;
  return {
    /** As the last scan that ended left it; null where there is none. */
    committed: async () => await readJson(store, key, schema),
    /** As the scan under way finds it. */
    pending: async () => await readJson(store, pendingKey, schema),
    keep: async (state: State) => await writeJson(store, pendingKey, state),
    /** Changes are compared with the state of the last scan that ended. */
    async commitPending() {
      const pending = await store.read(pendingKey);
      if (pending === null) return;
      await store.write(key, pending);
      await store.remove(pendingKey);
    },
  };
}
