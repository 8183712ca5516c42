import { beforeAll } from "vitest";

import { difyTests } from "./dify-tests.ts";
import { mcpTests } from "./mcp-tests.ts";
import { openAiTests } from "./openai-tests.ts";
import { vectorStoreTests } from "./vector-store-tests.ts";
import { setUpDoors } from "./world.ts";
import type { DoorsWorld } from "./world.ts";

/** One world for the tests of all doors: making it takes longer than most of them. */
let world: DoorsWorld;

beforeAll(async () => {
  world = await setUpDoors();
});

openAiTests(() => world);
vectorStoreTests(() => world);
mcpTests(() => world);
difyTests(() => world);
