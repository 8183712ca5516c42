import type { Child } from "hono/jsx";
import { html } from "hono/html";
import type { ContentfulStatusCode } from "hono/utils/http-status";

import { Document, Layout, placeAt } from "../components/layout.tsx";
import { PageHead, Tabs, type HeadProps, type TabsProps } from "../components/page-head.tsx";
import type { PageContext } from "./page-env.ts";
import { nextStep } from "./overview/first-steps.tsx";
import { takeFlash, themeIn } from "./request/page-cookies.ts";

export {
  finding,
  isAdmin,
  isSecure,
  type PageContext,
  type PageEnv,
  type Pages,
} from "./page-env.ts";

const COMMIT_LENGTH = 7;
/** The address of the place whose pages have many. */
export const OVERVIEW = "/panel";

export type PageProps = HeadProps & {
  /** The title of the browser's window where it is not that of the head. */
  window?: string;
  /** Whether the content has a head of its own. */
  isHeadless?: boolean;
  tabs?: TabsProps;
  /** The address of the place that it belongs to; absent: the first of the trail, or its own. */
  place?: string;
  status?: ContentfulStatusCode;
  /** Seconds until `data-live` parts are fetched again, at least 2; null: nothing changes. */
  refreshSeconds?: number | null;
};

export async function page(context: PageContext, of: PageProps, content: Child): Promise<Response> {
  const { version } = context.get("services");
  const next = of.place === OVERVIEW ? null : await nextStep(context);
  const layout = (
    <Layout
      title={of.window ?? of.title}
      place={placeAt(of.place ?? of.trail?.[0]?.href ?? context.req.path)}
      assets={context.get("assets")}
      theme={themeIn(context)}
      session={context.get("session")}
      version={version?.tag.slice(0, COMMIT_LENGTH)}
      flash={takeFlash(context)}
      refreshSeconds={of.refreshSeconds ?? null}
    >
      {next}
      {of.isHeadless === true ? null : <PageHead {...of} />}
      {of.tabs === undefined ? null : <Tabs {...of.tabs} />}
      {content}
    </Layout>
  );
  return await context.html(html`<!doctype html>${layout}`, of.status ?? 200);
}

/** A page for people who are not signed in: only this content, no navigation. */
export async function barePage(
  context: PageContext,
  of: { title: string; status?: ContentfulStatusCode },
  content: Child,
): Promise<Response> {
  const document = (
    <Document title={of.title} assets={context.get("assets")} theme={themeIn(context)}>
      <main class="bare" id="main">
        <p class="brand">
          <i></i>Quarry
        </p>
        {content}
      </main>
    </Document>
  );
  return await context.html(html`<!doctype html>${document}`, of.status ?? 200);
}
