import type { Child } from "hono/jsx";

import type { Steps } from "../../../db/maintenance/overview-store.ts";
import { ActionButton } from "../../components/form.tsx";
import { LinkButton } from "../../components/data.tsx";
import { PageHead } from "../../components/page-head.tsx";

type Step = {
  title: string;
  says: string;
  isDone: boolean;
  /** What it offers, as the page's one action where it is next; null: nothing yet, or any more. */
  action: (kind?: "primary") => Child;
  /** Not for administrators alone. */
  isForAll?: true;
};

/** The five steps, with what is there already named in the addresses of those that follow. */
function stepsOf({ source, rag, inference, hasFiles, hasToken, hasCalls }: Steps): Step[] {
  const go = (href: string, label: string) => (kind?: "primary") => (
    <LinkButton href={href} label={label} {...(kind === undefined ? {} : { kind })} />
  );
  const nothing = () => null;
  // The token may use the inference as well, once there is one.
  const using = inference === null ? "" : `&inference=${encodeURIComponent(inference)}`;
  const withRag = (href: string, label: string) => (rag === null ? nothing : go(href, label));
  return [
    {
      title: "Documents",
      says: "Upload a folder, or name a web site, a bucket or a drive.",
      isDone: hasFiles,
      action: source === null ? FirstFolder : go(`/panel/sources/${source}`, "Add documents"),
    },
    {
      title: "RAG",
      says: "The index of a source: its documents, cut into passages that can be found.",
      isDone: rag !== null,
      action: source === null || rag !== null ? nothing : MakeRag,
    },
    {
      title: "Inference",
      says: "A prompt and a model that answer from the passages.",
      isDone: inference !== null,
      action: withRag(`/panel/new/inference?rag=${rag}`, "Make an inference"),
    },
    {
      title: "Token",
      says: "What a program shows to be let in, with just the rights that it needs.",
      isDone: hasToken,
      action: withRag(`/panel/tokens/new?rag=${rag}${using}`, "Make a token"),
    },
    {
      title: "Ask",
      says: "Search what was indexed, and see why each passage was found.",
      isDone: hasCalls,
      action: withRag(`/panel/search?rag=${rag}`, "Ask something"),
      isForAll: true,
    },
  ];
}

const FirstFolder = () => (
  <span class="actions">
    <ActionButton action="/panel/first-steps/folder" label="Upload files" kind="primary" />
    <LinkButton href="/panel/new/source" label="Another source" />
  </span>
);

const MakeRag = (kind: "primary" | "plain" = "plain") => (
  <ActionButton action="/panel/first-steps/rag" label="Make a RAG of it" kind={kind} />
);

/** How many steps are left. */
export const missingSteps = (steps: Steps) => stepsOf(steps).filter(({ isDone }) => !isDone).length;

export const FirstSteps = ({ steps, mayAct }: { steps: Steps; mayAct: boolean }) => {
  const all = stepsOf(steps);
  const next = all.find(({ isDone }) => !isDone);
  return (
    <>
      <PageHead
        title={next === undefined ? "Everything is set up." : "From nothing to an answer"}
        sub="Five steps. You can stop at any step and continue later."
      />
      <ol class="steps">
        {all.map((step, at) => (
          <li class={step.isDone ? "done" : undefined}>
            <span class="number" aria-hidden="true">
              {step.isDone ? "✓" : at + 1}
            </span>
            <div>
              <h2>
                {step.title}
                <span class="hidden">{step.isDone ? ": done" : ": not done"}</span>
              </h2>
              <p>{step.says}</p>
            </div>
            <div>
              {mayAct || step.isForAll ? step.action(step === next ? "primary" : undefined) : null}
            </div>
          </li>
        ))}
      </ol>
      {mayAct ? null : (
        <p class="soft">An administrator does these steps; searching is for everybody.</p>
      )}
    </>
  );
};
