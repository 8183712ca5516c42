import type { Child } from "hono/jsx";

import { modelChoices } from "../../../catalog/models/model-choices.ts";
import { findRag } from "../../../catalog/rags/find-rag.ts";
import { newRag } from "../../../catalog/rags/rag-settings.ts";
import type { RagRecord } from "../../../db/records.ts";
import type { Services } from "../../../services.ts";
import { ModelField } from "../../components/choice-fields.tsx";
import { LinkButton, ForAdmins } from "../../components/data.tsx";
import type { FormState } from "../../components/form.tsx";
import { formOfSettings } from "../../components/setting-fields.tsx";
import { lookUp, page, type PageContext, type PageProps } from "../page.tsx";

/** The RAG that the address names. @throws QuarryError `not-found`. */
export const ragOf = lookUp(findRag);

export const ragAddress = (identifier: string) => `/panel/rags/${identifier}`;

export const RAGS = { name: "RAGs", href: "/panel/rags" };

export const trailTo = ({ name, identifier }: RagRecord) => [
  RAGS,
  { name, href: ragAddress(identifier) },
];

const TABS = {
  "": "Index",
  "/scope": "What it indexes",
  "/settings": "Settings",
  "/preview": "Preview chunking",
};

export async function ragTab(
  context: PageContext,
  { rag, here, ...rest }: Partial<PageProps> & { rag: RagRecord; here: keyof typeof TABS },
  content: Child,
) {
  const { name, identifier } = rag;
  const tabs = { label: "Pages of this RAG", address: ragAddress(identifier), names: TABS };
  const actions = (
    <>
      <ForAdmins>
        <LinkButton
          href={`/panel/tokens/new?rag=${identifier}`}
          label="Create token for this RAG"
        />
      </ForAdmins>
      <LinkButton href={`/panel/search?rag=${identifier}`} label="Search this RAG" kind="primary" />
    </>
  );
  const head = { title: name, data: true, trail: [RAGS], actions };
  return await page(context, { ...head, ...rest, tabs: { ...tabs, here } }, content);
}

/** Chosen when a RAG is made, and on its page of scopes. */
const ONCE = ["identifier", "fileSource", "scopeMode"];

export const NEW_RAG_FORM = formOfSettings(newRag);
export const RAG_FORM = formOfSettings(newRag, ONCE);
/** The fields without the name. */
export const SEARCH_FIELDS = formOfSettings(newRag, [...ONCE, "name"]).fields;

export async function ragControls(services: Pick<Services, "db" | "models">, state: FormState) {
  const choices = await modelChoices(services, "reranker");
  const field = { state, choices, name: "reranker", label: "Reranker", none: "None" };
  return { reranker: <ModelField {...field} /> };
}
