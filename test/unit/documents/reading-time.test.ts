import { describe, expect, it } from "vitest";

import { TakesTooLong } from "../../../src/documents/extracted-document.ts";
import { bedsOf, LONG_FILES, MAX_PAGES } from "../../support/long-files.ts";
import { readUntil } from "../../support/read-document.ts";

/** About three megabytes to go over, and less than a megabyte of text in most kinds. */
const MANY_ROWS = 24_000;
const FEW_ROWS = 20;
const TOO_LONG = "reading it takes longer than 3 minutes; split it into several";

describe.each(Object.entries(LONG_FILES))("%s", (name, makeContent) => {
  it("is given up when the time is over in the middle of it", async () => {
    const beds = bedsOf(name.endsWith(".pdf") ? MAX_PAGES : MANY_ROWS);
    const { end, looks } = await readUntil(name, makeContent(beds), 2);
    expect(end).toEqual(new TakesTooLong(3));
    expect((end as Error).message).toBe(TOO_LONG);
    expect(looks).toBe(2);
  });

  it("is read without a look at the clock when it is short", async () => {
    const { end, looks } = await readUntil(name, makeContent(bedsOf(FEW_ROWS)));
    expect(end).toContain(`Bed ${FEW_ROWS}`);
    // A PDF gives way after some pages, a mail before each attachment.
    expect(looks).toBeLessThanOrEqual(/pdf|mailed/.test(name) ? 8 : 0);
  });
});

it("gives way within a single value of XML that holds a web page", async () => {
  const page = `&lt;p class="a"&gt;${"Bed words &lt;b&gt;bold&lt;/b&gt; ".repeat(60_000)}`;
  const xml = `<feed><entry note="x">${page}</entry></feed>`;
  const { end, looks } = await readUntil("beds.xml", xml);
  expect(end).toContain("Bed words bold");
  // Once for each mebibyte of the file alone.
  expect(looks).toBeGreaterThan(xml.length >> 20);
});
