import { Hono } from "hono";
import type { Child } from "hono/jsx";

import { findRag } from "../../../catalog/rags/find-rag.ts";
import { notFound, QuarryError } from "../../../core/errors.ts";
import { findFileDetail, type FileDetail } from "../../../db/files/file-detail.ts";
import { listPassages } from "../../../ingestion/indexing/list-passages.ts";
import { readExtractedText } from "../../../ingestion/indexing/read-extracted-text.ts";
import { retryFiles } from "../../../ingestion/indexing/retry-on-request.ts";
import { removePushedFile } from "../../../ingestion/uploads/remove-pushed-file.ts";
import { Data, Passage, safeHref, visible } from "../../components/data.tsx";
import { count, counted, size } from "../../components/figures.ts";
import { ActionButton } from "../../components/form.tsx";
import { Empty, Facts, PageHead, Tabs } from "../../components/page-head.tsx";
import { FileStatus } from "../../components/status.tsx";
import { Table } from "../../components/table.tsx";
import { TimeOr } from "../../components/time.tsx";
import type { PageContext, PageEnv } from "../page-env.ts";
import { page } from "../page.tsx";
import { auditAs, goTo } from "../request/action.ts";
import { formOf } from "../request/form.ts";
import { isAdmin } from "../request/guards.ts";
import { sourceOf, type ShownSource } from "./source.tsx";

/** Characters of the text on one page: some documents are books. */
const TEXT_SHOWN = 60_000;
const PASSAGES_SHOWN = 20;
const BUSY_SECONDS = 3;

type ShownFile = { shown: ShownSource; file: FileDetail; here: string };

/** The file that the address names. @throws QuarryError `not-found`. */
async function fileOf(context: PageContext, path: string): Promise<ShownFile> {
  const shown = await sourceOf(context);
  const file = await findFileDetail(context.get("services").db, shown.source.id, path);
  if (file === null) throw notFound();
  return { shown, file, here: `${shown.path}/file?path=${encodeURIComponent(path)}` };
}

/** One file: what was read from it, how it was cut, and where it is. */
export function filePages(): Hono<PageEnv> {
  const app = new Hono<PageEnv>();

  app.get("/:id/file", async (context) => {
    const of = await fileOf(context, context.req.query("path") ?? "");
    const rag = context.req.query("rag");
    const tab =
      rag === undefined ? await textTab(context, of) : await passagesTab(context, of, rag);
    return await filePage(context, of, rag, tab);
  });

  app.post("/:id/file/retry", async (context) => {
    const form = await formOf(context);
    const { file, here } = await fileOf(context, form.exact("path"));
    const services = context.get("services");
    for (const { ragIdentifier } of file.rags.filter(({ status }) => status === "error")) {
      auditAs(context, "rags.retry", ragIdentifier);
      const rag = await findRag(services, { key: ragIdentifier });
      await retryFiles(services, { ragId: rag.id, path: file.path });
    }
    return goTo(context, here, { notice: "It is tried again now." });
  });

  app.post("/:id/file/remove", async (context) => {
    const form = await formOf(context);
    const { shown, file } = await fileOf(context, form.exact("path"));
    auditAs(context, "file-sources.files.remove", shown.source.id);
    if (shown.source.provider !== "file_system") throw notFound();
    const source = { id: shown.source.id };
    await removePushedFile(context.get("services"), { source, path: file.path });
    return goTo(context, shown.path, {
      notice: "The file is removed; no search finds it any more.",
    });
  });
  return app;
}

async function filePage(
  context: PageContext,
  { shown, file, here }: ShownFile,
  rag: string | undefined,
  tab: Child,
): Promise<Response> {
  const isBusy = file.rags.some(({ status }) => status === "pending" || status === "processing");
  const content = (
    <>
      <PageHead
        title={file.path}
        data
        trail={[
          { name: "Sources", href: "/panel/sources" },
          { name: shown.source.name, href: shown.path },
        ]}
      >
        {isAdmin(context) ? <Actions of={{ shown, file, here }} /> : null}
      </PageHead>
      <div id="file-state" data-live>
        <FileFacts file={file} now={context.get("services").now()} />
      </div>
      <Tabs
        label="Of this file"
        here={rag === undefined ? here : `${here}&rag=${rag}`}
        tabs={[
          { name: "Text as it was read", href: here },
          ...file.rags.map(({ ragIdentifier, ragName }) => ({
            name: `Passages in ${ragName}`,
            href: `${here}&rag=${ragIdentifier}`,
          })),
        ]}
      />
      {tab}
    </>
  );
  const refreshSeconds = isBusy ? BUSY_SECONDS : null;
  return await page(context, { title: file.path, place: "sources", refreshSeconds }, content);
}

const Actions = ({ of: { shown, file } }: { of: ShownFile }) => (
  <>
    {file.rags.some(({ status }) => status === "error") ? (
      <ActionButton
        action={`${shown.path}/file/retry`}
        label="Try again"
        values={{ path: file.path }}
        kind="primary"
      />
    ) : null}
    {shown.source.provider === "file_system" && file.deletedAt === null ? (
      <ActionButton
        action={`${shown.path}/file/remove`}
        label="Remove"
        values={{ path: file.path }}
        kind="danger"
      />
    ) : null}
  </>
);

const FileFacts = ({ file, now }: { file: FileDetail; now: number }) => {
  const href = safeHref(file.url);
  const notes = [...new Set(file.rags.flatMap((rag) => rag.notes))];
  return (
    <>
      <Facts
        facts={[
          ["Size", size(file.size)],
          ["Type", <Data>{file.mimeType}</Data>],
          ...(href === null
            ? []
            : ([
                [
                  "Address",
                  <a href={href} rel="noreferrer">
                    <Data>{href}</Data>
                  </a>,
                ],
              ] as const)),
          ["Known since", <TimeOr at={file.createdAt} now={now} none="–" />],
        ]}
      />
      <h2>In RAGs</h2>
      <Table
        label="RAGs"
        rows={file.rags}
        empty={
          <Empty title="It is in no RAG.">
            <p>No RAG reads this source, or the file lies outside the scopes of those that do.</p>
          </Empty>
        }
        columns={[
          {
            head: "RAG",
            cell: (rag) => (
              <>
                <a href={`/panel/rags/${rag.ragIdentifier}`}>
                  <Data>{rag.ragName}</Data>
                </a>
                {rag.errorMessage === null ? null : (
                  <div class="problem">
                    <Data>{rag.errorMessage}</Data>
                  </div>
                )}
              </>
            ),
          },
          { head: "Status", cell: ({ status }) => <FileStatus status={status} /> },
          { head: "Passages", numeric: true, cell: ({ chunkCount }) => count(chunkCount) },
          {
            head: "Indexed",
            wide: true,
            cell: ({ indexedAt }) => <TimeOr at={indexedAt} now={now} none="–" />,
          },
        ]}
      />
      {notes.length === 0 ? null : (
        <>
          <h2>Left out or repaired</h2>
          <ul>
            {notes.map((note) => (
              <li>
                <Data>{note}</Data>
              </li>
            ))}
          </ul>
        </>
      )}
      <h2>Content</h2>
    </>
  );
};

async function textTab(context: PageContext, { shown, file, here }: ShownFile): Promise<Child> {
  const source = { id: shown.source.id, provider: shown.source.provider };
  const read = await readOrNull(
    readExtractedText(context.get("services"), { source, path: file.path }),
  );
  if (read === null) {
    return (
      <Empty title="It has not been read yet.">
        <p>A file is read when the first RAG indexes it; why it was not is said above.</p>
      </Empty>
    );
  }
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

async function passagesTab(
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
            <Passage text={text} />
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
    <nav class="pager" aria-label="Parts">
      {from === 0 ? null : <a href={`${here}&from=${Math.max(0, from - step)}`}>Previous</a>}
      <span class="faint">{`${count(from + 1)} to ${count(to)} of ${counted(total, unit)}`}</span>
      {to >= total ? null : <a href={`${here}&from=${to}`}>Next</a>}
    </nav>
  );
