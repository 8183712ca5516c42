const KEYS = [
  ["/", "Search: the list on this page, else the documents"],
  ["?", "This list"],
  ["Esc", "Close, or leave a field"],
  ["g o", "Overview"],
  ["g s", "Sources"],
  ["g r", "RAGs"],
  ["g i", "Inferences"],
  ["g a", "Agents"],
  ["g t", "Tokens"],
] as const;

/** Opened by the page's script; without it the keys do nothing either. */
export const KeysDialog = () => (
  <dialog id="keys" aria-labelledby="keys-title">
    <h2 id="keys-title">Keys</h2>
    <dl class="keys">
      {KEYS.map(([key, does]) => (
        <div>
          <dt>
            {key.split(" ").map((one) => (
              <kbd>{one}</kbd>
            ))}
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
