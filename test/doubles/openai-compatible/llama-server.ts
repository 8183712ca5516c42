type Options = {
  /** Tokens a second, of one call at a time. */
  speed?: number;
  /** `-ub`, tokens: a longer text fails the whole call. */
  physicalBatch?: number;
  /** `-c`, tokens. */
  contextTokens?: number;
  /** Milliseconds; how long 503 "Loading model" is the answer. */
  loadingMs?: number;
  dimensions?: number;
  /** Answers nothing at all. */
  isSilent?: boolean;
};

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/**
 * llama.cpp's server, as `xllamacpp` 2026.10 has it and as
 * https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md describes it: on a
 * laptop's processor it works on one call after the other, and goes on when its caller hangs up.
 */
export class LlamaServer {
  /** Tokens that the server has computed. */
  tokens = 0;
  busyMs = 0;
  /** Texts of each call that it worked on. */
  readonly calls: string[][] = [];
  isSilent: boolean;
  speed: number;
  readonly #options: Options;
  readonly #startedAt = Date.now();
  #line: Promise<void> = Promise.resolve();

  constructor(options: Options = {}) {
    this.#options = options;
    this.isSilent = options.isSilent ?? false;
    this.speed = options.speed ?? 500;
  }

  /** Four letters a token. */
  static readonly tokensOf = (text: string): number => Math.ceil(text.length / 4);

  readonly fetch: typeof globalThis.fetch = (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    const body = JSON.parse(typeof init?.body === "string" ? init.body : "{}") as {
      input: string[];
    };
    const hungUp = new Promise<never>((_, reject) => {
      const hangUp = () => reject(new DOMException("aborted", "AbortError"));
      if (init?.signal?.aborted === true) hangUp();
      init?.signal?.addEventListener("abort", hangUp, { once: true });
    });
    return Promise.race([this.#answer(url, body), hungUp]);
  };

  async #answer(url: string, { input }: { input: string[] }): Promise<Response> {
    const { physicalBatch = 512, contextTokens = 4_096, loadingMs = 0 } = this.#options;
    const { dimensions = 2 } = this.#options;
    if (this.isSilent) await new Promise(() => {});
    if (Date.now() - this.#startedAt < loadingMs) {
      return failed(503, { message: "Loading model", type: "unavailable_error" });
    }
    if (url.endsWith("/models")) {
      const meta = { n_ctx_train: 32_768, n_ctx: contextTokens };
      return Response.json({ object: "list", data: [{ id: "small.gguf", object: "model", meta }] });
    }
    const counts = input.map(LlamaServer.tokensOf);
    const long = counts.find((tokens) => tokens > physicalBatch);
    if (long !== undefined) {
      const message = `input (${long} tokens) is too large to process. increase the physical batch size (current batch size: ${physicalBatch})`;
      return failed(500, { message, type: "server_error" });
    }
    const tokens = counts.reduce((sum, count) => sum + count, 0);
    const before = this.#line;
    const ms = (tokens / this.speed) * 1_000;
    this.#line = before.then(() => pause(ms));
    await this.#line;
    this.busyMs += ms;
    this.tokens += tokens;
    this.calls.push(input);
    const vectorOf = (text: string) => [text.length, ...Array<number>(dimensions - 1).fill(1)];
    const data = input.map((text, index) => ({ index, embedding: vectorOf(text) }));
    return Response.json({ data, usage: { prompt_tokens: tokens, total_tokens: tokens } });
  }
}

const failed = (code: number, error: object) =>
  Response.json({ error: { code, ...error } }, { status: code });
