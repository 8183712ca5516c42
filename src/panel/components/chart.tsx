import { Figure } from "./page-head.tsx";
import { Table } from "./table.tsx";

export type Point = {
  /** The name of the point: an hour, a day, a run. */
  label: string;
  value: number;
};

/** A figure and its course over time. */
export type Course = {
  name: string;
  /** The name in the field's own term, on hover. */
  term?: string;
  amount: string;
  aside?: string | undefined;
  points: readonly Point[];
  /** A value as it is read. */
  format: (value: number) => string;
  /** A line for what should be low. */
  bad?: boolean;
};

export const Charts = ({ label, courses }: { label: string; courses: readonly Course[] }) => {
  const labels = [...new Set(courses.flatMap(({ points }) => points.map((point) => point.label)))];
  const tabled = courses.map(({ name, points, format }) => {
    const byLabel = new Map(points.map((point) => [point.label, format(point.value)]));
    return { head: name, numeric: true, cell: (at: string) => byLabel.get(at) ?? "–" };
  });
  return (
    <>
      <dl class="figures">
        {courses.map((course) => (
          <Figure {...course}>
            <Chart {...course} />
          </Figure>
        ))}
      </dl>
      <details class="as-table">
        <summary>Show as table</summary>
        <Table
          label={label}
          rows={labels}
          empty={null}
          columns={[{ head: "Time", cell: (at) => at }, ...tabled]}
        />
      </details>
    </>
  );
};

const WIDTH = 320;
const HEIGHT = 118;
/** Room for the figures next to the axis; long figures take more. */
const MIN_LEFT = 32;
const CHARACTER_WIDTH = 6;
const BESIDE_AXIS = 6;
const FLOOR = HEIGHT - 18;
/** Above it stands the value of the point that is pointed at. */
const TOP = 22;
/** Half of each is as short to read. */
const ROUND_STEPS = [1, 2, 4, 6, 10];

/** The least round number that is not below the value. */
function roundUp(value: number): number {
  if (value <= 0) return 0;
  const power = 10 ** Math.floor(Math.log10(value));
  return power * (ROUND_STEPS.find((step) => step * power >= value) ?? 10);
}

/** A line as inline SVG: three ticks an axis, and the value of the point under mouse or arrow key. */
export const Chart = ({ name, points, format, bad = false }: Course) => {
  const top = roundUp(Math.max(...points.map(({ value }) => value), 0));
  // Half of 1 call would read as another 1: the later tick of a text stays.
  const texts = new Map([0, top / 2, top].map((tick) => [format(tick), tick] as const));
  const digits = Math.max(...[...texts.keys()].map(({ length }) => length));
  const leftMargin = Math.max(MIN_LEFT, digits * CHARACTER_WIDTH + BESIDE_AXIS);
  const step = points.length < 2 ? 0 : (WIDTH - leftMargin - 4) / (points.length - 1);
  const x = (at: number) => Math.round((leftMargin + step * at) * 10) / 10;
  const y = (value: number) =>
    Math.round((TOP + (FLOOR - TOP) * (1 - (top === 0 ? 0 : value / top))) * 10) / 10;
  const line = points.map(({ value }, at) => `${x(at)},${y(value)}`).join(" ");
  return (
    <svg
      class="chart"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      tabindex={0}
      aria-label={summary(name, points, format)}
    >
      {[...texts].map(([text, tick]) => (
        <>
          <path class={tick === 0 ? "axis" : "grid"} d={`M${leftMargin} ${y(tick)}H${WIDTH}`} />
          <text x={leftMargin - BESIDE_AXIS} y={y(tick) + 3} text-anchor="end">
            {text}
          </text>
        </>
      ))}
      <TimeAxis points={points} x={x} />
      {bad || points.length < 2 ? null : (
        <path
          class="area"
          d={`M${leftMargin},${FLOOR} L${line} ${x(points.length - 1)},${FLOOR}`}
        />
      )}
      <polyline class={bad && top > 0 ? "spark bad" : "spark"} points={line} />
      {points.map(({ label, value }, at) => (
        <g>
          <rect x={x(at) - step / 2} width={Math.max(step, 4)} />
          <circle cx={x(at)} cy={y(value)} />
          <text>{`${label}: ${format(value)}`}</text>
        </g>
      ))}
    </svg>
  );
};

const TimeAxis = ({ points, x }: { points: readonly Point[]; x: (at: number) => number }) => {
  const last = points.length - 1;
  const ticks = [
    { at: 0, anchor: "start" },
    ...(last < 4 ? [] : [{ at: Math.floor(last / 2), anchor: "middle" }]),
    ...(last < 1 ? [] : [{ at: last, anchor: "end" }]),
  ];
  return (
    <>
      {ticks.map(({ at, anchor }) => (
        <text x={anchor === "end" ? WIDTH : x(at)} y={HEIGHT - 4} text-anchor={anchor}>
          {points[at]?.label}
        </text>
      ))}
    </>
  );
};

function summary(name: string, points: readonly Point[], format: (value: number) => string) {
  const values = points.map(({ value }) => value);
  if (values.length === 0) return `${name}: nothing`;
  return `${name}, ${format(Math.min(...values))} to ${format(Math.max(...values))}`;
}
