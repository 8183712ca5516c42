export type Point = {
  /** What the point stands for: an hour, a day. */
  label: string;
  value: number;
};

type ChartProps = {
  /** What is drawn, with its unit: "Calls by hour". */
  label: string;
  points: readonly Point[];
  /** A value as it is read. */
  format: (value: number) => string;
  /** A line for what should be low. */
  bad?: boolean;
};

const WIDTH = 320;
const HEIGHT = 96;
/** Room for the figures next to the axis; long figures take more. */
const MIN_LEFT = 44;
const CHARACTER_WIDTH = 6;
const BESIDE_AXIS = 6;
const BOTTOM = 18;
const TOP = 8;

/**
 * A line over time as inline SVG, with the axis' highest value, zero, first and last time; the
 * table with the same figures unfolds below it.
 */
export const Chart = ({ label, points, format, bad = false }: ChartProps) => {
  const highest = Math.max(...points.map(({ value }) => value), 0);
  const digits = Math.max(format(highest).length, format(0).length);
  const left = Math.max(MIN_LEFT, digits * CHARACTER_WIDTH + BESIDE_AXIS);
  const y = (value: number) =>
    TOP + (HEIGHT - TOP - BOTTOM) * (1 - (highest === 0 ? 0 : value / highest));
  const x = (at: number) =>
    left + (points.length < 2 ? 0 : ((WIDTH - left - 2) * at) / (points.length - 1));
  const line = points.map(({ value }, at) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`);
  const floor = HEIGHT - BOTTOM;
  const first = points[0]?.label ?? "";
  const last = points.at(-1)?.label ?? "";
  return (
    <figure class="chart">
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={summary(label, points, format)}
      >
        <line class="axis" x1={left} x2={WIDTH} y1={floor} y2={floor} />
        <line class="grid" x1={left} x2={WIDTH} y1={TOP} y2={TOP} />
        {highest === 0 ? null : (
          <text x={left - BESIDE_AXIS} y={TOP + 4} text-anchor="end">
            {format(highest)}
          </text>
        )}
        <text x={left - BESIDE_AXIS} y={floor + 3} text-anchor="end">
          {format(0)}
        </text>
        <text x={left} y={HEIGHT - 4}>
          {first}
        </text>
        <text x={WIDTH} y={HEIGHT - 4} text-anchor="end">
          {last}
        </text>
        {bad || points.length < 2 ? null : (
          <polygon
            class="area"
            points={`${left},${floor} ${line.join(" ")} ${x(points.length - 1)},${floor}`}
          />
        )}
        <polyline class={bad ? "spark bad" : "spark"} points={line.join(" ")} />
      </svg>
      <details>
        <summary>Table</summary>
        <table>
          <caption class="hidden">{label}</caption>
          <tbody>
            {points.map((point) => (
              <tr>
                <th scope="row">{point.label}</th>
                <td class="num">{format(point.value)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  );
};

function summary(label: string, points: readonly Point[], format: (value: number) => string) {
  const values = points.map(({ value }) => value);
  if (values.length === 0) return `${label}: nothing`;
  return `${label}, ${format(Math.min(...values))} to ${format(Math.max(...values))}`;
}
