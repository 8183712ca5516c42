import type { EarlierMessage } from "../../../inference/types.ts";
import { AsCode } from "../../components/code-block.tsx";
import { LinkButton, ForAdmins } from "../../components/data.tsx";
import { OptionList, TextArea, field, type FormState, UPDATED_AT } from "../../components/form.tsx";
import { Warning } from "../../components/notice.tsx";
import { HiddenTurns } from "../answers/conversation.tsx";
import { addressOf } from "../answers/model-list.tsx";
import { Options } from "./options.tsx";
import { SECOND, keyOf, targetKey, type Choices, type Target } from "./search-settings.ts";
import { SAMPLE_QUESTION, type Call } from "./search-settings.ts";

export type FormProps = {
  action: string;
  here: string;
  state: FormState;
  /** The targets to choose from; null: it is the model's own page. */
  choices: Choices | null;
  target: Target;
  /** The second setting's; null: nothing is compared. */
  second: Target | null;
  rerankers: string[];
  turns: EarlierMessage[];
  /** The question that was just answered is not offered again. */
  isAnswered: boolean;
  /** The second setting is folded below its results, which come first. */
  hasResults: boolean;
  call: Call;
  baseUrl: string;
};

/** The target of the question; one beyond the listed ones stays chosen. */
const With = ({ name, choices, chosen }: { name: string; choices: Choices; chosen: string }) => {
  const groups = choices.map(({ label, kind, choices: targets }) => ({
    label,
    options: targets.map((item) => ({ value: targetKey(kind, item.identifier), label: item.name })),
  }));
  const isListed = groups.some(({ options }) => options.some(({ value }) => value === chosen));
  return (
    <select name={name} aria-label={name === "with" ? "Ask" : "Compare with"}>
      {isListed ? null : (
        <option value={chosen} selected>
          {chosen.slice(chosen.indexOf(":") + 1)}
        </option>
      )}
      {groups
        .filter(({ options }) => options.length > 0)
        .map(({ label, options }) => (
          <optgroup label={label}>
            <OptionList options={options} chosen={chosen} />
          </optgroup>
        ))}
    </select>
  );
};

const Ask = ({ state, choices, target, second, turns, isAnswered }: FormProps) => (
  <div class={choices === null ? "ask fixed" : "ask"}>
    {choices === null ? (
      <input type="hidden" name="with" value={keyOf(target)} />
    ) : (
      <With name="with" choices={choices} chosen={keyOf(target)} />
    )}
    <textarea
      name="q"
      rows={1}
      aria-label="Question"
      placeholder={turns.length > 0 ? "Ask a follow-up" : "Ask the documents something"}
      dir="auto"
      required
      autofocus={!isAnswered && state.text("q") === ""}
      data-search
    >
      {isAnswered ? "" : `\n${state.text("q")}`}
    </textarea>
    <button class="btn primary">
      {target.kind === "rag" ? "Search" : "Ask"}
      {second === null ? "" : " both"}
    </button>
  </div>
);

/** A search for a person shows for whom. */
const areOpen = (state: FormProps["state"]) => state.status !== 200 || state.text("reader") !== "";

export const SearchForm = (props: FormProps) => {
  const { action, here, state, target, second, turns, call, hasResults } = props;
  const isRag = target.kind === "rag";
  return (
    <form method="post" action={action} class="playground" id="ask">
      {state.status === 200 ? null : (
        <Warning text={state.message ?? "Nothing was asked: see the marked fields."} />
      )}
      <HiddenTurns turns={turns} />
      <Ask {...props} />
      <p class="actions">
        <button class="btn" name="compare" value={second === null ? "begin" : "end"} formnovalidate>
          {second === null ? "Compare two settings" : "Stop comparing"}
        </button>
        {turns.length === 0 ? null : <LinkButton href={here} label="New conversation" />}
      </p>
      <details class="options" open={areOpen(state)}>
        <summary>{second === null ? "All options" : "First setting"}</summary>
        <TextArea
          {...field(state, "more", isRag ? "Further questions" : "Search for")}
          rows={2}
          hint={
            isRag
              ? "One a line, up to nine. A passage that answers any of them is found."
              : "One a line, up to nine, in addition to the question. Leave empty to search as it is set."
          }
        />
        <Options {...props} prefix="" />
        <SavePrompt {...props} />
      </details>
      {second === null ? null : <Comparison {...props} second={second} />}
      {isRag ? null : (
        <details class="options">
          <summary>The same call as code</summary>
          <AsCode
            {...call}
            url={props.baseUrl + call.path}
            typed={hasResults ? undefined : SAMPLE_QUESTION}
          />
        </details>
      )}
    </form>
  );
};

/** The system prompt alone is saved: the model's form takes the other fields as they are. */
const SavePrompt = ({ target }: FormProps) =>
  target.kind === "rag" ? null : (
    <ForAdmins>
      <input type="hidden" name={UPDATED_AT} value={target.record.updatedAt} />
      <input type="hidden" name="only" value="systemPrompt" />
      <button
        class="btn"
        formaction={`${addressOf(target.kind, target.record.identifier)}/settings`}
        formnovalidate
      >
        Save this system prompt
      </button>
    </ForAdmins>
  );

const Comparison = (props: FormProps & { second: Target }) => {
  const { choices, second, state, hasResults } = props;
  return (
    <details class="options second" open={!hasResults || state.status !== 200}>
      <summary>Second setting</summary>
      <input type="hidden" name="compare" value="on" />
      {choices === null ? (
        <input type="hidden" name={`${SECOND}with`} value={keyOf(second)} />
      ) : (
        <p class="other">
          <With name={`${SECOND}with`} choices={choices} chosen={keyOf(second)} />
        </p>
      )}
      <Options {...props} target={second} prefix={SECOND} />
    </details>
  );
};
