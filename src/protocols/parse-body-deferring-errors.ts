import { QuarryError } from "../core/errors.ts";
import { readJson } from "../http/middleware/json-body.ts";

/**
 * A body that names what is called, so that it is read before the caller is known. `problem`: what
 * is wrong with it, to be thrown afterwards: a caller without a token learns nothing of its form.
 */
export type DeferredBody = { value: unknown; problem: QuarryError | null };

export async function parseBodyDeferringErrors(request: Request): Promise<DeferredBody> {
  try {
    return { value: await readJson(request), problem: null };
  } catch (thrown) {
    if (thrown instanceof QuarryError) return { value: undefined, problem: thrown };
    throw thrown;
  }
}
