export type SampleDocument = {
  path: string;
  text: string;
  metadata?: Record<string, unknown>;
};

export const LEAVE =
  "Everyone has twenty-six days of paid leave a year, asked for in the calendar.";

/** In order of path; `notes/copy.md` repeats a text, `notes/empty.md` has none. */
export const DOCUMENTS: SampleDocument[] = [
  {
    path: "guide/deep/receipts.md",
    text: "# Receipts\n\nReceipts are photographed and sent to finance within a month.\n",
  },
  { path: "guide/leave.md", text: `# Leave\n\n${LEAVE}\n` },
  {
    path: "guide/travel.md",
    text: "# Travel\n\nTrains are booked through the travel desk, in second class.\n",
  },
  {
    path: "guidebook.md",
    text: "# Guidebook\n\nThe guidebook lists walks around the moor and when the hides are open.\n",
  },
  { path: "notes/copy.md", text: `# Leave\n\n${LEAVE}\n` },
  { path: "notes/empty.md", text: "" },
  {
    path: "notes/labelled.md",
    text: "# Supply contract\n\nPeat-free compost is delivered on the first Monday of each month.\n",
    metadata: { labels: ["contract", "2026"], owner: "mara" },
  },
];

export const OTHER_DOCUMENTS: SampleDocument[] = [
  { path: "apples.md", text: "# Apples\n\nApples are stored in the cellar from October on.\n" },
  {
    path: "bees.md",
    text: "# Bees\n\nThe hives stand south of the orchard and are fed in March.\n",
  },
  { path: "carts.md", text: "# Carts\n\nCarts are greased before the harvest and kept dry.\n" },
];
