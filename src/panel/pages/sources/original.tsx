import { requireFound, notFound } from "../../../core/errors.ts";
import { yieldNow, runCooperatively } from "../../../core/work/cooperative.ts";
import type { Slice } from "../../../db/page.ts";
import { decodeText } from "../../../documents/decoding/decode-text.ts";
import { mediaTypeByName, UNKNOWN_MEDIA_TYPE } from "../../../documents/media-type/media-types.ts";
import { readPageImage } from "../../../ingestion/images/page-image.ts";
import type { readExtractedText } from "../../../ingestion/indexing/extracted-texts.ts";
import { keepsOriginals, readOriginal } from "../../../ingestion/uploads/pushed-files.ts";
import { safeHref } from "../../components/data.tsx";
import { Markdown } from "../../components/markdown.tsx";
import { Empty } from "../../components/page-head.tsx";
import type { PageContext } from "../page-env.ts";
import { Part } from "../request/list.tsx";
import type { ShownFile } from "./shown-source.ts";

type ViewKind = "pdf" | "image" | "html" | "text";

const IMAGE = /^image\/(png|jpeg|gif|webp|avif|bmp|svg\+xml)$/;
const TEXT = /^text\/|[/+](json|xml|yaml|x-yaml|javascript|toml)$/;
/** A longer text is sent as it is: its encoding is not looked for. */
const DECODED_BYTES = 5 * 1_024 * 1_024;

/** How a browser may show a file; null: it can only be downloaded. */
function displayOf(name: string, mimeType: string): { as: ViewKind; type: string } | null {
  const given = mimeType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  const type = given === UNKNOWN_MEDIA_TYPE ? mediaTypeByName(name) : given;
  if (type === "application/pdf") return { as: "pdf", type };
  if (IMAGE.test(type)) return { as: "image", type };
  if (type === "text/html" || type === "application/xhtml+xml")
    return { as: "html", type: "text/html" };
  return TEXT.test(type) ? { as: "text", type: "text/plain; charset=utf-8" } : null;
}

/**
 * Nothing in a document runs, loads anything, or is of our origin. Browsers show PDFs in a viewer
 * of their own, which they do not load in a sandbox.
 */
const FRAMED = "default-src 'none'; frame-ancestors 'self'; form-action 'none'; base-uri 'none'";
const DRAWN = `${FRAMED}; style-src 'unsafe-inline'; img-src data:; font-src data:; sandbox`;
const POLICIES: Record<ViewKind, string> = {
  pdf: `${FRAMED}; style-src 'unsafe-inline'; object-src 'self'`,
  image: DRAWN,
  html: DRAWN,
  text: DRAWN,
};

/** The bytes of a pushed file: to be framed by its page, or downloaded. @throws `not-found` */
export async function originalOf(context: PageContext, { shown: sourceView, file }: ShownFile) {
  const reference = { source: sourceView.source, path: file.path };
  const original = await readOriginal(context.get("services"), reference);
  const { name, mimeType, size, object } = requireFound(original);
  const view = context.req.query("download") === undefined ? displayOf(name, mimeType) : null;
  const disposition = `filename*=UTF-8''${encodeURIComponent(name).replaceAll(/['()*]/g, escape)}`;
  if (view === null) {
    return context.body(object.body, 200, {
      "Content-Type": UNKNOWN_MEDIA_TYPE,
      "Content-Disposition": `attachment; ${disposition}`,
    });
  }
  const isDecoded = view.as === "text" && size <= DECODED_BYTES;
  const body = isDecoded
    ? await decodeOrKeep(new Uint8Array(await object.arrayBuffer()))
    : object.body;
  return context.body(body, 200, {
    ...headersFor(view),
    "Content-Disposition": `inline; ${disposition}`,
  });
}

const headersFor = ({ as, type }: { as: ViewKind; type: string }) => ({
  "Content-Type": type,
  "Content-Security-Policy": POLICIES[as],
  "Cross-Origin-Resource-Policy": "same-origin",
  "X-Frame-Options": "SAMEORIGIN",
});

async function decodeOrKeep(bytes: Uint8Array<ArrayBuffer>) {
  try {
    return (await runCooperatively(decodeText(bytes, null), yieldNow)).text;
  } catch {
    return bytes;
  }
}

/** The name that links of the page open it under. */
export const ORIGINAL_FRAME = "original";

export const originalHref = ({ shown: sourceView, file }: ShownFile, part = "original") =>
  `${sourceView.path}/file/${part}?path=${encodeURIComponent(file.path)}`;

/** A short text needs no frame of the window's height. */
const frameOf = (as: ViewKind, bytes: number) =>
  as === "text" && bytes < 1_000 ? "frame short" : "frame";
const PAGE = /^[1-9]\d{0,5}$/;

/** The file as it was sent, or the way to it. `page`: of a PDF, to be opened at. */
export const Original = ({ of, page = "" }: { of: ShownFile; page: string | undefined }) => {
  const { shown: sourceView, file } = of;
  const source = safeHref(file.url);
  const href = originalHref(of);
  if (file.deletedAt !== null) return <Empty title="The original was deleted." />;
  if (!keepsOriginals(sourceView.source)) {
    return (
      <Empty title="The original stays at its source.">
        This service keeps the text that was read from it.{" "}
        {source === null ? null : (
          <a href={source} rel="noreferrer" target="_blank">
            Open the original
          </a>
        )}
      </Empty>
    );
  }
  if (file.size === 0) return <Empty title="The file is empty." />;
  const view = displayOf(file.name, file.mimeType);
  return (
    <>
      <p class="original-links faint">
        {view === null ? null : (
          <a href={href} target="_blank">
            Open in a new tab
          </a>
        )}
        <a href={`${href}&download`}>Download</a>
      </p>
      {view === null ? (
        <Empty title="Browsers do not show files of this type." />
      ) : view.as === "image" ? (
        <img class="frame" src={href} alt={`Original of ${file.name}`} />
      ) : (
        <iframe
          class={frameOf(view.as, file.size)}
          name={ORIGINAL_FRAME}
          title={`Original of ${file.name}`}
          src={view.as === "pdf" && PAGE.test(page) ? `${href}#page=${page}` : href}
          sandbox={view.as === "pdf" ? undefined : ""}
        ></iframe>
      )}
    </>
  );
};

/** Each opens the file again for its picture. */
export const PAGES_SHOWN = 10;

type ExtractedText = Awaited<ReturnType<typeof readExtractedText>>;
type RecognisedPage = { page: number; text: string };

/** Pages of a PDF that a model has read, where this service keeps the original. */
export function recognisedPages({ shown: view, file }: ShownFile, extracted: ExtractedText | null) {
  const isPdf = displayOf(file.name, file.mimeType)?.as === "pdf" && keepsOriginals(view.source);
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
