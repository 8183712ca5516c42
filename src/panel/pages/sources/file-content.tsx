import type { Child } from "hono/jsx";

import { findRag } from "../../../catalog/rags/find-rag.ts";
import { QuarryError } from "../../../core/errors.ts";
import type { FileDetail } from "../../../db/files/file-store.ts";
import { listPassages } from "../../../ingestion/indexing/preview-chunks.ts";
import { readExtractedText } from "../../../ingestion/indexing/extracted-texts.ts";
import { Data, visible } from "../../components/data.tsx";
import { Markdown } from "../../components/markdown.tsx";
import { count, counted } from "../../components/figures.ts";
import { Empty } from "../../components/page-head.tsx";
import { Pager } from "../../components/pager.tsx";
import type { PageContext } from "../page-env.ts";
import type { ShownSource } from "./shown-source.ts";

/** Characters of the text on one page: some documents are books. */
const TEXT_SHOWN = 60_000;
const PASSAGES_SHOWN = 20;

/** `here`: the address of the file's page. */
export type ShownFile = { shown: ShownSource; file: FileDetail; here: string };

/** What was read from the file, a part at a time. */
export async function textTab(
  context: PageContext,
  { shown, file, here }: ShownFile,
): Promise<Child> {
  const source = { id: shown.source.id, provider: shown.source.provider };
  const read = await readOrNull(
    readExtractedText(context.get("services"), { source, path: file.path }),
  );
  if (read === null) return <NoText isDeleted={file.deletedAt !== null} />;
  const from = offsetIn(context);
  const to = Math.min(read.text.length, from + TEXT_SHOWN);
  return (
    <>
      <pre class="wrap tall data" dir="auto" tabindex={0} role="region" aria-label="Text">
        {visible(read.text.slice(from, to))}
      </pre>
      <Part
        here={here}
        from={from}
        to={to}
        total={read.text.length}
        step={TEXT_SHOWN}
        unit="character"
      />
    </>
  );
}

const NoText = ({ isDeleted }: { isDeleted: boolean }) =>
  isDeleted ? (
    <Empty title="The file was deleted.">
      <p>
        Its text and bytes are deleted as well, and no search finds it. It stays listed a while.
      </p>
    </Empty>
  ) : (
    <Empty title="There is no text of it.">
      <p>
        A file is read when the first RAG indexes it. Where that failed, the reason stands above.
      </p>
    </Empty>
  );

/** The passages of a RAG, as they were cut. */
export async function passagesTab(
  context: PageContext,
  { file, here }: ShownFile,
  key: string,
): Promise<Child> {
  const services = context.get("services");
  const rag = await findRag(services, { key });
  const offset = offsetIn(context);
  const page = { offset, limit: PASSAGES_SHOWN };
  const { data, total } = await listPassages(services, { rag, path: file.path, ...page });
  if (total === 0) return <Empty title="There are no passages of it in this RAG yet." />;
  const to = Math.min(total, offset + PASSAGES_SHOWN);
  return (
    <>
      <ol class="passages" start={offset + 1}>
        {data.map(({ text, headings, page, isDuplicate }) => (
          <li>
            <p class="faint">
              {headings.length === 0 ? null : <Data>{headings.join(" › ")}</Data>}
              {page === null ? "" : ` · page ${page}`}
              {isDuplicate ? " · equal to another passage, which stands for it" : ""}
            </p>
            <Markdown text={text} />
          </li>
        ))}
      </ol>
      <Part
        here={`${here}&rag=${encodeURIComponent(key)}`}
        from={offset}
        to={to}
        total={total}
        step={PASSAGES_SHOWN}
        unit="passage"
      />
    </>
  );
}

/** Null where nothing was read yet. */
async function readOrNull<Read>(reading: Promise<Read>): Promise<Read | null> {
  try {
    return await reading;
  } catch (thrown) {
    if (thrown instanceof QuarryError && thrown.kind === "not-found") return null;
    throw thrown;
  }
}

const OFFSET_MAX = 1_000_000_000;

function offsetIn({ req }: PageContext): number {
  const offset = Number(req.query("from") ?? 0);
  return Number.isInteger(offset) && offset >= 0 && offset <= OFFSET_MAX ? offset : 0;
}

type PartProps = {
  here: string;
  from: number;
  to: number;
  total: number;
  step: number;
  unit: string;
};

/** Which part of something long is shown, and the way to the others. */
const Part = ({ here, from, to, total, step, unit }: PartProps) =>
  from === 0 && to === total ? (
    <p class="faint">{counted(total, unit)}</p>
  ) : (
    <Pager
      label="Parts"
      previous={from === 0 ? null : `${here}&from=${Math.max(0, from - step)}`}
      next={to >= total ? null : `${here}&from=${to}`}
    >
      <span class="faint">{`${count(from + 1)} to ${count(to)} of ${counted(total, unit)}`}</span>
    </Pager>
  );
