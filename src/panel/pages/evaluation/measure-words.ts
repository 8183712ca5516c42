import type { MeasureName } from "../../../evaluation/measures/summarise.ts";

/** Measures as people read them; the field's own term is shown on hover. */
export const measureWords: Record<MeasureName, { name: string; term: string }> = {
  "recall@1": { name: "Right file first", term: "recall@1: share of expected passages at place 1" },
  "recall@3": { name: "Right file in first 3", term: "recall@3: share of expected passages" },
  "recall@5": { name: "Right file in first 5", term: "recall@5: share of expected passages" },
  "recall@10": { name: "Right file in first 10", term: "recall@10: share of expected passages" },
  "ndcg@10": { name: "Order of first 10", term: "nDCG@10: 1 if all expected come first" },
  mrr: {
    name: "First hit near the top",
    term: "MRR, mean reciprocal rank: 1 for place 1, ½ for 2",
  },
  answers: { name: "Right answers", term: "share of checked answers that are right" },
};

/** The measures of retrieval that lists and charts show. */
export const SHOWN_MEASURES = ["recall@5", "ndcg@10", "mrr"] as const;
