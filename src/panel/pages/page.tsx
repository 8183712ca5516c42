import type { Child } from "hono/jsx";
import { html } from "hono/html";
import type { ContentfulStatusCode } from "hono/utils/http-status";

import { Document, Layout, type Place } from "../components/layout.tsx";
import { PageHead, type HeadProps } from "../components/page-head.tsx";
import type { PageContext } from "./page-env.ts";
import { takeFlash } from "./request/flash.ts";
import { themeIn } from "./request/theme.ts";

const COMMIT_LENGTH = 7;

/** With `trail`, the page begins with a head of this title. */
type Page = Omit<HeadProps, "children"> & {
  /** What can be done here. */
  actions?: Child;
  place: Place | null;
  status?: ContentfulStatusCode;
  /**
   * Seconds until what is marked with `data-live` is fetched again, at least 2; null: nothing
   * changes by itself.
   */
  refreshSeconds?: number | null;
};

/** Answers with a page of the panel: places, notices, and this content. */
export async function page(context: PageContext, of: Page, content: Child): Promise<Response> {
  const { version } = context.get("services");
  const layout = (
    <Layout
      title={of.title}
      place={of.place}
      assets={context.get("assets")}
      theme={themeIn(context.req.header("Cookie"))}
      session={context.get("session")}
      version={version === null || version.tag === "" ? null : version.tag.slice(0, COMMIT_LENGTH)}
      flash={takeFlash(context)}
      refreshSeconds={of.refreshSeconds ?? null}
    >
      {of.trail === undefined ? null : <PageHead {...of}>{of.actions}</PageHead>}
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
    <Document
      title={of.title}
      assets={context.get("assets")}
      theme={themeIn(context.req.header("Cookie"))}
    >
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
