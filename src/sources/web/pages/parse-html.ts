import { Parser, type Handler } from "htmlparser2";

/** At each tag the parser goes through all open elements: the limit keeps its work linear. */
const MAX_DEPTH = 1_000;
const STEP_CHARACTERS = 1 << 12;

/** Tells what a page holds, up to where it nests deeper than any page that is read. */
export function parseHtml(
  html: string,
  told: Pick<Partial<Handler>, "onopentag" | "ontext" | "onclosetag">,
): void {
  let depth = 0;
  const parser = new Parser({
    ...told,
    onopentag(...opened) {
      depth += 1;
      told.onopentag?.(...opened);
    },
    onclosetag(...closed) {
      depth -= 1;
      told.onclosetag?.(...closed);
    },
  });
  const isRead = () => depth <= MAX_DEPTH;
  for (let at = 0; at < html.length && isRead(); at += STEP_CHARACTERS) {
    parser.write(html.slice(at, at + STEP_CHARACTERS));
  }
  parser.end();
}
