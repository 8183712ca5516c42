type Offer = {
  /** Its identifier. */
  rag: string;
  question: string;
  /** Where its best passage was found; null: nowhere. */
  file: string | null;
};

/** Where a question is kept: the form offers what was found. */
export const keepAddress = ({ rag, question, file }: Offer) =>
  `/panel/new/question?${new URLSearchParams({ rag, question, expected: file ?? "" }).toString()}`;
