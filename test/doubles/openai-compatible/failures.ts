/** Every way in which a server that speaks OpenAI's protocol has been seen to fail. */
export type Failure =
  | { kind: "status"; status: number; retryAfter?: string }
  | { kind: "hang" }
  /** Headers and a first byte, then nothing. */
  | { kind: "drip" }
  /** The connection breaks in the middle of the body. */
  | { kind: "cut" }
  | { kind: "refused" }
  | { kind: "malformed" }
  /** JSON of another form than the protocol's. */
  | { kind: "wrong-form" }
  | { kind: "empty-choices" }
  | { kind: "refusal" }
  /** The model's JSON does not follow the asked schema. */
  | { kind: "wrong-schema" }
  | { kind: "unknown-tool" }
  | { kind: "bad-arguments" };

/** The vendor's own words: they must never reach a caller. */
export const SECRET_BODY = "upstream said sk-secret-key at https://models.internal/v1";

/** As workerd says that nothing listens at an address. */
const lostConnection = () => {
  const error = new Error("Network connection lost.", { cause: new Error(SECRET_BODY) });
  return Object.assign(error, { remote: true, retryable: true });
};

const never = (signal: AbortSignal | null | undefined): Promise<never> =>
  new Promise((_resolve, reject) => {
    const stop = () => reject(new DOMException("aborted", "AbortError"));
    if (signal?.aborted === true) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });

/** The failing answer; null where the failure lies in what the model says. */
export function failingAnswer(
  failure: Failure,
  signal: AbortSignal | null | undefined,
): Promise<Response> | null {
  switch (failure.kind) {
    case "status":
      return Promise.resolve(
        Response.json(
          { error: { message: SECRET_BODY } },
          {
            status: failure.status,
            headers: failure.retryAfter === undefined ? {} : { "retry-after": failure.retryAfter },
          },
        ),
      );
    case "hang":
      return never(signal);
    case "refused":
      return Promise.reject(lostConnection());
    case "drip":
      return Promise.resolve(jsonResponse(brokenBody(() => never(signal))));
    case "cut":
      return Promise.resolve(
        jsonResponse(brokenBody(() => Promise.reject(new TypeError("terminated")))),
      );
    case "malformed":
      return Promise.resolve(jsonResponse('{"choices": [{"message": {"content": "half'));
    case "wrong-form":
      return Promise.resolve(Response.json({ message: SECRET_BODY }));
    case "empty-choices":
      return Promise.resolve(Response.json({ choices: [], data: [], results: [] }));
    default:
      return null;
  }
}

const jsonResponse = (body: BodyInit) =>
  new Response(body, { headers: { "content-type": "application/json" } });

function brokenBody(then: () => Promise<never>): ReadableStream<Uint8Array> {
  let started = false;
  return new ReadableStream({
    async pull(controller) {
      if (started) await then();
      started = true;
      controller.enqueue(new TextEncoder().encode('{"choices": ['));
    },
  });
}
