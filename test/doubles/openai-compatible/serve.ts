import { serveFetch } from "../serve-fetch.ts";
import type { OpenAiDouble } from "./openai-double.ts";

/** Puts the double on a loopback port; `baseUrl` ends in /v1. */
export async function serveOpenAi(double: OpenAiDouble, port?: number) {
  const { address, stop } = await serveFetch(double.fetch, "http://double", port);
  return { baseUrl: `${address}/v1`, close: stop };
}
