import { notFound } from "../../../core/errors.ts";
import { readPageImage } from "../../../ingestion/images/page-image.ts";
import type { readExtractedText } from "../../../ingestion/indexing/extracted-texts.ts";
import { keepsOriginals } from "../../../ingestion/uploads/pushed-files.ts";
import { Markdown } from "../../components/markdown.tsx";
import type { PageContext } from "../page-env.ts";
import type { Slice } from "../../../db/page.ts";
import { Part } from "../request/list.tsx";
import { headersFor, originalHref, PAGE, shownAs } from "./original.tsx";
import type { ShownFile } from "./shown-source.ts";

/** Each opens the file again for its picture. */
export const PAGES_SHOWN = 10;

type Extracted = Awaited<ReturnType<typeof readExtractedText>>;
type RecognisedPage = { page: number; text: string };

/** Pages of a PDF that a model has read, where this service keeps the original. */
export function recognisedPages({ shown: view, file }: ShownFile, extracted: Extracted | null) {
  const isPdf = shownAs(file.name, file.mimeType)?.as === "pdf" && keepsOriginals(view.source);
  if (extracted === null || !isPdf) return [];
  const { recognised = [], pages: starts, markdown } = extracted.document;
  let next = 0;
  return recognised.map(({ start, end }): RecognisedPage => {
    while ((starts[next]?.start ?? Infinity) <= start) next++;
    return { page: starts[next - 1]?.page ?? 1, text: markdown.slice(start, end) };
  });
}

type PagesProps = Slice & { file: ShownFile; pages: RecognisedPage[] };

export const RecognisedPages = ({ file, pages, ...slice }: PagesProps) => (
  <>
    {pages.slice(slice.offset, slice.offset + slice.limit).map(({ page, text }) => (
      <section aria-label={`Page ${page}`}>
        <h2>Page {page}</h2>
        <div class="beside">
          <img
            class="frame"
            loading="lazy"
            src={`${originalHref(file, "page")}&page=${page}`}
            alt={`Page ${page} of ${file.file.name}`}
          />
          <Markdown text={text} />
        </div>
      </section>
    ))}
    <Part here={`${file.here}&view=pages`} {...slice} total={pages.length} unit="page" />
  </>
);

/** The picture that a page of a PDF is. @throws QuarryError `not-found` */
export async function imageOfPage(context: PageContext, { shown: sourceView, file }: ShownFile) {
  const page = context.req.query("page") ?? "";
  if (!PAGE.test(page)) throw notFound();
  const reference = { source: sourceView.source, path: file.path, page: Number(page) };
  const { signal } = context.req.raw;
  const { bytes, mediaType } = await readPageImage(context.get("services"), reference, signal);
  return context.body(bytes.slice(), 200, headersFor({ as: "image", type: mediaType }));
}
