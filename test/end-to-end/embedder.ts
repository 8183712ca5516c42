import { OpenAiDouble } from "../doubles/openai-compatible/openai-double.ts";
import { serveFetch } from "../doubles/serve-fetch.ts";

const DIMENSIONS = 16;

/** A model on this machine; a request with texts on which it hangs is never answered. */
export async function startEmbedder(hangsOn: (texts: string[]) => boolean) {
  let struck = () => undefined as void;
  const embed = (text: string) => Array.from({ length: DIMENSIONS }, (_, at) => text.length + at);
  const double = new OpenAiDouble({ embed });
  const { address, stop } = await serveFetch(async (url, request) => {
    const { input } = JSON.parse(await new Response(request.body).text()) as { input: string[] };
    if (!hangsOn(input)) return await double.fetch(url, request);
    struck();
    return await new Promise<never>(() => undefined);
  });
  return {
    /** Variables of a service that embeds with this server. */
    variables: [
      "OPENAI_COMPATIBLE_API_KEY:none",
      `OPENAI_COMPATIBLE_BASE_URL:${address}/v1`,
      "EMBEDDING_MODEL:local/letters",
      `EMBEDDING_DIMENSIONS:${DIMENSIONS}`,
    ],
    /** Settles when it hangs the next time. */
    strike: () => new Promise<"struck">((resolve) => (struck = () => resolve("struck"))),
    stop,
  };
}
