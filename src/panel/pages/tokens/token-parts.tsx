import { DAY_MS } from "../../../core/time.ts";
import type { TokenLine } from "../../../db/access/token-store.ts";
import { Data, Time, TimeOr } from "../../components/data.tsx";
import { Status } from "../../components/status.tsx";
import type { Column } from "../../components/table.tsx";

export const TOKEN_TABS = {
  label: "Tokens",
  address: "/panel/tokens",
  names: { "": "Tokens", "/programs": "Connected programs" },
};

const SOON_MS = 7 * DAY_MS;

/** When a token ends; marked where that is soon. */
const Expiry = ({ at, now }: { at: number | null; now: number }) => {
  if (at === null) return <span class="soft">never</span>;
  if (at <= now) return <Status tone="bad">expired</Status>;
  return at - now < SOON_MS ? (
    <Status tone="warn">
      <Time at={at} now={now} />
    </Status>
  ) : (
    <Time at={at} now={now} />
  );
};

/** When it was last used, when it ends and since when it is there. */
export const timeColumns = (now: number, ends: string, since: string): Column<TokenLine>[] => [
  {
    head: "Last used",
    sort: "used",
    cell: ({ lastUsedAt }) => <TimeOr at={lastUsedAt} now={now} none="never" />,
  },
  {
    head: ends,
    wide: true,
    sort: "expires",
    cell: ({ expiresAt }) => <Expiry at={expiresAt} now={now} />,
  },
  {
    head: since,
    wide: true,
    sort: "created",
    cell: ({ createdAt }) => <Time at={createdAt} now={now} />,
  },
];

/** What a token covers. */
export const Rights = ({ token }: { token: TokenLine }) => {
  const groups = [
    { word: "RAGs", all: token.allRags, names: token.rags },
    { word: "inferences", all: token.allInferences, names: token.inferences },
    { word: "agents", all: token.allAgents, names: token.agents },
  ].filter(({ all, names }) => all || names.length > 0);
  if (groups.length === 0) return <Status tone="off">nothing</Status>;
  return (
    <span class="tags">
      {groups.map(({ word, all, names }) =>
        all ? (
          <span class="tag">all {word}</span>
        ) : (
          names.map((name) => (
            <span class="tag">
              <Data>{name}</Data>
            </span>
          ))
        ),
      )}
      {token.namesMore ? <span class="soft">and more</span> : null}
      {token.manageScopes ? <span class="tag">changes scopes</span> : null}
    </span>
  );
};
