export const KEEP = "/panel/new/question";
/** Files that a search offers to keep. */
export const OFFERED_MAX = 10;

type Offer = {
  /** Its identifier. */
  rag: string;
  question: string;
  /** Where its passages were found, best first. */
  files: readonly string[];
};

/** Where a question is kept: the page offers what was found. */
export function keepAddress({ rag, question, files }: Offer): string {
  const offered = [...new Set(files)].slice(0, OFFERED_MAX);
  const values = [["rag", rag], ["question", question], ...offered.map((file) => ["offer", file])];
  return `${KEEP}?${new URLSearchParams(values).toString()}`;
}

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
