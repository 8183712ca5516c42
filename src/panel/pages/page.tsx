import type { z } from "@hono/zod-openapi";
import type { Hono, MiddlewareHandler } from "hono";
import { html } from "hono/html";
import type { Child } from "hono/jsx";
import type { ContentfulStatusCode } from "hono/utils/http-status";

import type { AuditAction } from "../../access/audit/audit-actions.ts";
import { invalidField } from "../../core/errors.ts";
import { handlerOf } from "../../http/middleware/audit.ts";
import { permit, type Action } from "../action.ts";
import type { Who } from "../api/request/route.ts";
import { Data, View, Hidden } from "../components/data.tsx";
import { Form, TextField, field } from "../components/form.tsx";
import { formFrom, freshForm, type FormValues, type FormState } from "../components/form.tsx";
import { Document, Layout, placeAt } from "../components/layout.tsx";
import { PageHead, Tabs } from "../components/page-head.tsx";
import type { Crumb, HeadProps, TabsProps } from "../components/page-head.tsx";
import { isAdmin, type PageContext, type PageEnv } from "./page-env.ts";
import { formOf } from "./request/form.ts";
import { takeFlash, themeIn } from "./request/page-cookies.ts";
import { submit, type FormPage } from "./request/submit.ts";

export {
  requireAdmin,
  isAdmin,
  isSecure,
  lookUp,
  type PageContext,
  type PageEnv,
} from "./page-env.ts";

const COMMIT_LENGTH = 7;
/** Seconds between two looks while something is under way. */
export const BUSY_SECONDS = 3;
/** The address of the place whose pages have many. */
export const OVERVIEW = "/panel";

export type PageProps = HeadProps & {
  /** The title of the browser's window where it is not that of the head. */
  window?: string;
  /** Whether it lists what the dialog of `Ctrl K` lists. */
  isFinder?: boolean;
  /** Whether the content has a head of its own. */
  isHeadless?: boolean;
  tabs?: TabsProps;
  /** The address of the place that it belongs to; absent: the first of the trail, or its own. */
  place?: string;
  status?: ContentfulStatusCode;
  /** Seconds until `data-live` parts are fetched again, at least 2; null: nothing changes. */
  refreshSeconds?: number | null;
};

/** Content whose components know the request. */
export const withView = (context: PageContext, content: Child) => (
  <View.Provider value={{ now: context.get("services").now(), mayChange: isAdmin(context) }}>
    {content}
  </View.Provider>
);

export async function page(context: PageContext, props: PageProps, content: Child) {
  const layout = withView(
    context,
    <Layout
      title={props.window ?? props.title}
      place={placeAt(props.place ?? props.trail?.[0]?.href ?? context.req.path)}
      assets={context.get("assets")}
      theme={themeIn(context)}
      session={context.get("session")}
      version={context.get("services").version?.tag.slice(0, COMMIT_LENGTH)}
      flash={takeFlash(context)}
      refreshSeconds={props.refreshSeconds ?? null}
      isFinder={props.isFinder === true}
    >
      {props.isHeadless === true ? null : <PageHead {...props} />}
      {props.tabs === undefined ? null : <Tabs {...props.tabs} />}
      {content}
    </Layout>,
  );
  return await context.html(html`<!doctype html>${layout}`, props.status ?? 200);
}

/** A page for people who are not signed in: only this content, no navigation. */
export async function barePage(
  context: PageContext,
  props: { title: string; status?: ContentfulStatusCode },
  content: Child,
): Promise<Response> {
  const document = (
    <Document title={props.title} assets={context.get("assets")} theme={themeIn(context)}>
      <main class="bare" id="main">
        <p class="brand">
          <i></i>Quarry
        </p>
        {content}
      </main>
    </Document>
  );
  return await context.html(html`<!doctype html>${document}`, props.status ?? 200);
}

/**
 * A page that leads on by itself, to an address that is safe to link to. After a redirect, cookies
 * that are SameSite=Strict would not go along where another site led here; and Chromium holds a
 * form's answer to the page's `form-action`, with all that the next site redirects to.
 */
export async function leadingPage(context: PageContext, title: string, address: string) {
  context.header("Refresh", `0;url=${address}`);
  return await barePage(
    context,
    { title },
    <>
      <h1>{title}</h1>
      <p>
        <a class="btn primary" href={address}>
          Continue
        </a>
      </p>
    </>,
  );
}

type Awaitable<Value> = Promise<Value> | Value;
type Handle<Found, Result> = (context: PageContext, subject: Found) => Awaitable<Result>;

/** Pages below one address. Each is given what its address names, where that is looked up. */
export class Pages<Found = undefined> {
  readonly #app: Hono<PageEnv>;
  readonly #find: (context: PageContext) => Promise<Found>;

  constructor(app: Hono<PageEnv>, find: (context: PageContext) => Promise<Found>) {
    this.#app = app;
    this.#find = find;
  }

  /** Pages about the record that `find` looks up. */
  forRecord<Other>(find: (context: PageContext) => Promise<Other>): Pages<Other> {
    return new Pages(this.#app, find);
  }

  use(path: string, ...guards: MiddlewareHandler<PageEnv>[]): void {
    this.#app.use(path, ...guards);
  }

  get(path: string, show: Handle<Found, Response>): void {
    this.#app.get(path, async (context) => await show(context, await this.#find(context)));
  }

  /** Takes a POST that is no action; `by` absent: administrators. */
  receive(path: string, answer: Handle<Found, Response>, by?: Who, action?: AuditAction): void {
    const handler = async (context: PageContext) => {
      const { id, set } = context.req.param();
      if (action !== undefined) context.set("audit", { action, target: id ?? set ?? null });
      permit(context, by);
      return await answer(context, await this.#find(context));
    };
    this.#app.post(path, handlerOf(action, handler));
  }

  /** The form or the button of a change, and where it leads. */
  form<Subject, Body extends z.ZodType, Result>(
    path: string,
    change: Action<Subject, Body, Result>,
    pageOf: Handle<Found, FormPage<Result> & SubjectOf<Subject, Found>>,
  ): void {
    const answer = async (context: PageContext, thing: Found) => {
      const form = await pageOf(context, thing);
      return await submit(context, change, { ...form, subject: subjectOf<Subject>(form, thing) });
    };
    this.receive(path, answer, change.by, change.name);
  }

  /** Asks before something is removed. `removalOf` gets the address's or the form's values. */
  removal<Subject, Body extends z.ZodType, Result>(
    path: string,
    change: Action<Subject, Body, Result>,
    removalOf: (
      context: PageContext,
      subject: Found,
      form: FormValues,
    ) => Awaitable<Removal & SubjectOf<Subject, Found>>,
  ): void {
    this.get(path, async (context, subject) => {
      permit(context, change.by);
      const values = formFrom(new URL(context.req.url).searchParams);
      const removal = await removalOf(context, subject, values);
      return await confirmPage(context, removal, freshForm(removal.fields?.chosen));
    });
    const answer = async (context: PageContext, thing: Found) => {
      const form = await formOf(context);
      const removal = await removalOf(context, thing, form);
      const { name, isMuch = false, fields, to = placeAbove(removal) } = removal;
      return await submit(context, change, {
        subject: subjectOf<Subject>(removal, thing),
        form,
        fields: ["confirmation", ...(fields?.names ?? [])],
        body: () => {
          const isNamed = form.text("confirmation") === name.trim();
          if (isMuch && !isNamed) throw invalidField("confirmation", "must match");
          return fields?.body?.(form) ?? removal.body;
        },
        failedPage: (state) => confirmPage(context, removal, state),
        to: to ?? OVERVIEW,
      });
    };
    this.receive(path, answer, change.by, change.name);
  }
}

/** The changed thing; absent: what the address names, if anything. */
type SubjectOf<Subject, Found> = Found extends Subject
  ? { subject?: Subject }
  : { subject: Subject };

const subjectOf = <Subject,>(form: object, thing: unknown): Subject =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- absent only where it may be
  ("subject" in form ? form.subject : thing) as Subject;

/** Something that cannot be undone, and what is said and asked before it. */
type Removal = {
  title: string;
  /** The places above; Cancel leads to the last of them. */
  trail: readonly Crumb[];
  name: string;
  /** So much is lost that its name must be typed. */
  isMuch?: boolean;
  /** Documents and passages stay. */
  isHarmless?: true;
  cancel?: string;
  submit?: string;
  /** Hidden fields. */
  values?: Record<string, string>;
  /** Further fields, the values chosen beforehand, and the body that they mean. */
  fields?: {
    show: (state: FormState) => Child;
    names?: readonly string[];
    chosen?: Record<string, string>;
    body?: (form: FormValues) => unknown;
  };
  /** The body of the change, where there are no fields. */
  body?: unknown;
  says: Child;
  /** Where it leads; absent: to the last of the places above. */
  to?: string;
};

const placeAbove = ({ trail }: Pick<Removal, "trail">) => trail.at(-1)?.href;

/** The page that asks, with a form that is posted to its own address. */
export async function confirmPage(
  context: PageContext,
  removal: Removal,
  state: FormState = freshForm(),
) {
  const { title, trail, name, isMuch = false, isHarmless = false, submit = "Remove it" } = removal;
  return await page(
    context,
    { title, trail, status: state.status },
    <section class={isHarmless ? undefined : "danger-zone"}>
      {removal.says}
      <Form
        action={new URL(context.req.url).pathname}
        state={state}
        submit={submit}
        cancel={removal.cancel ?? placeAbove(removal) ?? null}
        dangerous={!isHarmless}
      >
        <Hidden values={removal.values} />
        {removal.fields?.show(state)}
        {isMuch ? (
          <TextField
            {...field(state, "confirmation", "Name")}
            required
            hint={
              <>
                Type <Data>{name}</Data> to confirm.
              </>
            }
          />
        ) : null}
      </Form>
    </section>,
  );
}
