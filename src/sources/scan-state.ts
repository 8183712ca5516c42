import type { z } from "zod";

import { parsedJson } from "../core/input/parsed-json.ts";
import type { ReaderStore } from "../ports/source-reader.ts";

export type ScanState<State> = {
  /** As the last scan that ended left it; null where there is none. */
  committed(): Promise<State | null>;
  /** As the scan under way finds it. */
  pending(): Promise<State | null>;
  keep(state: State): Promise<void>;
  /** Changes are compared with the state of the last scan that ended. */
  ended(): Promise<void>;
};

/** Null where the store holds nothing of that form. */
export async function readJson<Value>(
  store: ReaderStore,
  key: string,
  schema: z.ZodType<Value>,
): Promise<Value | null> {
  const bytes = await store.read(key);
  const json = bytes === null ? null : parsedJson(new TextDecoder().decode(bytes));
  return schema.safeParse(json).data ?? null;
}

export const writeJson = async (store: ReaderStore, key: string, value: unknown) =>
  await store.write(key, new TextEncoder().encode(JSON.stringify(value)));

/** Keeps the state of a drive's reader between calls. */
export function scanState<State>(
  store: ReaderStore,
  name: string,
  schema: z.ZodType<State>,
): ScanState<State> {
  const key = `${name}.json`;
  const pendingKey = `pending-${key}`;
  return {
    committed: async () => await readJson(store, key, schema),
    pending: async () => await readJson(store, pendingKey, schema),
    keep: async (state) => await writeJson(store, pendingKey, state),
    async ended() {
      const pending = await store.read(pendingKey);
      if (pending === null) return;
      await store.write(key, pending);
      await store.remove(pendingKey);
    },
  };
}
