import { barePage, type PageContext } from "../page.tsx";

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
