import assert from "node:assert/strict";

import type { PanelApi } from "../../src/cli/api/clients.ts";
import { countsOf } from "../end-to-end/local-service.ts";
import { until } from "./tools.ts";

export const NOTES = {
  "leave.md": "# Leave\n\nEverybody has thirty days of leave a year.",
  "otters.md": "# Otters\n\nOtters live in alder woods and eat fish.",
};

/** Uploads notes to the source `docs`, into a folder. */
export async function pushNotes(
  api: PanelApi,
  folder = "",
  notes: Record<string, string> = NOTES,
): Promise<void> {
  for (const [name, text] of Object.entries(notes)) {
    const path = folder === "" ? name : `${folder}/${name}`;
    await api.PUT("/file-sources/{id}/files/{path}", {
      params: { path: { id: "docs", path } },
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- sent as it is
      body: text as never,
      bodySerializer: (body: unknown) => body as BodyInit,
      headers: { "Content-Type": "text/markdown" },
    });
  }
}

/** Pushes the notes, and returns once they are indexed. */
export async function indexNotes(api: PanelApi): Promise<void> {
  await pushNotes(api);
  await until(async () => {
    const { processedFiles, totalFiles } = await countsOf(api);
    assert.deepEqual([processedFiles, totalFiles], [2, 2]);
  });
}
