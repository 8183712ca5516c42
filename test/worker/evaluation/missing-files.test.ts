import { expect, test } from "vitest";

import { indexedWorld } from "./world.ts";

test("a run tells which files its questions name that are not in the index", async () => {
  const { world, rag, panel } = await indexedWorld(2);
  const { send } = panel;
  expect((await send("POST", "/question-sets", { name: "Moved", rag })).status).toBe(201);
  const ask = async (question: string, file: string) =>
    await send("POST", "/question-sets/moved/questions", { question, expected: [{ file }] });
  await ask("Where is the first?", "f0.md");
  const factsOfRun = async () => {
    const { body } = await send("POST", "/question-sets/moved/runs", {});
    await world.deliver();
    return (await send("GET", `/question-sets/moved/runs/${body.id}`)).body.facts;
  };
  expect(await factsOfRun()).not.toHaveProperty("missingFiles");
  await ask("Where is the second?", "moved/away.md");
  await ask("And the third?", "gone.md");
  expect(await factsOfRun()).toMatchObject({ missingFiles: "gone.md, moved/away.md" });
});
