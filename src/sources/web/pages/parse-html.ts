import { Parser, type Handler } from "htmlparser2";

import { NestingLimit } from "../../../documents/formats/html/nesting-limit.ts";

type Told = Pick<Partial<Handler>, "onopentag" | "ontext" | "onclosetag">;

/** Tells what a page holds, in time that is linear in its length however deeply it nests. */
export function parseHtml(html: string, told: Told): void {
  let depth = 0;
  const limit = new NestingLimit(html, {
    get depth() {
      return depth;
    },
    ontext: (text) => told.ontext?.(text),
  });
  const parser = new Parser(
    {
      ...told,
      onopentag(...opened) {
        depth += 1;
        told.onopentag?.(...opened);
      },
      onclosetag(...closed) {
        depth -= 1;
        told.onclosetag?.(...closed);
      },
    },
    { Tokenizer: limit.tokenizer },
  );
  parser.end(html);
}
