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

/** Leads what was asked of a RAG, and what was found, into a question set. */
export const KeepQuestion = (offer: Offer) => (
  <section>
    <h2>Ask it again</h2>
    <p>
      <a href={keepAddress(offer)}>Keep this question</a>{" "}
      <span class="soft">in a set that is asked after every change.</span>
    </p>
  </section>
);
