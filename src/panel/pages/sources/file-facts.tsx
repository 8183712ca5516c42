import type { FileDetail } from "../../../db/files/file-store.ts";
import { CodeLine, CopyButton } from "../../components/code-block.tsx";
import { Data, DataLink, Problem, safeHref, TimeOr } from "../../components/data.tsx";
import { count, size } from "../../components/figures.ts";
import { Empty, Facts } from "../../components/page-head.tsx";
import { FileStatus } from "../../components/status.tsx";
import { Table } from "../../components/table.tsx";

/** What is known of a file, in which RAGs it is, and what was left out of it. */
export const FileFacts = ({ file, now }: { file: FileDetail; now: number }) => {
  const href = safeHref(file.url);
  const notes = [...new Set(file.rags.flatMap((rag) => rag.notes))];
  return (
    <>
      <h2>Facts</h2>
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
          ["Last changed", <TimeOr at={file.modifiedAt} now={now} none="–" />],
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
            <Problem text={rag.errorMessage} />
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
