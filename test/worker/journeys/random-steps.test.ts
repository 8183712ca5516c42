import { afterAll, beforeAll, expect, test } from "vitest";

import { Dice } from "../../support/dice.ts";
import { eventually } from "../../support/eventually.ts";
import { queuesSettled } from "../../support/queues-settled.ts";
import { signedIn, withToken } from "../../support/worker-client.ts";

/** Lanes run side by side over files of their own, so that 120 steps wait for few batches. */
const LANES = 10;
const STEPS_PER_LANE = 12;
const PATHS_PER_LANE = 4;

let panel: Awaited<ReturnType<typeof signedIn>>;
let api: ReturnType<typeof withToken>;

beforeAll(async () => {
  panel = await signedIn();
  await panel.folderWithRag("Notes");
  const token = await panel.send("POST", "/tokens", {
    name: "Reader",
    agents: [],
    inferences: [],
    rags: ["notes"],
  });
  expect(token.status).toBe(201);
  api = withToken((token.body as { token: string }).token);
});

afterAll(queuesSettled);

async function untilIndexed(path: string) {
  await eventually(async () => {
    const folder = path.slice(0, path.indexOf("/") + 1);
    const files = await api.get(`/rags/notes/files?path=${encodeURIComponent(folder)}`);
    const states = (files.body as { filePath: string; status: string }[])
      .filter(({ filePath }) => filePath === path)
      .map(({ status }) => status);
    expect(states).toEqual(["indexed"]);
  });
}

/** The texts that a search restricted to the lane's own folder shows, by path. */
async function contentsIn(folder: string): Promise<Record<string, string>> {
  const reply = await api.post("/rags/notes/retrieve", {
    semanticSearch: ["which secret word is kept in this note"],
    topK: 100,
    // Two notes may say the same by chance.
    includeDuplicates: true,
    useAllFiles: false,
    selectedFolders: [folder],
    includeSources: true,
  });
  expect(reply.status).toBe(200);
  const { chunks } = reply.body as {
    chunks: { text: string; source: { filePath: string } }[];
  };
  return Object.fromEntries(chunks.map(({ text, source }) => [source.filePath, text]));
}

async function walkLane(lane: number) {
  const dice = new Dice(new Dice(lane + 1).roll(2 ** 32));
  const folder = `lane-${lane}`;
  const model: Record<string, string> = {};
  for (let step = 0; step < STEPS_PER_LANE; step++) {
    const path = `${folder}/note-${dice.roll(PATHS_PER_LANE)}.md`;
    const file = `/file-sources/notes/files/${path}`;
    const remove = path in model && dice.roll(3) === 0;
    if (remove) {
      expect((await panel.send("DELETE", file)).status).toBe(204);
      delete model[path];
    } else {
      const text = `The secret word of this note is word${lane}x${dice.roll(STEPS_PER_LANE)}.`;
      const response = await panel.put(file, text);
      expect(response.body).toMatchObject({ changed: model[path] !== text });
      model[path] = text;
      await untilIndexed(path);
    }
    expect(await contentsIn(folder)).toEqual(model);
  }
}

test("120 random steps of push, change and removal show exactly what should be there", async () => {
  await Promise.all(Array.from({ length: LANES }, (_, lane) => walkLane(lane)));
});
