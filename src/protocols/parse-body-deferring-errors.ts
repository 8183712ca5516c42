import { QuarryError } from "../core/errors.ts";
import { readJson } from "../http/middleware/json-body.ts";

/** Read before the caller is known; a `problem` waits until then, as it reveals the body's form. */
export type DeferredBody = { value: unknown; problem: QuarryError | null };

export async function parseBodyDeferringErrors(
  request: Request,
  limitBytes?: number,
): Promise<DeferredBody> {
  try {
    return { value: await readJson(request, limitBytes), problem: null };
  } catch (thrown) {
    if (thrown instanceof QuarryError) return { value: undefined, problem: thrown };
    throw thrown;
  }
}
