import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { startLlama } from "../llama-cpp/counterpart.ts";
import { checkModelServer } from "../model-server.ts";
import type { Counterpart } from "../tools.ts";

const PACKAGES = ["litellm[proxy]"];
const KEY = "sk-quarry-0000";
const WINDOW = 8_192;
const EMBEDDING_WINDOW = 2_048;
const DIMENSIONS = 32;

export const counterpart: Counterpart = {
  about: "LiteLLM between the service and llama.cpp, and the service behind LiteLLM",
  async install(tools) {
    const pip = join(await tools.python(PACKAGES), "pip");
    const { stdout } = await tools.run(pip, ["show", "litellm"]);
    return /^Version: (.*)$/m.exec(stdout)?.[1] ?? "unknown";
  },
  async check(tools) {
    const chat = await startLlama(tools, WINDOW);
    const embedder = await startLlama(tools, EMBEDDING_WINDOW, ["embeddings"]);
    const behind = (server: string) => ({
      model: "openai/tiny",
      api_base: `${server}/v1`,
      api_key: "none",
    });
    const quarry = { model: "openai/inference/answering", api_base: "http://127.0.0.1:1/v1" };
    const configurable_clientside_auth_params = ["api_base", "api_key"];
    const config = {
      model_list: [
        {
          model_name: "chat",
          litellm_params: behind(chat),
          model_info: { max_input_tokens: WINDOW },
        },
        { model_name: "letters", litellm_params: behind(embedder) },
        {
          model_name: "quarry",
          litellm_params: { ...quarry, configurable_clientside_auth_params },
        },
      ],
      general_settings: { master_key: KEY },
    };
    const file = join(tools.scratch, "litellm.json");
    writeFileSync(file, JSON.stringify(config));
    const port = await tools.port();
    const args = ["--config", file, "--host", "127.0.0.1", "--port", String(port)];
    const env = { ...process.env, LITELLM_LOCAL_MODEL_COST_MAP: "True", NO_DOCS: "True" };
    const command = join(await tools.python(PACKAGES), "litellm");
    await tools.start(command, [...args, "--telemetry", "False"], port, { env });
    const baseUrl = `http://127.0.0.1:${port}/v1`;
    const { url, token } = await checkModelServer(tools, {
      baseUrl,
      key: KEY,
      chat: "chat",
      window: WINDOW,
      embedder: { model: "local/letters", dimensions: DIMENSIONS },
    });
    const throughLitellm = async (body: object, key = token) =>
      await fetch(`${baseUrl}/chat/completions`, {
        method: "POST",
        headers: { Authorization: `Bearer ${KEY}`, "Content-Type": "application/json" },
        body: JSON.stringify({
          model: "quarry",
          api_base: `${url}/v1`,
          api_key: key,
          messages: [{ role: "user", content: "How many days of leave are there?" }],
          ...body,
        }),
      });
    await tools.check("behind LiteLLM the service answers, with usage", async () => {
      const text = await (await throughLitellm({})).text();
      assert.match(text, /"total_tokens":[1-9]/, text);
    });
    await tools.check("behind LiteLLM the service streams", async () => {
      const body = { stream: true, stream_options: { include_usage: true } };
      const text = await (await throughLitellm(body)).text();
      assert.match(text, /"content":[^]*"total_tokens":[1-9][^]*data: \[DONE\]/, text);
    });
    await tools.check("behind LiteLLM a refused token is a 401", async () => {
      const response = await throughLitellm({}, "wrong");
      assert.equal(response.status, 401, await response.text());
    });
  },
};
