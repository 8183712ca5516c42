import type { Child } from "hono/jsx";

import type { Steps } from "../../../db/maintenance/steps-store.ts";
import { ActionButton } from "../../components/form.tsx";
import { PageHead } from "../../components/page-head.tsx";
import { LinkButton } from "../../components/link.tsx";

type Step = { title: string; says: string; done: boolean; action: Child };

/** How many steps are left. */
export function doneOf(steps: Steps): { missing: number } {
  return { missing: doneSteps(steps).filter((done) => !done).length };
}

const Go = ({ href, label, isNext }: { href: string; label: string; isNext: boolean }) => (
  <a class={isNext ? "btn primary" : "btn"} href={href}>
    {label}
  </a>
);

/** The five steps, with what is there already named in the addresses of those that follow. */
function stepsOf(steps: Steps, mayAct: boolean): Step[] {
  const next = nextOf(steps);
  const actions = actionsOf(steps, next);
  const done = doneSteps(steps);
  return WORDS.map(({ title, says }, at) => {
    const isForAll = at === ASKING;
    return {
      title,
      says,
      done: done[at] === true,
      action: mayAct || isForAll ? actions[at] : null,
    };
  });
}

const ASKING = 4;
const WORDS = [
  { title: "Documents", says: "Upload a folder, or name a web site, a bucket or a drive." },
  {
    title: "RAG",
    says: "The index of a source: its documents, cut into passages that can be found.",
  },
  { title: "Inference", says: "A prompt and a model that answer from the passages." },
  {
    title: "Token",
    says: "What a program shows to be let in, with just the rights that it needs.",
  },
  { title: "Ask", says: "Search what was indexed, and see why each passage was found." },
];

const doneSteps = ({ hasFiles, rag, inference, hasToken, hasCalls }: Steps) => [
  hasFiles,
  rag !== null,
  inference !== null,
  hasToken,
  hasCalls,
];

/** What each step offers; null while it cannot be done yet, or nothing is left to do. */
function actionsOf({ source, rag, inference }: Steps, next: number): Child[] {
  const go = (at: number, href: string, label: string) => (
    <Go href={href} label={label} isNext={next === at} />
  );
  const makeRag = (
    <ActionButton
      action="/panel/first-steps/rag"
      label="Make a RAG of it"
      kind={next === 1 ? "primary" : "plain"}
    />
  );
  return [
    source === null ? <FirstFolder /> : go(0, `/panel/sources/${source}`, "Add documents"),
    source === null || rag !== null ? null : makeRag,
    rag === null ? null : go(2, `/panel/new/inference?rag=${rag}`, "Make an inference"),
    rag === null ? null : go(3, `/panel/tokens/new?rag=${rag}${using(inference)}`, "Make a token"),
    rag === null ? null : go(ASKING, `/panel/search?rag=${rag}`, "Ask something"),
  ];
}

/** The token may use the inference as well, once there is one. */
const using = (inference: string | null) =>
  inference === null ? "" : `&inference=${encodeURIComponent(inference)}`;

/** The first step that is left. */
const nextOf = (steps: Steps) => doneSteps(steps).indexOf(false);

const FirstFolder = () => (
  <span class="actions">
    <ActionButton action="/panel/first-steps/folder" label="Upload files" kind="primary" />
    <LinkButton href="/panel/new/source" label="Another source" />
  </span>
);

export const FirstSteps = ({ steps, mayAct }: { steps: Steps; mayAct: boolean }) => {
  const all = stepsOf(steps, mayAct);
  const left = all.filter(({ done }) => !done).length;
  return (
    <>
      <PageHead
        title={left === 0 ? "Everything is set up." : "From nothing to an answer"}
        sub="Five steps. You can stop at any step and continue later."
      />
      <ol class="steps">
        {all.map(({ title, says, done, action }, at) => (
          <li class={done ? "done" : undefined}>
            <span class="number" aria-hidden="true">
              {done ? "✓" : at + 1}
            </span>
            <div>
              <h2>
                {title}
                <span class="hidden">{done ? ": done" : ": not done"}</span>
              </h2>
              <p>{says}</p>
            </div>
            <div>{action}</div>
          </li>
        ))}
      </ol>
      {mayAct ? null : (
        <p class="soft">An administrator does these steps; searching is for everybody.</p>
      )}
    </>
  );
};
