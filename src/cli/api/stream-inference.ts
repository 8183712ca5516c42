import { eventsIn } from "../../core/server-events.ts";
import { CommandFailure } from "../failure.ts";
import { dataOf, type PublicApi, type Run, type RunRequest } from "./clients.ts";

type StreamPart = { text?: string; error?: string };

/** Runs an inference; `onText` receives the answer as it is written. @throws CommandFailure */
export async function streamInference(
  api: PublicApi,
  identifier: string,
  body: RunRequest,
  onText: (text: string) => void,
): Promise<{ run: Run; response: Response }> {
  const call = api.POST("/api/inferences/{identifier}", {
    params: { path: { identifier } },
    body,
    headers: { Accept: "text/event-stream" },
    parseAs: "stream",
  });
  const { response } = await call;
  for await (const { name, data } of eventsIn(await dataOf(call))) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the last event is what the route answers without a stream
    if (name === "result") return { run: data as Run, response };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as the API's documentation describes each event
    const { text, error } = data as StreamPart;
    if (name === "error") throw new CommandFailure(`inference ${identifier}: ${error}.`);
    if (name === "delta" && text !== undefined) onText(text);
  }
  throw new CommandFailure(`inference ${identifier}: the answer broke off.`);
}
