import { eventsIn } from "../../core/server-events.ts";
import { showCopyButtons } from "./copy.ts";

let asking: AbortController | null = null;

/** Questions to models are answered on the page, word by word; Enter sends what is typed. */
export function listenForQuestions(): void {
  document.addEventListener("submit", (event) => {
    const { target: form, submitter } = event;
    if (!(form instanceof HTMLFormElement) || form.id !== "ask") return;
    const fields = [...new FormData(form, submitter)];
    const parameters = new URLSearchParams(
      fields.flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
    );
    const targets = [...parameters.getAll("with"), ...parameters.getAll("b.with")];
    const isSearch = targets.every((target) => target.startsWith("rag:"));
    if (isSearch || submitter?.hasAttribute("name") || submitter?.hasAttribute("formaction"))
      return;
    event.preventDefault();
    if (asking === null) void ask(form, parameters);
    else asking.abort();
  });
  document.addEventListener("input", ({ target }) => {
    if (!(target instanceof HTMLTextAreaElement) || target.name !== "q") return;
    for (const part of document.querySelectorAll<HTMLElement>("[data-typed]")) write(part, target);
  });
  document.addEventListener("keydown", (event) => {
    const { key, shiftKey, isComposing, target } = event;
    if (key !== "Enter" || shiftKey || isComposing) return;
    if (!(target instanceof HTMLTextAreaElement) || target.name !== "q") return;
    event.preventDefault();
    target.form?.requestSubmit(target.form.querySelector(".ask button"));
  });
}

/** Within a string of JSON, which curl's stands in single quotes of the shell. */
function write(part: HTMLElement, { value, placeholder }: HTMLTextAreaElement): void {
  const inJson = JSON.stringify(value.trim() || placeholder).slice(1, -1);
  const isShell = part.dataset["typed"] === "As curl";
  part.textContent = isShell ? inJson.replaceAll("'", String.raw`'\''`) : inJson;
}

async function ask(form: HTMLFormElement, body: URLSearchParams): Promise<void> {
  const turn = newTurn(body.get("q") ?? "");
  document.querySelector("#turns")?.append(turn);
  const button = form.querySelector(".ask button");
  const label = button?.textContent ?? "";
  if (button !== null) button.textContent = "Stop";
  turn.scrollIntoView({ block: "nearest" });
  asking = new AbortController();
  try {
    await receive(form, body, turn, asking.signal);
  } catch (thrown) {
    endTurn(turn, asking.signal.aborted ? "Stopped." : `The connection failed: ${String(thrown)}`);
  }
  asking = null;
  const again = document.querySelector("#ask .ask button");
  if (again?.textContent === "Stop") again.textContent = label;
}

async function receive(
  form: HTMLFormElement,
  body: URLSearchParams,
  turn: HTMLElement,
  signal: AbortSignal,
): Promise<void> {
  const headers = { Accept: "text/event-stream" };
  const response = await fetch(form.action, { method: "POST", body, headers, signal });
  const isStream = response.headers.get("Content-Type")?.includes("event-stream") === true;
  // The page that the form leads to says what is wrong.
  if (!isStream || response.body === null) return form.submit();
  for await (const { name, data } of eventsIn(response.body)) show(turn, name, data);
  if (turn.getAttribute("aria-busy") === "true") endTurn(turn, "The answer broke off.");
}

function newTurn(question: string): HTMLElement {
  const turn = document.createElement("article");
  turn.className = "turn";
  turn.setAttribute("aria-busy", "true");
  turn.innerHTML = `<h2 class="question data" dir="auto"></h2><div class="cols even">
    <div class="answer"><div class="answer-text" dir="auto"></div><p class="faint" role="status">
    Looking for passages …</p></div><div><h3>Passages</h3><div class="given"></div></div></div>`;
  part(turn, ".question").textContent = question;
  return turn;
}

/** An element that the script made: it always exists. */
function part(turn: HTMLElement, selector: string): Element {
  return turn.querySelector(selector) ?? turn;
}

type StreamPart = { text?: string; step?: number; html?: string; error?: string };

function show(turn: HTMLElement, name: string, { text, step, html, error }: StreamPart): void {
  const answer = part(turn, ".answer-text");
  if (name === "delta") {
    // A further call of the model begins a new text.
    if (turn.dataset["step"] !== String(step)) answer.textContent = "";
    turn.dataset["step"] = String(step);
    answer.textContent += text ?? "";
    part(turn, "[role=status]").textContent = "";
  }
  if (name === "passages") part(turn, ".given").replaceChildren(...nodesOf(html));
  if (name === "passages") part(turn, "[role=status]").textContent = "Writing the answer …";
  if (name === "error") endTurn(turn, error ?? "");
  if (name === "page") finish(turn, html);
}

const pageOf = (html = "") => new DOMParser().parseFromString(html, "text/html");

const nodesOf = (html?: string) =>
  [...pageOf(html).body.childNodes].map((node) => document.importNode(node, true));

/** The whole turn takes the place of the one that grew, and the form knows it. */
function finish(turn: HTMLElement, html?: string): void {
  const page = pageOf(html);
  const whole = [...page.querySelectorAll(".turn")].at(-1);
  const isRefused = page.querySelector("#ask .notice.bad, #ask .failed") !== null;
  if (whole === undefined || isRefused) turn.remove();
  else turn.replaceWith(document.adoptNode(whole));
  const [form, next] = [document.querySelector("#ask"), page.querySelector("#ask")];
  if (form === null || next === null) return;
  const copy = document.importNode(next, true);
  const drawers = form.querySelectorAll<HTMLDetailsElement>("details:not(.second)");
  const details = copy.querySelectorAll<HTMLDetailsElement>("details:not(.second)");
  for (const [at, drawer] of details.entries()) drawer.open ||= drawers[at]?.open === true;
  form.replaceWith(copy);
  copy.querySelector<HTMLElement>("[name=q]")?.focus({ preventScroll: true });
  if (!isRefused) whole?.scrollIntoView();
  showCopyButtons(document);
}

function endTurn(turn: HTMLElement, words: string): void {
  turn.removeAttribute("aria-busy");
  part(turn, "[role=status]").textContent = words;
}
