import { findOriginal } from "../../../db/catalog/rag-writes.ts";
import { findOriginalOfCopy } from "../../../db/catalog/source-copy-store.ts";
import { readFileSlices, type PublicFile } from "../../../db/files/public-files.ts";
import { listGenerations } from "../../../db/generations/generation-store.ts";
import type { RagRecord } from "../../../db/records.ts";
import { similaritySpread, type SimilaritySpread } from "../../../evaluation/similarity-spread.ts";
import { indexState } from "../../../ingestion/rebuilds/reindex-rag.ts";
import { BUILT_IN_MODELS, modelNotice } from "../../../ports/models.ts";
import type { Services } from "../../../services.ts";
import { CodeLine } from "../../components/code-block.tsx";
import { Data, Problem, Time, DataLink, ShortenedLink } from "../../components/data.tsx";
import { LinkButton, Status, ForAdmins, ActionButton } from "../../components/data.tsx";
import { count, countText, percent } from "../../components/figures.ts";
import { Facts } from "../../components/page-head.tsx";
import { settingFacts } from "../../components/setting-fields.tsx";
import { Table } from "../../components/table.tsx";
import { BUSY_SECONDS, isAdmin, type PageContext } from "../page.tsx";
import { fileAddress } from "../search/hits.tsx";
import { CopyDeeds, Deed } from "./copy-deeds.tsx";
import { ragAddress, ragTab, SEARCH_FIELDS } from "./rag-tab.tsx";

const FAILED_SHOWN = 20;

type Index = Awaited<ReturnType<typeof indexState>>;

export async function ragPage(context: PageContext, rag: RagRecord): Promise<Response> {
  const services = context.get("services");
  const filter = { status: "error", path: null } as const;
  const slice = { ragId: rag.id, generation: rag.generation, offset: 0, limit: FAILED_SHOWN };
  const [index, [failed = []], generations, copying, spread] = await Promise.all([
    indexState(services, rag.id),
    readFileSlices(services.reads, [{ ...slice, filter }]),
    listGenerations(services.db, rag.id),
    copyState(services, rag),
    // Searches the index: for the whole page, not each time that the script fetches its live parts.
    context.req.header("X-Refresh") === undefined ? similaritySpread(services, rag) : null,
  ]);
  // Failed files are done as well: they wait for somebody.
  const filesDone = generations.find(({ state }) => state === "live")?.filesDone ?? 0;
  const isIndexing = rag.status === "active" && filesDone < rag.totalFiles;
  const moves = index.building !== null || copying !== null || isIndexing;
  return await ragTab(
    context,
    { rag, here: "", refreshSeconds: moves ? BUSY_SECONDS : null },
    <>
      <div id="index" data-live>
        <Figures rag={rag} index={index} />
        <Copying copying={copying} />
        {index.building === null ? null : (
          <Building building={index.building} files={rag.totalFiles} />
        )}
        <FailedFiles rag={rag} files={failed} />
      </div>
      {spread === null ? null : <Similarities spread={spread} rag={rag} />}
      {isAdmin(context) ? <Actions rag={rag} index={index} services={services} /> : null}
    </>,
  );
}

const Figures = ({ rag, index: { live } }: { rag: RagRecord; index: Index }) => (
  <Facts
    facts={{
      Status: <RagStatus rag={rag} />,
      Files:
        rag.totalFiles === 0
          ? "none yet"
          : `${count(rag.processedFiles)} of ${count(rag.totalFiles)} indexed`,
      Passages: count(rag.numberVectors),
      Source: (
        <DataLink href={`/panel/sources/${rag.fileSource.identifier}`} text={rag.fileSource.name} />
      ),
      "Embedding model": (
        <>
          <Data mono>{live?.embeddingModel ?? rag.embeddingModel}</Data>, {count(rag.dimensions)}{" "}
          dimensions
        </>
      ),
      ...settingFacts(SEARCH_FIELDS, rag),
      Identifier: <CodeLine text={rag.identifier} label="identifier" />,
    }}
  />
);

const RagStatus = ({ rag }: { rag: RagRecord }) => {
  if (rag.status === "paused") return <Status tone="off">paused: no new files are indexed</Status>;
  if (rag.status === "error") return <Status tone="bad">its source cannot be read</Status>;
  if (rag.modelChangedAt > 0)
    return <Status tone="bad">searched by words alone: {modelNotice(rag.embeddingModel)}</Status>;
  return rag.processedFiles < rag.totalFiles ? (
    <Status tone="work">active, some files not indexed</Status>
  ) : (
    <Status tone="ok">active</Status>
  );
};

type BuildingProps = { building: NonNullable<Index["building"]>; files: number };

const Building = ({ building, files }: BuildingProps) => (
  <section class="notice" aria-label="A new index">
    <p>
      <strong>A new index is being built</strong> while the current one answers:{" "}
      {percent(building.filesDone, Math.max(files, building.filesDone))},{" "}
      {count(building.filesDone)} of {countText(files, "file")}
      {building.filesFailed === 0 ? "" : `, ${count(building.filesFailed)} failed`}. Searches switch
      to it when it is complete.
    </p>
    <progress max={Math.max(1, files)} value={building.filesDone} aria-label="Files done" />
  </section>
);

/** The copy of its source that still gets files, and how many it will have; null: none. */
async function copyState({ db }: Services, rag: RagRecord) {
  const source = await findOriginalOfCopy(db, rag.fileSource.id);
  if (source === null) return null;
  const { totalFiles = 0 } = (await findOriginal(db, rag)) ?? {};
  return { ...source, files: rag.totalFiles, total: Math.max(totalFiles, rag.totalFiles) };
}

const Copying = ({ copying }: { copying: Awaited<ReturnType<typeof copyState>> }) => {
  if (copying === null) return null;
  const { name, error, files, total } = copying;
  return (
    <section class="notice" aria-label="A copy of a source">
      <p>
        <strong>Files are still being copied</strong> from <Data>{name}</Data>: {count(files)} of{" "}
        {countText(total, "file")}. Searches miss the others.
      </p>
      <progress max={Math.max(1, total)} value={files} aria-label="Files copied" />
      <ForAdmins>
        <Problem text={error && `A step failed and is tried again: ${error}`} />
      </ForAdmins>
    </section>
  );
};

const FailedFiles = ({ rag, files }: { rag: RagRecord; files: PublicFile[] }) => {
  if (files.length === 0) return null;
  const retry = `${ragAddress(rag.identifier)}/retry`;
  return (
    <section>
      <h2>Files that failed</h2>
      <ForAdmins>
        <ActionButton action={retry} label="Retry all" />
      </ForAdmins>
      <Table
        label="Files that failed"
        rows={files}
        empty={null}
        columns={[
          {
            head: "File",
            main: true,
            cell: ({ path, errorMessage }) => (
              <>
                <ShortenedLink href={fileAddress(rag.fileSource.identifier, path)} text={path} />
                <Problem text={errorMessage} />
              </>
            ),
          },
          {
            head: "",
            forAdmins: true,
            cell: ({ path }) => <ActionButton action={retry} label="Try again" values={{ path }} />,
          },
        ]}
      />
      {files.length < FAILED_SHOWN ? null : (
        <p class="soft">The first {FAILED_SHOWN}. The source lists the others.</p>
      )}
    </section>
  );
};

const Similarities = ({ spread, rag }: { spread: SimilaritySpread; rag: RagRecord }) => (
  <section>
    <h2>Similarities</h2>
    <Facts
      facts={{
        "Passages picked by chance": `${spread.chance.toFixed(2)}, 95 % of pairs below ${spread.chanceMost.toFixed(2)}`,
        "A passage and the closest other": spread.closest.toFixed(2),
        "Questions about something else": limitText(rag),
      }}
    />
    <p class="soft">
      Every embedding model has its own scale. The{" "}
      <a href={`${ragAddress(rag.identifier)}/settings`}>settings</a> can leave out unrelated
      passages by the scale of this RAG.
    </p>
  </section>
);

function limitText({ embeddingModel, leaveOutUnrelated, unrelatedSimilarity: limit }: RagRecord) {
  if (!leaveOutUnrelated) return "not measured";
  if (limit !== null) return `rarely reach ${limit.toFixed(2)}: passages below are left out`;
  const isBuiltIn = embeddingModel === BUILT_IN_MODELS.embedding;
  return isBuiltIn ? "only with a trained model" : "measured a minute after all files are indexed";
}

type ActionsProps = { rag: RagRecord; index: Index; services: Services };

const Actions = ({ rag, index: { previous, building }, services }: ActionsProps) => {
  const address = ragAddress(rag.identifier);
  const isPaused = rag.status === "paused";
  return (
    <section>
      <h2>Actions</h2>
      <ul class="needs">
        {previous === null ? null : <WayBack address={address} previous={previous} />}
        <Deed
          name={isPaused ? "Resume indexing." : "Pause indexing."}
          says={
            isPaused
              ? "Files that changed meanwhile are indexed at once."
              : "What is indexed stays searchable."
          }
        >
          <ActionButton
            action={`${address}/status`}
            label={isPaused ? "Resume" : "Pause"}
            values={{ status: isPaused ? "active" : "paused" }}
          />
        </Deed>
        <CopyDeeds rag={rag} db={services.db} />
        {building === null ? (
          <Deed
            name="Index everything again."
            says="Builds a new index while this one answers, and embeds every passage again."
          >
            <LinkButton href={`${address}/reindex`} label="Estimate the cost" />
          </Deed>
        ) : null}
        <Deed
          name="Remove the RAG."
          says={`Deletes its ${countText(rag.numberVectors, "passage")}. The documents stay.`}
          tone="bad"
        >
          <LinkButton href={`${address}/remove`} label="Remove" kind="danger" />
        </Deed>
      </ul>
    </section>
  );
};

type BackProps = { address: string; previous: NonNullable<Index["previous"]> };

const WayBack = ({ address, previous }: BackProps) => (
  <Deed
    name="Return to the previous index."
    says={
      <>
        Passages of {previous.chunkSize} tokens, embedded by{" "}
        <Data mono>{previous.embeddingModel}</Data>. It catches up with recent changes, then takes
        over. Quarry deletes it <Time at={previous.keptUntil} />.
      </>
    }
  >
    <ActionButton action={`${address}/return`} label="Return to it" />
  </Deed>
);
