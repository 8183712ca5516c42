import type { Context } from "hono";

import { answerAndLog } from "../../http/errors.ts";
import { sentence } from "../components/figures.ts";
import { barePage, page, type PageEnv, type PageContext } from "./page.tsx";

const TITLES: Partial<Record<number, string>> = {
  400: "That request cannot be understood.",
  401: "You are not signed in.",
  403: "You are not allowed to do that.",
  404: "There is no such page.",
  409: "That is not possible now.",
  413: "That is too large.",
  429: "Too many requests.",
  500: "Quarry failed.",
  503: "This cannot be reached right now.",
};

const HELP: Partial<Record<number, string>> = {
  403: "Nothing was changed. Only administrators may do it, and only from pages of this service.",
  404: "It was removed, or the address is wrong.",
  429: "Nothing was changed. Wait a minute and try again.",
  500: "The log has the details under the request id.",
};

const FORBIDDEN = 403;

export async function errorPage(thrown: unknown, context: Context<PageEnv>): Promise<Response> {
  const { status, error } = answerAndLog(thrown, context);
  const isRead = context.req.method === "GET" && status === FORBIDDEN;
  const title = isRead ? "You may not see this page." : (TITLES[status] ?? "That failed.");
  const help = isRead ? "Only administrators may. Ask one of them." : HELP[status];
  const content = (
    <>
      <h1>{title}</h1>
      <p class="sub">{help ?? sentence(error)}</p>
      {status === 500 ? <p class="faint">Request {context.get("requestId")}</p> : null}
      <p>
        <a href="/panel">Go to the overview</a>
      </p>
    </>
  );
  // A session that was not looked up yet is none.
  const session: PageEnv["Variables"]["session"] | undefined = context.get("session");
  if (session === undefined) return await barePage(context, { title, status }, content);
  return await page(context, { title, place: "", isHeadless: true, status }, content);
}

const UNAUTHORIZED = 401;

/** After a form: what was typed is with the browser alone, which sends it again on request. */
export async function endedSessionPage(context: PageContext): Promise<Response> {
  return await barePage(
    context,
    { title: "Your session has ended", status: UNAUTHORIZED },
    <>
      <h1>Your session has ended.</h1>
      <p>Nothing was saved, and nothing that you typed is lost:</p>
      <ol>
        <li>
          <a href="/panel/sign-in" target="_blank" rel="noopener">
            Sign in in another window
          </a>
          .
        </li>
        <li>Come back here and reload this page: your browser sends the form again.</li>
      </ol>
    </>,
  );
}
