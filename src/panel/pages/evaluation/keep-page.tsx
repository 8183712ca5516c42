import { Hono } from "hono";

import { findRag } from "../../../catalog/rags/find-rag.ts";
import { setsOfRag } from "../../../db/evaluation/set-store.ts";
import { DataLink, LinkButton } from "../../components/link.tsx";
import { Empty } from "../../components/page-head.tsx";
import type { PageContext, PageEnv } from "../page-env.ts";
import { page } from "../page.tsx";
import { formFrom } from "../request/form.ts";
import { adminsOnly } from "../request/guards.ts";
import { NEW_SET, PLACE, setAddress } from "./set-parts.tsx";

/** "Keep this question": which set takes it. The set's own form does the rest. */
export function keepPages(): Hono<PageEnv> {
  const app = new Hono<PageEnv>();
  app.get("/", adminsOnly, async (context) => await keepPage(context));
  return app;
}

async function keepPage(context: PageContext): Promise<Response> {
  const services = context.get("services");
  const form = formFrom(new URL(context.req.url).searchParams);
  const rag = await findRag(services, { key: form.text("rag") });
  const sets = await setsOfRag(services.db, rag.id);
  const values = { question: form.exact("question"), expected: form.exact("expected") };
  const query = new URLSearchParams(values).toString();
  const [only, another] = sets.map(({ identifier }) => `${setAddress(identifier)}?${query}`);
  if (only !== undefined && another === undefined) return context.redirect(only, 303);
  const subject = encodeURIComponent(`rag ${rag.identifier}`);
  return await page(
    context,
    { title: "Keep this question", place: "evaluation", trail: [PLACE] },
    sets.length === 0 ? (
      <Empty title="No question set asks this RAG yet.">
        <p>
          <LinkButton
            href={`${NEW_SET}?subject=${subject}`}
            label="New question set"
            kind="primary"
          />
        </p>
      </Empty>
    ) : (
      <ul>
        {sets.map(({ identifier, name }) => (
          <li>
            <DataLink href={`${setAddress(identifier)}?${query}`} text={name} />
          </li>
        ))}
      </ul>
    ),
  );
}
