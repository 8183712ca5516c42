/** Arrow keys on a chart lead from value to value; a screen reader hears each. */
export function addChartKeys(): void {
  document.addEventListener("keydown", (event) => {
    const step = event.key === "ArrowLeft" ? -1 : event.key === "ArrowRight" ? 1 : 0;
    const chart = document.activeElement;
    if (step === 0 || chart === null || !chart.matches("svg.chart")) return;
    event.preventDefault();
    const points = [...chart.querySelectorAll("g")];
    const shown = points.findIndex((point) => point.classList.contains("here"));
    const from = shown === -1 ? points.length : shown;
    const next = points[Math.min(points.length - 1, Math.max(0, from + step))];
    for (const point of points) point.classList.toggle("here", point === next);
    chart.setAttribute("aria-label", next?.textContent ?? "");
  });
}
