import type { FileDetail } from "../../../db/files/file-store.ts";
import { CodeLine, CopyButton } from "../../components/code-block.tsx";
import { Data, safeHref } from "../../components/data.tsx";
import { count, size } from "../../components/figures.ts";
import { Empty, Facts } from "../../components/page-head.tsx";
import { FileStatus } from "../../components/status.tsx";
import { Table } from "../../components/table.tsx";
import { TimeOr } from "../../components/time.tsx";
import { DataLink } from "../../components/link.tsx";

/** What is known of a file, in which RAGs it is, and what was left out of it. */
export const FileFacts = ({ file, now }: { file: FileDetail; now: number }) => {
  const href = safeHref(file.url);
  const notes = [...new Set(file.rags.flatMap((rag) => rag.notes))];
  return (
    <>
      <Facts
        facts={[
          ["Path", <CodeLine text={file.path} label="path" />],
          ["Size", size(file.size)],
          ["Type", <Data>{file.mimeType}</Data>],
          ...(href === null
            ? []
            : ([
                [
                  "Address",
                  <>
                    <a href={href} rel="noreferrer">
                      <Data>{href}</Data>
                    </a>{" "}
                    <CopyButton text={href} label="address" />
                  </>,
                ],
              ] as const)),
          ["Known since", <TimeOr at={file.createdAt} now={now} none="–" />],
        ]}
      />
      <h2>In RAGs</h2>
      <InRags rags={file.rags} now={now} />
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

type InRagsProps = { rags: FileDetail["rags"]; now: number };

const InRags = ({ rags, now }: InRagsProps) => (
  <Table
    label="RAGs"
    rows={rags}
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
            <DataLink href={`/panel/rags/${rag.ragIdentifier}`} text={rag.ragName} />
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
);
