import { afterAll } from "vitest";

// Whatever a batch may be the first to need: an event that waits for a module that another event
// imports waits for good if that one ends before.
import "../../src/jobs/consume.ts";
import "../../src/documents/extract-document.ts";
import "../../src/documents/formats/text/extract-plain-text.ts";
import "../../src/documents/formats/markdown/extract-markdown.ts";
import "../../src/documents/formats/html/extract-html.ts";
import "../../src/evaluation/runs/work-on-run.ts";
import "../../src/ingestion/maintenance/sweep.ts";
import { batches } from "./queue-batches.ts";
import { eventually } from "./eventually.ts";

// A source that is added is among them.
import.meta.glob("../../src/sources/*/*-reader.ts", { eager: true });

/**
 * A Worker that is stopped in the middle of a batch of messages keeps the run from ending, and the
 * next file begins with empty stores. So each file ends when no batch is under way, and what is
 * delivered after that is not begun before the next file.
 */
batches.taken = true;
batches.underWay.clear();

afterAll(async () => {
  batches.taken = false;
  await eventually(() => {
    const queues = [...batches.underWay].map(({ queue }) => queue);
    if (queues.length > 0) throw new Error(`batches of ${queues.join(", ")} are under way`);
  });
});
