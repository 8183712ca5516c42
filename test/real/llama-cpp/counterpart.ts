import assert from "node:assert/strict";
import { join } from "node:path";

import { dataOf } from "../../../src/cli/api/clients.ts";
import { checkModelServer } from "../model-server.ts";
import { pushNotes } from "../notes.ts";
import { until, type Counterpart, type Tools } from "../tools.ts";

/** llama.cpp's server as a library, and what writes its files. */
const PACKAGES = ["xllamacpp", "gguf"];
const WINDOW = 8_192;
const EMBEDDING_WINDOW = 2_048;
const LONG_ANSWER_TOKENS = 7_000;
const DIMENSIONS = 32;
const MODEL = "tiny";

export const counterpart: Counterpart = {
  about: "llama.cpp's server with a tiny model of random weights",
  async install(tools) {
    const bin = await tools.python(PACKAGES);
    const { stdout } = await tools.run(join(bin, "pip"), ["show", "xllamacpp"]);
    return /^Version: (.*)$/m.exec(stdout)?.[1] ?? "unknown";
  },
  async check(tools) {
    const server = await startLlama(tools, WINDOW);
    const embedder = await startLlama(tools, EMBEDDING_WINDOW, ["embeddings"]);
    const { api, chat, messages } = await checkModelServer(tools, {
      baseUrl: `${server}/v1`,
      key: "none",
      chat: MODEL,
      window: WINDOW,
      embedder: {
        baseUrl: `${embedder}/v1`,
        model: `local-embed/${MODEL}`,
        dimensions: DIMENSIONS,
      },
    });
    await tools.check("a passage longer than its batch is embedded, too", async () => {
      await pushNotes(api, "long", { "words.md": "many otters swim. ".repeat(400) });
      await until(async () => {
        const page = await dataOf(
          api.GET("/file-sources/{id}/files", {
            params: { path: { id: "docs" }, query: { path: "long" } },
          }),
        );
        assert.deepEqual(
          page.data.map(({ status }) => status),
          ["indexed"],
        );
      });
    });
    await tools.check("a stream that its reader leaves ends at the server", async () => {
      const naming = { name: "Endless", identifier: "endless", systemPrompt: "Go on." };
      const endless = { ...naming, model: `local/${MODEL}`, maxOutputTokens: LONG_ANSWER_TOKENS };
      await dataOf(api.POST("/inferences", { body: endless }));
      const leave = new AbortController();
      const body = { model: "inference/endless", messages, stream: true };
      const response = await chat(body, leave.signal);
      await response.body?.getReader().read();
      leave.abort();
      let tokenCount = 0;
      await until(async () => {
        const slot = await slotOf(server);
        tokenCount = Math.max(tokenCount, slot.tokens);
        assert.equal(slot.isBusy, false);
      });
      assert.ok(tokenCount < LONG_ANSWER_TOKENS / 2, `${tokenCount} tokens`);
    });
  },
};

/** Returns its address. */
export async function startLlama(tools: Tools, window: number, kind: string[] = []) {
  const python = join(await tools.python(PACKAGES), "python");
  const file = join(tools.scratch, `${window}.gguf`);
  await tools.run(python, [join(import.meta.dirname, "model.py"), file, String(window)]);
  const port = await tools.port();
  const script = join(import.meta.dirname, "serve.py");
  await tools.start(python, [script, file, String(port), String(window), ...kind], port);
  return `http://127.0.0.1:${port}`;
}

async function slotOf(server: string): Promise<{ isBusy: boolean; tokens: number }> {
  const [slot] = (await (await fetch(`${server}/slots`)).json()) as Slot[];
  return { isBusy: slot?.is_processing === true, tokens: slot?.next_token?.[0]?.n_decoded ?? 0 };
}
type Slot = { is_processing: boolean; next_token?: { n_decoded: number }[] };
