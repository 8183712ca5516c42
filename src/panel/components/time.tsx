import { isoTime, SECOND_MS } from "../../core/time.ts";
import { span } from "./figures.ts";

/** Before it is a while ago: clocks differ, and "0 seconds ago" reads badly. */
const NOW_WITHIN_MS = 5 * SECOND_MS;

/** A time relative to now, the exact one on hover; the page's script keeps it right. */
export const Time = ({ at, now }: { at: number; now: number }) => {
  const exact = isoTime(at);
  return (
    <time datetime={exact} title={exact.replace("T", " ").replace(/\.\d+Z$/, " UTC")}>
      {relative(at, now)}
    </time>
  );
};

function relative(at: number, now: number): string {
  if (Math.abs(now - at) < NOW_WITHIN_MS) return "just now";
  return at > now ? `in ${span(at - now)}` : `${span(now - at)} ago`;
}

/** The same where there may be none. */
export const TimeOr = ({ at, now, none }: { at: number | null; now: number; none: string }) =>
  at === null ? <span class="soft">{none}</span> : <Time at={at} now={now} />;
