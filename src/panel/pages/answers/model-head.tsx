import type { AgentRecord, InferenceRecord } from "../../../db/records.ts";
import { CodeLine } from "../../components/code-block.tsx";
import { Data } from "../../components/data.tsx";
import { PageHead, Tabs } from "../../components/page-head.tsx";
import { addressOf, WORDS, type Kind } from "./model-list.tsx";
import { LinkButton } from "../../components/link.tsx";

type HeadProps = {
  kind: Kind;
  record: InferenceRecord | AgentRecord;
  here: string;
  mayChange: boolean;
};

/** The head of every page of one inference or agent. */
export const ModelHead = ({ kind, record, here, mayChange }: HeadProps) => {
  const address = addressOf(kind, record.identifier);
  const { title, place } = WORDS[kind];
  return (
    <>
      <PageHead
        title={record.name}
        data
        trail={[{ name: title, href: `/panel/${place}` }]}
        sub={
          <>
            <Data mono>{record.model}</Data>
            {"description" in record && record.description !== "" ? (
              <>
                {" · "}
                <Data>{record.description}</Data>
              </>
            ) : null}
            <CodeLine text={record.identifier} label="identifier" />
          </>
        }
      >
        {mayChange ? (
          <LinkButton
            href={`/panel/tokens/new?${kind}=${encodeURIComponent(record.identifier)}`}
            label={`Create token for this ${kind}`}
          />
        ) : null}
      </PageHead>
      <Tabs
        label={`Pages of this ${kind}`}
        here={address + here}
        tabs={[
          { name: "Run it", href: address },
          { name: "Settings", href: `${address}/settings` },
        ]}
      />
    </>
  );
};
