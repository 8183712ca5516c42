/** Put before pdf.js and its decoders: means of squares of `by` by `by` pixels: one row. */
// oxlint-disable-next-line no-unused-vars -- called by both
function meansOf(samples, { width, rows, channels, by }) {
  const columns = Math.ceil(width / by);
  const means = new samples.constructor(columns * channels);
  for (let to = 0; to < means.length; to++) {
    const from = Math.floor(to / channels) * by;
    const end = Math.min(width, from + by);
    let sum = 0;
    for (let row = 0; row < rows; row++)
      for (let x = from; x < end; x++)
        sum += samples[(row * width + x) * channels + (to % channels)];
    means[to] = Math.round(sum / (rows * (end - from)));
  }
  return means;
}
