import { expect, it } from "vitest";

import { extract } from "../../../../support/read-document.ts";

it("reads a calendar's entries, with lines that it folds", async () => {
  const calendar =
    "BEGIN:VCALENDAR\r\nX-WR-CALNAME:Quay\\, east\r\nBEGIN:VEVENT\r\nLOCATION:\r\nDTSTART:20250314T090000Z\r\nSUMMARY:Dredging of the har\r\n bour\r\nEND:VEVENT\r\nBEGIN:VTODO\r\nSUMMARY:Buy tar\r\nEND:VTODO\r\nEND:VCALENDAR\r\n";
  const { markdown, title } = await extract("quay.ics", calendar);
  expect(title).toBe("Quay, east");
  expect(markdown).toBe(
    "- Start: 2025-03-14 09:00 UTC\n- Summary: Dredging of the harbour\n\n- Summary: Buy tar",
  );
});

it("reads a calendar without entries as it stands", async () => {
  const text = "BEGIN:VCALENDAR\nBEGIN:VFREEBUSY\nFREEBUSY:20250314T090000Z/PT3H\nEND:VFREEBUSY\n";
  expect((await extract("free.ics", text)).markdown).toContain("FREEBUSY:20250314T090000Z/PT3H");
});

it("reads an entry that stands without a calendar", async () => {
  const entry = "BEGIN:VEVENT\nSUMMARY:Buy tar\nEND:VEVENT\n";
  expect((await extract("tar.ics", entry)).markdown).toBe("- Summary: Buy tar");
});
