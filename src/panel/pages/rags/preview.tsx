import type { z } from "zod";

import { QuarryError } from "../../../core/errors.ts";
import { readFileSlices } from "../../../db/files/public-files.ts";
import type { RagRecord } from "../../../db/records.ts";
import { parseOrRefuse } from "../../../http/validation.ts";
import { listPassages, previewChunks } from "../../../ingestion/indexing/preview-chunks.ts";
import { previewWish, type ChunkPreview } from "../../../ingestion/indexing/preview-chunks.ts";
import { Data } from "../../components/data.tsx";
import { count, countText } from "../../components/figures.ts";
import { TextField, formFrom, freshForm, type FormState } from "../../components/form.tsx";
import { Markdown } from "../../components/markdown.tsx";
import { Warning } from "../../components/notice.tsx";
import { Empty } from "../../components/page-head.tsx";
import { numberOf } from "../../components/setting-fields.tsx";
import type { PageContext } from "../page.tsx";
import { attempt } from "../request/form.ts";
import { ragAddress, ragTab } from "./rag-tab.tsx";

const FIELDS = ["path", "chunkSize", "chunkOverlap"];
const PASSAGES_SHOWN = 50;
const FILES_OFFERED = 50;

/** The tokens of passages in the index are not counted. */
type Cut = Omit<ChunkPreview["chunks"][number], "tokens"> & { tokens: number | null };

export async function previewPage(context: PageContext, rag: RagRecord): Promise<Response> {
  const form = formFrom(new URL(context.req.url).searchParams);
  const filter = { status: "indexed", path: null } as const;
  const slice = { ragId: rag.id, generation: rag.generation, offset: 0, limit: FILES_OFFERED };
  const [files = []] = await readFileSlices(context.get("services").reads, [{ ...slice, filter }]);
  const path = form.text("path") || (files[0]?.path ?? "");
  const size = form.text("chunkSize") || String(rag.chunkSize);
  const overlap = form.text("chunkOverlap") || String(rag.chunkOverlap);
  const attempted = await attempt(form, FIELDS, async () => {
    const values = { path, chunkSize: numberOf(size), chunkOverlap: numberOf(overlap) };
    return path === "" ? null : await compareCuts(context, rag, parseOrRefuse(previewWish, values));
  });
  const state = attempted.done
    ? freshForm({ path, chunkSize: size, chunkOverlap: overlap })
    : attempted.state;
  return await ragTab(
    context,
    { rag, here: "/preview", window: `Preview of ${rag.name}`, status: state.status },
    <>
      <PreviewForm rag={rag} state={state} files={files.map((file) => file.path)} />
      {attempted.done ? <Result rag={rag} found={attempted.result} /> : null}
    </>,
  );
}

type Both = { now: { cuts: Cut[]; total: number }; preview: ChunkPreview } | "not read" | null;

type Wish = z.output<typeof previewWish>;

async function compareCuts({ get }: PageContext, rag: RagRecord, wish: Wish): Promise<Both> {
  const services = get("services");
  try {
    const [live, preview] = await Promise.all([
      listPassages(services, { rag, path: wish.path, offset: 0, limit: PASSAGES_SHOWN }),
      previewChunks(services, { rag, ...wish }),
    ]);
    const cuts = live.data.map((passage) => ({ ...passage, tokens: null }));
    return { now: { cuts, total: live.total }, preview };
  } catch (thrown) {
    if (thrown instanceof QuarryError && thrown.kind === "not-found") return "not read";
    throw thrown;
  }
}

const PreviewForm = (props: { rag: RagRecord; state: FormState; files: string[] }) => {
  const { rag, state, files } = props;
  return (
    <form method="get" action={`${ragAddress(rag.identifier)}/preview`}>
      {state.status === 200 ? null : (
        <Warning text={state.message ?? "No preview: see the marked fields."} />
      )}
      <div class="option-grid">
        <TextField state={state} name="path" label="File" list="preview-files" />
        <datalist id="preview-files">
          {files.map((path) => (
            <option value={path}></option>
          ))}
        </datalist>
        <TextField state={state} name="chunkSize" label="Passage length" type="number" />
        <TextField state={state} name="chunkOverlap" label="Overlap" type="number" />
      </div>
      <p>
        <button class="btn primary">Preview chunking</button>
      </p>
    </form>
  );
};

const Result = ({ rag, found }: { rag: RagRecord; found: Both }) => {
  if (found === null) {
    return (
      <Empty title="No file is indexed yet.">
        Once a file is indexed, this page shows its passages.
      </Empty>
    );
  }
  if (found === "not read") {
    return (
      <Empty title="There is no such file in the source, or it has not been read yet.">
        Enter the path as the source lists it.
      </Empty>
    );
  }
  const { now, preview } = found;
  const asNow = preview.chunkSize === rag.chunkSize && preview.chunkOverlap === rag.chunkOverlap;
  const isPart = preview.charactersCut < preview.characters;
  return (
    <div class="cols even">
      <section aria-labelledby="now-title">
        <h2 id="now-title">
          Now: {countText(now.total, "passage")} of at most {rag.chunkSize} tokens
        </h2>
        <Cuts cuts={now.cuts} total={now.total} />
      </section>
      <section aria-labelledby="then-title">
        <h2 id="then-title">
          {asNow ? "With the same settings" : "With these settings"}:{" "}
          {countText(preview.total, "passage")} of at most {preview.chunkSize} tokens
        </h2>
        {isPart ? (
          <p class="soft">
            From the first {count(preview.charactersCut)} of {count(preview.characters)} characters.
          </p>
        ) : null}
        <Cuts cuts={preview.chunks} total={preview.total} />
      </section>
    </div>
  );
};

const Cuts = ({ cuts, total }: { cuts: Cut[]; total: number }) => (
  <>
    {cuts.map((cut) => (
      <article class="hit">
        <p class="place-in-file">
          <span>passage {count(cut.position + 1)}</span>
          {cut.page === null ? null : <span>page {count(cut.page)}</span>}
          {cut.tokens === null ? null : <span>{countText(cut.tokens, "token")}</span>}
          {cut.headings.length === 0 ? null : <Data>{cut.headings.join(" › ")}</Data>}
        </p>
        <Markdown text={cut.text} />
      </article>
    ))}
    {cuts.length < total ? <p class="soft">and {count(total - cuts.length)} more</p> : null}
  </>
);
