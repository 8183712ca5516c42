import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { composeServices } from "../../../src/compose.ts";
import { Turns } from "../../../src/core/work/turns.ts";
import { createApp } from "../../../src/http/app.ts";
import { eventually } from "../../support/eventually.ts";
import { ORIGIN, signedIn } from "../../support/worker-client.ts";

test("a caller's long searches wait for each other, and other callers for none", async () => {
  const panel = await signedIn();
  await panel.folderWithRag("Busy");
  await panel.put("/file-sources/busy/files/note.md", "# Note\n\nHeather flowers in August.");
  const tokens: string[] = [];
  for (const name of ["One", "Other"]) {
    tokens.push((await panel.create("/tokens", { name, rags: ["busy"] })).token);
  }
  const searches = new Turns({ atOnce: 1, waiting: 0 });
  const gate = Promise.withResolvers<void>();
  const app = createApp((bindings, context) => {
    const services = composeServices(bindings, context);
    const models: typeof services.models = {
      ...services.models,
      embedder: (...args) => {
        const embedder = services.models.embedder(...args);
        const doEmbed: typeof embedder.model.doEmbed = async (options) => {
          if (options.values.length > 1) await gate.promise;
          return await embedder.model.doEmbed(options);
        };
        return { ...embedder, model: { ...embedder.model, doEmbed } };
      },
    };
    return { ...services, models, turns: { ...services.turns, searches } };
  });
  const search = async (token: string | undefined, count: number) =>
    await app.fetch(
      new Request(`${ORIGIN}/api/rags/busy/retrieve`, {
        method: "POST",
        headers: { Authorization: `Bearer ${token}`, "X-Forwarded-For": "203.0.113.77" },
        body: JSON.stringify({
          semanticSearch: Array.from({ length: count }, (_, at) => `heather ${at}`),
          useAllFiles: true,
        }),
      }),
      env,
      createExecutionContext(),
    );
  const [firstToken, secondToken] = tokens;
  const first = search(firstToken, 10);
  const refusal = await eventually(async () => {
    const answer = await search(firstToken, 10);
    expect(answer.status).toBe(503);
    return answer;
  });
  expect(refusal.headers.get("Retry-After")).toBe("5");
  expect(await refusal.json()).toEqual({ error: "Too many calls of this caller are waiting" });
  // A question is no long search, and another caller has turns of its own.
  expect((await search(firstToken, 1)).status).toBe(200);
  const otherSearch = search(secondToken, 10);
  gate.resolve();
  expect((await otherSearch).status).toBe(200);
  expect((await first).status).toBe(200);
});
