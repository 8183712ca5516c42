import { requireFound, notFound } from "../../core/errors.ts";
import { MINUTE_MS } from "../../core/time.ts";
import { yieldNow } from "../../core/work/cooperative.ts";
import { Turns } from "../../core/work/turns.ts";
import { UnreadableDocument } from "../../documents/extracted-document.ts";
import { UnusablePicture, type Picture } from "../../documents/pictures/picture.ts";
import type { Services } from "../../services.ts";
import { readOriginal } from "../uploads/pushed-files.ts";

/** A file and a decoded page take much of an isolate's memory, and seconds; ten are shown at once. */
const turns = new Turns({ atOnce: 1, waiting: 20 });

/** The picture of a pushed PDF's page, as a model gets it. @throws QuarryError `not-found`, `busy` */
export async function readPageImage(
  services: Services,
  { page, ...file }: Parameters<typeof readOriginal>[1] & { page: number },
  signal: AbortSignal,
): Promise<Picture> {
  const end = await turns.begin("", signal);
  try {
    const { object, size } = requireFound(await readOriginal(services, file));
    await services.takeTurn(size);
    const bytes = new Uint8Array(await object.arrayBuffer());
    const { pageOfPdf } = await import("../../documents/formats/pdf/extract-pdf.ts");
    const until = services.now() + MINUTE_MS;
    return requireFound(
      await pageOfPdf(bytes, page, async () => {
        await yieldNow();
        signal.throwIfAborted();
        if (services.now() > until) throw notFound();
      }),
    );
  } catch (thrown) {
    const hasNone = thrown instanceof UnusablePicture || thrown instanceof UnreadableDocument;
    throw hasNone ? notFound() : thrown;
  } finally {
    end();
  }
}
