import type { Choice } from "../../../db/catalog/panel-lists.ts";
import { TextArea } from "../../components/form.tsx";
import { Warning } from "../../components/notice.tsx";
import type { Form, FormState } from "../request/form.ts";
import { Options, ragOptions } from "./options.tsx";
import { SECOND, SETTING_FIELDS } from "./search-settings.ts";

const HERE = "/panel/search";

export type FormProps = { form: Form; state: FormState; rags: Choice[]; rerankers: string[] };

/** Which RAG is asked, and what; a RAG beyond the listed ones stays chosen. */
const Ask = ({ state, rags }: Pick<FormProps, "state" | "rags">) => {
  const chosen = state.text("rag");
  const isListed = rags.some(({ identifier }) => identifier === chosen);
  return (
    <div class="ask">
      <select name="rag" aria-label="RAG">
        {isListed || chosen === "" ? null : (
          <option value={chosen} selected>
            {chosen}
          </option>
        )}
        {ragOptions(rags).map(({ value, label }) => (
          <option value={value} selected={value === chosen}>
            {label}
          </option>
        ))}
      </select>
      <input
        type="search"
        name="q"
        value={state.text("q")}
        aria-label="Question"
        placeholder="Ask the documents something"
        dir="auto"
        autocomplete="off"
        autofocus={state.text("q") === ""}
        data-search
      />
      <button class="btn primary">Search</button>
    </div>
  );
};

/** The question, every option of the API, and a second setting to compare with. */
export const SearchForm = ({ form, state, rags, rerankers }: FormProps) => {
  const isComparing = form.has("compare");
  const options = { state, rags, rerankers };
  const isOpen = state.status !== 200;
  return (
    <form method="get" action={HERE} class="playground">
      {state.status === 200 ? null : (
        <Warning text={state.message ?? "Nothing was searched: see the marked fields."} />
      )}
      <Ask state={state} rags={rags} />
      <details class="options" open={isOpen}>
        <summary>All options</summary>
        <TextArea
          state={state}
          name="more"
          label="Further questions"
          rows={2}
          hint="One a line, up to nine. A passage that answers any of them is found."
        />
        <Options {...options} prefix="" withRag={false} />
      </details>
      {isComparing ? (
        <details class="options" open>
          <summary>Compared with</summary>
          <Options {...options} prefix={SECOND} withRag />
          <button class="btn">Search with both</button>{" "}
          <a href={withoutComparison(form)}>Stop comparing</a>
          <input type="hidden" name="compare" value="on" />
        </details>
      ) : (
        <p>
          <button class="btn" name="compare" value="on">
            Compare with other settings
          </button>
        </p>
      )}
    </form>
  );
};

function withoutComparison(form: Form): string {
  const kept = ["q", "more", ...SETTING_FIELDS].flatMap((name) => {
    const value = form.exact(name);
    return value === "" ? [] : [[name, value]];
  });
  return `${HERE}?${new URLSearchParams(kept).toString()}`;
}
