import type { Child } from "hono/jsx";

import { findRag } from "../../../catalog/rags/find-rag.ts";
import { isNotFound } from "../../../core/errors.ts";
import { readExtractedText } from "../../../ingestion/indexing/extracted-texts.ts";
import { listPassages } from "../../../ingestion/indexing/preview-chunks.ts";
import { keepsOriginals } from "../../../ingestion/uploads/pushed-files.ts";
import type { Passage } from "../../../ports/rag-index.ts";
import { Data, showHidden, ForAdmins, ActionButton } from "../../components/data.tsx";
import { count } from "../../components/figures.ts";
import { Markdown } from "../../components/markdown.tsx";
import { Empty, Tabs } from "../../components/page-head.tsx";
import { type PageContext } from "../page-env.ts";
import { sliceIn, Part } from "../request/list.tsx";
import { Original, ORIGINAL_FRAME, originalHref } from "./original.tsx";
import { PAGES_SHOWN, RecognisedPages, recognisedPages } from "./original.tsx";
import type { ShownFile } from "./shown-source.ts";

/** Characters of the text on one page: some documents are books. */
const TEXT_SHOWN = 60_000;
const PASSAGES_SHOWN = 40;

type ExtractedText = Awaited<ReturnType<typeof readExtractedText>> | null;

/** The original next to what was read from it; recognised pages next to their pictures. */
export async function fileContent(context: PageContext, of: ShownFile): Promise<Child> {
  const { file, here } = of;
  const cut = file.rags.filter(({ chunkCount }) => chunkCount > 0);
  const rag = context.req.query("rag") ?? cut[0]?.ragIdentifier;
  const view = context.req.query("view");
  const extracted = await findExtractedText(context, of);
  const pages = recognisedPages(of, extracted);
  const arePages = view === "pages" && pages.length > 0;
  const isText = view === "text" || rag === undefined;
  const tabs = (
    <Tabs
      label="What was read"
      address={here}
      names={Object.fromEntries([
        ...cut.map(({ ragIdentifier, ragName }) => [
          `&rag=${ragIdentifier}`,
          `Passages in ${ragName}`,
        ]),
        ["&view=text", "Extracted text"],
        ...(pages.length > 0 ? [["&view=pages", "Pages read from images"]] : []),
      ])}
      here={arePages ? "&view=pages" : isText ? "&view=text" : `&rag=${rag}`}
    />
  );
  if (arePages) {
    return (
      <section aria-label="What was read">
        {tabs}
        <RecognisedPages file={of} pages={pages} {...sliceIn(context, PAGES_SHOWN)} />
      </section>
    );
  }
  return (
    <div class="beside">
      <section class="original" aria-label="Original">
        <Original of={of} page={context.req.query("page")} />
      </section>
      <section aria-label="What was read">
        {tabs}
        {isText ? textTab(context, of, extracted) : await passagesTab(context, of, rag, extracted)}
      </section>
    </div>
  );
}

function textTab(context: PageContext, { file, here }: ShownFile, extracted: ExtractedText): Child {
  if (extracted === null) return <NoText isDeleted={file.deletedAt !== null} />;
  const { text } = extracted;
  const slice = sliceIn(context, TEXT_SHOWN);
  return (
    <>
      <pre class="wrap tall data" dir="auto" tabindex={0} role="region" aria-label="Text">
        {showHidden(text.slice(slice.offset, slice.offset + TEXT_SHOWN))}
      </pre>
      <Part here={`${here}&view=text`} {...slice} total={text.length} unit="character" />
    </>
  );
}

/** Null where nothing was read yet. */
async function findExtractedText(context: PageContext, { shown: view, file }: ShownFile) {
  const { id, provider } = view.source;
  const reference = { source: { id, provider }, path: file.path };
  try {
    return await readExtractedText(context.get("services"), reference);
  } catch (thrown) {
    if (isNotFound(thrown)) return null;
    throw thrown;
  }
}

const NoText = ({ isDeleted }: { isDeleted: boolean }) =>
  isDeleted ? (
    <Empty title="The file was deleted.">
      Its text and bytes are deleted, too, and no search finds it. It stays listed for a while.
    </Empty>
  ) : (
    <Empty title="No text was extracted.">A file is read when a RAG indexes it.</Empty>
  );

async function passagesTab(
  context: PageContext,
  view: ShownFile,
  key: string,
  extracted: ExtractedText,
): Promise<Child> {
  const { file, here: address } = view;
  const services = context.get("services");
  const rag = await findRag(services, { key });
  const slice = sliceIn(context, PASSAGES_SHOWN);
  const { offset } = slice;
  const { data, total } = await listPassages(services, { rag, path: file.path, ...slice });
  if (total === 0) return <Empty title="This RAG has no passages of the file yet." />;
  // While a newer version is read, places are those of the earlier text.
  const { status } = file.rags.find(({ ragIdentifier }) => ragIdentifier === rag.identifier) ?? {};
  const text = status === "indexed" && extracted !== null ? extracted.text : null;
  const isLast = offset + data.length >= total;
  return (
    <>
      <ol class="passages">
        {cutsOf(data, text, { isFirst: offset === 0, isLast }).map(({ passage, between, own }) => (
          <>
            {between === "" ? null : (
              <li class="between">
                <Markdown text={between} />
              </li>
            )}
            {passage === null ? null : <Cut of={view} passage={passage} own={own} back={key} />}
          </>
        ))}
      </ol>
      <Part
        here={`${address}&rag=${encodeURIComponent(key)}`}
        {...slice}
        total={total}
        unit="passage"
      />
    </>
  );
}

type Cut = { passage: Passage | null; between: string; own: string };

/** Passages in order of the text, what lies between them, and what each adds to the one before. */
function cutsOf(
  passages: Passage[],
  text: string | null,
  { isFirst, isLast }: { isFirst: boolean; isLast: boolean },
): Cut[] {
  if (text === null) {
    return passages.map((passage) => ({ passage, between: "", own: passage.text }));
  }
  let at = isFirst ? 0 : (passages[0]?.start ?? 0);
  const cuts: Cut[] = passages.map((passage) => {
    const between = text.slice(at, Math.max(at, passage.start)).trim();
    const own = text.slice(Math.max(at, passage.start), passage.end);
    at = Math.max(at, passage.end);
    return { passage, between, own };
  });
  const rest = isLast ? text.slice(at).trim() : "";
  return rest === "" ? cuts : [...cuts, { passage: null, between: rest, own: "" }];
}

const EXCERPT_LENGTH = 120;

type CutProps = { of: ShownFile; passage: Passage; own: string; back: string };

const Cut = ({ of, passage, own, back }: CutProps) => {
  const { headings, page, position, isDuplicate, isExcluded, text, duplicateKey } = passage;
  // The original shows the picture at this page.
  const origin = passage.recognised === true ? <span>read from its picture</span> : null;
  return (
    <li id={`passage-${position + 1}`} class={isExcluded ? "cut excluded" : "cut"}>
      <div class="faint">
        <strong>{count(position + 1)}</strong>
        {headings.length === 0 ? null : <Data>{headings.join(" › ")}</Data>}
        {page === null ? null : <PageLink of={of} page={page} />}
        {origin}
        {isExcluded ? <span>left out of search</span> : null}
        {isDuplicate && !isExcluded ? <span>a duplicate is found instead</span> : null}
        <ForAdmins>
          <ActionButton
            action={`${of.shown.path}/file/search`}
            label={isExcluded ? "Include in search" : "Leave out of search"}
            kind="link"
            values={{
              path: of.file.path,
              textHash: duplicateKey,
              excerpt: text.slice(0, EXCERPT_LENGTH),
              excluded: isExcluded ? "" : "on",
              back,
            }}
          />
        </ForAdmins>
      </div>
      <Markdown text={own} />
    </li>
  );
};

/** Opens the original at the page, where this service keeps it. */
const PageLink = ({ of, page }: { of: ShownFile; page: number }) =>
  keepsOriginals(of.shown.source) ? (
    <a href={`${originalHref(of)}#page=${page}`} target={ORIGINAL_FRAME}>
      page {page}
    </a>
  ) : (
    <span>page {page}</span>
  );
