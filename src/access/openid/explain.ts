import {
  AuthorizationResponseError,
  OperationProcessingError,
  ResponseBodyError,
  UnsupportedOperationError,
  WWWAuthenticateChallengeError,
} from "oauth4webapi";

import { SourceFailure } from "../../ports/source-reader.ts";

/** An error code as RFC 6749 has them: everything else could be text for people, or worse. */
const CODE = /^[\w.-]{1,60}$/;

/**
 * Why the provider's answer did not lead to a sign-in, for the log and for administrators; holds
 * no code, token or claim. Null: the error is not the provider's.
 */
export function explain(thrown: unknown): string | null {
  if (thrown instanceof SourceFailure) return thrown.message;
  if (thrown instanceof ResponseBodyError || thrown instanceof AuthorizationResponseError) {
    return `the provider answered ${CODE.test(thrown.error) ? thrown.error : "with an error"}`;
  }
  if (thrown instanceof WWWAuthenticateChallengeError) {
    return `the provider refused the client with ${thrown.status}`;
  }
  const isOfAnswer =
    thrown instanceof OperationProcessingError || thrown instanceof UnsupportedOperationError;
  return isOfAnswer ? thrown.message : null;
}
