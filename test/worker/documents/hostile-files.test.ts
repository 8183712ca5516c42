import { beforeAll, expect, it } from "vitest";

import type { FileSourceId, RagId } from "../../../src/core/ids.ts";
import { putFile } from "../../../src/ingestion/uploads/put-file.ts";
import { HOSTILE_FILES } from "../../support/hostile-files.ts";
import { World } from "../../support/ingestion-world.ts";

let world: World;
let source: FileSourceId;
let rag: RagId;

beforeAll(async () => {
  world = new World();
  source = await world.addSource();
  rag = await world.addRag(source);
});

async function push(path: string, bytes: Uint8Array): Promise<void> {
  const body = bytes.slice().buffer;
  const rest = { contentLength: null, mimeType: "application/octet-stream", metadata: null };
  await putFile(world.services, { source: { id: source }, path, body, ...rest });
}

it.each(HOSTILE_FILES)(
  "%s ends as it should, and the healthy file behind it is indexed",
  async (name, bytes, end) => {
    const behind = `behind-${name}.txt`;
    await push(name, bytes);
    await push(behind, new TextEncoder().encode(`A note behind ${name}.`));
    await world.deliver();

    const rows = new Map((await world.rows(rag)).map((row) => [row.path, row]));
    const passages = await world.texts(rag);
    const { status, error } = rows.get(name) ?? {};
    if ("error" in end) expect({ status, error }).toEqual({ status: "error", error: end.error });
    else {
      expect(status).toBe("indexed");
      expect(passages[name]?.join("\n")).toContain(end.text);
    }
    expect(rows.get(behind)?.status).toBe("indexed");
    expect(passages[behind]).toEqual([`A note behind ${name}.`]);
  },
);
