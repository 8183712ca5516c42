import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";

import { modelRegistry } from "../../../src/adapters/model-registry.ts";
import { composeServices } from "../../../src/compose.ts";
import { parseConfig } from "../../../src/config.ts";
import { createApp } from "../../../src/http/app.ts";
import { protocols } from "../../../src/protocols/app.ts";
import type { Services } from "../../../src/services.ts";
import type { OpenAiDouble } from "../../doubles/openai-compatible/openai-double.ts";
import { freshAddress, ORIGIN } from "../../support/worker-client.ts";

type Answered = { status: number; text: string; headers: Headers };
type Given = (services: Services) => Partial<Services>;

/** Calls of the whole service with some of its services replaced. */
export function serviceWith(overrides: Given = () => ({})) {
  const app = createApp((bindings, context) => {
    const services = composeServices(bindings, context);
    return { ...services, ...overrides(services) };
  });
  app.route("/", protocols());
  return async (
    token: string,
    { path, body }: { path: string; body?: object },
  ): Promise<Answered> => {
    const context = createExecutionContext();
    const request = new Request(`${ORIGIN}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: {
        Authorization: `Bearer ${token}`,
        Accept: "application/json, text/event-stream",
        "X-Forwarded-For": freshAddress(),
      },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const response = await app.fetch(request, env, context);
    const text = await response.text();
    await waitOnExecutionContext(context);
    return { status: response.status, text, headers: response.headers };
  };
}

/** Its models as `local/…`. */
export const modelsOf = ({ fetch }: OpenAiDouble) => {
  const config = parseConfig({ ...env, OPENAI_COMPATIBLE_BASE_URL: "http://models.test/v1" });
  return modelRegistry(config, { fetch });
};

/** Every chat is answered by the double. */
export const answeredBy =
  (double: OpenAiDouble): Given =>
  ({ models }) => ({ models: { ...models, chat: () => modelsOf(double).chat("local/chat") } });
