const KEYS = [
  ["/", "Search: the list on this page, else the documents"],
  ["?", "This list"],
  ["Esc", "Close, or leave a field"],
] as const;

/** Opened by the page's script; without it the keys do nothing either. */
export const KeysDialog = () => (
  <dialog id="keys" aria-labelledby="keys-title">
    <h2 id="keys-title">Keys</h2>
    <dl class="keys">
      {KEYS.map(([key, does]) => (
        <div>
          <dt>
            <kbd>{key}</kbd>
          </dt>
          <dd>{does}</dd>
        </div>
      ))}
    </dl>
    <form method="dialog">
      <button class="btn">Close</button>
    </form>
  </dialog>
);
