import type { Child } from "hono/jsx";

import type { AgentRecord, InferenceRecord } from "../../../db/records.ts";
import { CodeLine } from "../../components/code-block.tsx";
import { Data, LinkButton } from "../../components/data.tsx";
import { isAdmin, page, type PageContext, type PageProps } from "../page.tsx";
import { addressOf, WORDS } from "./model-list.tsx";

export type Model =
  | { kind: "inference"; record: InferenceRecord }
  | { kind: "agent"; record: AgentRecord };

/** The pages of an inference or agent by what follows its address. */
const TABS = { "": "Ask", "/settings": "Settings" };

type TabProps = Partial<PageProps> & { model: Model; here: keyof typeof TABS };

/** One page of an inference or agent below the head that both of them have. */
export async function modelTab(
  context: PageContext,
  { model: { kind, record }, here, ...of }: TabProps,
  content: Child,
) {
  const { title, place } = WORDS[kind];
  const { name, identifier, model } = record;
  const address = addressOf(kind, identifier);
  const tabs = { label: `Pages of this ${kind}`, address, names: TABS, here };
  const create = `/panel/tokens/new?${kind}=${encodeURIComponent(identifier)}`;
  const description = "description" in record ? record.description : "";
  const head = {
    title: name,
    data: true,
    trail: [{ name: title, href: `/panel/${place}` }],
    sub: (
      <>
        <Data mono>{model}</Data>
        {description === "" ? null : (
          <>
            {" · "}
            <Data>{description}</Data>
          </>
        )}
        <CodeLine text={identifier} label="identifier" />
      </>
    ),
    actions: isAdmin(context) ? (
      <LinkButton href={create} label={`Create token for this ${kind}`} />
    ) : null,
  };
  return await page(context, { ...head, ...of, tabs }, content);
}
