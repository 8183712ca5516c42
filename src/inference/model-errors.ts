import { DeadlineExceeded } from "../core/work/deadline.ts";
import { modelFailed, QuarryError } from "../core/errors.ts";
import { ModelFailure } from "../ports/models.ts";

/** The error of a failed model call: the provider's status, without the provider's own text. */
export function asModelFailed(thrown: unknown): QuarryError {
  if (thrown instanceof QuarryError) return thrown;
  if (thrown instanceof ModelFailure) {
    const told = thrown.status === null ? thrown.message : `provider answered ${thrown.status}`;
    return modelFailed(`Model call failed: ${told}`, thrown);
  }
  if (thrown instanceof DeadlineExceeded) {
    const [, told = "no answer in time"] = thrown.message.split(": ");
    return modelFailed(`Model call failed: ${told}`, thrown);
  }
  return modelFailed("Model call failed: unusable reply", thrown);
}
