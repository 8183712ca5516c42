import type { Child } from "hono/jsx";

import { findOriginal } from "../../../db/catalog/rag-writes.ts";
import { setsOfRag } from "../../../db/evaluation/set-store.ts";
import type { RagRecord } from "../../../db/records.ts";
import type { Database } from "../../../db/sql.ts";
import { Data, LinkButton } from "../../components/data.tsx";
import { ActionButton } from "../../components/form.tsx";
import { NEW_SET, runsAddress } from "../evaluation/set-parts.tsx";
import { ragAddress } from "./rag-tab.tsx";

type DeedProps = { name: string; says: Child; tone?: "off" | "bad"; children: Child };

export const Deed = ({ name, says, tone = "off", children }: DeedProps) => (
  <li>
    <span class={`dot ${tone}`}></span>
    <span>
      <strong>{name}</strong> {says}
    </span>
    {children}
  </li>
);

/** Copies the RAG; a copy can be compared with its original and replace it. */
export const CopyDeeds = async ({ rag, db }: { rag: RagRecord; db: Database }) => {
  const original = await findOriginal(db, rag);
  const isCopy = original?.fileSource.id === rag.fileSource.id;
  const [set] = isCopy ? await setsOfRag(db, original.id) : [];
  return (
    <>
      {isCopy ? (
        <Deed
          name="Try this copy."
          says={
            <>
              Ask <Data>{original.name}</Data> and this copy the same questions. Taking over gives
              the RAG the index and the settings of this copy, and removes the copy.
            </>
          }
        >
          <LinkButton
            href={
              set === undefined
                ? `${NEW_SET}?subject=${encodeURIComponent(`rag ${original.identifier}`)}`
                : `${runsAddress(set)}?compare=${rag.identifier}`
            }
            label="Compare"
          />
          <ActionButton
            action={`${ragAddress(original.identifier)}/take-over`}
            label="Take over"
            values={{ from: rag.identifier }}
          />
        </Deed>
      ) : null}
      <Deed name="Copy the RAG." says="Try other settings, then compare.">
        <ActionButton action={`${ragAddress(rag.identifier)}/copy`} label="Copy RAG" />
      </Deed>
    </>
  );
};
