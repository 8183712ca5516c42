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

/** Keeps the state of a drive's reader between calls. */
export function scanState<State>(
  store: ReaderStore,
  name: string,
  schema: z.ZodType<State>,
): ScanState<State> {
  const key = `${name}.json`;
  const pendingKey = `pending-${key}`;
  const readFrom = async (from: string) => {
    const bytes = await store.read(from);
    const json = bytes === null ? null : parsedJson(new TextDecoder().decode(bytes));
    return schema.safeParse(json).data ?? null;
  };
  return {
    committed: async () => await readFrom(key),
    pending: async () => await readFrom(pendingKey),
    keep: async (state) =>
      await store.write(pendingKey, new TextEncoder().encode(JSON.stringify(state))),
    async ended() {
      const pending = await store.read(pendingKey);
      if (pending === null) return;
      await store.write(key, pending);
      await store.remove(pendingKey);
    },
  };
}
