import type { FileFailure } from "../../../core/file-failures.ts";
import type { FileDetail } from "../../../db/files/file-store.ts";
import { CodeLine, CopyButton } from "../../components/code-block.tsx";
import { Data, DataLink, Problem, safeHref, TimeOr, FileStatus } from "../../components/data.tsx";
import { count, size } from "../../components/figures.ts";
import { Empty, Facts } from "../../components/page-head.tsx";
import { Table } from "../../components/table.tsx";

export const FileFacts = ({ file }: { file: FileDetail }) => {
  const href = safeHref(file.url);
  const notes = [...new Set(file.rags.flatMap((rag) => rag.notes))];
  return (
    <>
      <h2>Facts</h2>
      <Facts
        facts={{
          Path: <CodeLine text={file.path} label="path" />,
          Size: size(file.size),
          Type: <Data>{file.mimeType}</Data>,
          Address:
            href === null ? undefined : (
              <>
                <a href={href} rel="noreferrer">
                  <Data>{href}</Data>
                </a>{" "}
                <CopyButton text={href} label="address" />
              </>
            ),
          "Last changed": <TimeOr at={file.modifiedAt} none="–" />,
          "First seen": <TimeOr at={file.createdAt} none="–" />,
        }}
      />
      <h2>In RAGs</h2>
      <InRags rags={file.rags} />
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

const InRags = ({ rags }: { rags: FileDetail["rags"] }) => (
  <Table
    label="RAGs"
    rows={rags}
    empty={
      <Empty title="The file is in no RAG.">
        No RAG reads this source, or the file lies outside the scopes of those that do.
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
      { head: "Indexed", wide: true, cell: ({ indexedAt }) => <TimeOr at={indexedAt} none="–" /> },
    ]}
  />
);

/** The remedy for a file that failed. `pushed`: its bytes were uploaded; else its source has it. */
export function remedyOf(failure: FileFailure | null, pushed: boolean): string | null {
  if (failure === null) return null;
  const remedy = REMEDIES[failure];
  return remedy.replace("{again}", pushed ? "upload it again" : "save it in the source");
}

const REMEDIES: Record<FileFailure, string> = {
  encrypted: "Remove the password or the encryption and {again}.",
  empty: "The file has no bytes. If it should have some, {again}.",
  "no-text": "If it is a scan or a picture, recognise its text (OCR) and {again}.",
  picture: "With an image model, the file is read by itself.",
  "too-large": "Split it into smaller files and {again}.",
  damaged: "Open it in the program that made it, save a new copy and {again}.",
  unsupported: "Convert it to PDF, Word, HTML or text and {again}.",
  encoding: "Save it as UTF-8 and {again}.",
  "beyond-limits": "Split it, or save it in a simpler form, and {again}.",
  denied: "Give the source's account access to the file, or correct the source's credentials.",
  source: "Try again when the source answers. If it keeps failing, look at the source's settings.",
  model: "Check the embedding model in Settings → Models, then try again.",
  "spending-limit": "It is indexed once the spending limit of the service leaves room.",
  service: "Try again. If it keeps failing, the service's log has the reason.",
};
