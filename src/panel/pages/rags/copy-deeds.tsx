import type { Child } from "hono/jsx";

import { findOriginal } from "../../../db/catalog/rag-writes.ts";
import { setsOfRag } from "../../../db/evaluation/set-store.ts";
import type { RagRecord } from "../../../db/records.ts";
import type { Database } from "../../../db/sql.ts";
import { Data, LinkButton, ActionButton } from "../../components/data.tsx";
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
  const copying = (
    <Deed name="Copy the RAG." says="Try other settings, then compare.">
      <ActionButton action={`${ragAddress(rag.identifier)}/copy`} label="Copy RAG" />
    </Deed>
  );
  if (original?.fileSource.id !== rag.fileSource.id) return copying;
  const { id, identifier, name } = original;
  const [set] = await setsOfRag(db, id);
  const newSet = `${NEW_SET}?subject=${encodeURIComponent(`rag ${identifier}`)}`;
  const compare = set === undefined ? newSet : `${runsAddress(set)}?compare=${rag.identifier}`;
  const first = <Data>{name}</Data>;
  return (
    <>
      <Deed name="Compare." says={<>Asks {first} and this copy the same questions.</>}>
        <LinkButton href={compare} label="Compare" />
      </Deed>
      <Deed
        name="Take over."
        says={<>Gives {first} the index and settings of this copy, and removes the copy.</>}
      >
        <ActionButton
          action={`${ragAddress(identifier)}/take-over`}
          label="Take over"
          values={{ from: rag.identifier }}
        />
      </Deed>
      {copying}
    </>
  );
};
