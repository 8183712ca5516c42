/**
 * Prepended to pdf.js: a page's pictures are decoded one after another once all of them are
 * counted. Pages of more than `FULL` pixels are decoded in bands, at a share of their width and
 * height that leaves `REDUCED` pixels, some 200 dots an inch of a page: models reduce them further
 * (to 1,568 pixels a side: https://docs.claude.com/en/docs/vision), and as PNG they take less than a
 * picture may have.
 */
const [MOST, FULL, REDUCED] = [60e6, 12e6, 6e6];
const [RGB, RGBA] = [2, 3];
const PIXELS_A_TURN = 1 << 20;
/** Bytes before its end that a stream's decoder reads again, without a row. */
const WINDOW = 1 << 16;

const reductionOf = (pixels) => (pixels > FULL ? Math.ceil(Math.sqrt(pixels / REDUCED)) : 1);

// oxlint-disable-next-line no-unused-vars -- called by pdf.js
async function decodeAfterCount(evaluator, evaluate) {
  const { promise, resolve } = Promise.withResolvers();
  Object.assign(evaluator, { pixels: 0, reduction: 0, decoding: promise });
  try {
    await evaluate();
    if (evaluator.pixels <= MOST) evaluator.reduction = reductionOf(evaluator.pixels);
  } finally {
    resolve();
  }
}

/** False when a page has too many pixels. JPEGs are handed over, and bits stay bits. */
// oxlint-disable-next-line no-unused-vars -- called by pdf.js
function countPixels(evaluator, width, height, dict, isJpeg) {
  const space = dict.get("CS", "ColorSpace");
  const isIndexed = Array.isArray(space) && ["Indexed", "I"].includes(space[0]?.name);
  const isMask = dict.get("IM", "ImageMask");
  const isBits = isMask || (dict.get("BPC", "BitsPerComponent") === 1 && !isIndexed);
  evaluator.pixels += isJpeg ? 0 : isBits ? (width * height) / 32 : width * height;
  return evaluator.pixels <= MOST;
}

// oxlint-disable-next-line no-unused-vars -- called by pdf.js
function dropRead(stream) {
  const { pos, bufferLength, rowBytes = 0 } = stream;
  const from = Math.min(pos, bufferLength - WINDOW - rowBytes);
  if (from < WINDOW || from < bufferLength / 2) return;
  stream.buffer.copyWithin(0, from, bufferLength);
  stream.bufferLength -= from;
  stream.pos -= from;
}

/** The bytes of each few rows of a picture, in order. */
async function rowsOf(image, rowBytes) {
  const stream = image.image;
  if (stream.isImageStream) {
    const whole = await image.getImageBytes(image.height * rowBytes, { internal: true });
    return (from, rows) => whole.slice(from * rowBytes, (from + rows) * rowBytes);
  }
  stream.reset();
  for (let each = stream; each; each = each.stream) each.isDropping = true;
  return (_from, rows) => stream.getBytes(rows * rowBytes).slice();
}

/** Means of squares of `by` by `by` pixels: one row. */
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

/** The side of the squares that become pixels; 1: pdf.js decodes the picture whole. */
function squareOf(image, reduction = 1) {
  const { width, height, bpc, colorSpace, smask, mask, jpxDecoderOptions } = image;
  const isBits = bpc === 1 && colorSpace.name === "DeviceGray" && !smask && !mask;
  const isBounded = jpxDecoderOptions !== undefined || "jpegOptions" in image.image;
  return isBits || isBounded ? 1 : Math.max(reduction, reductionOf(width * height));
}

/** Writes the means of a few rows as one row of `bytes` a pixel. */
async function writeRow(image, part, { to, rows, by, bytes }) {
  const { width, bpc, colorSpace, numComps, mask } = image;
  const band = Object.assign(Object.create(image), { height: rows });
  const samples = band.getComponents(part);
  if (image.needsDecode) band.decodeBuffer(samples);
  const columns = Math.ceil(width / by);
  if (colorSpace.name === "Indexed") {
    const colours = new Uint8ClampedArray(width * rows * 3);
    colorSpace.fillRgb(colours, width, rows, width, rows, rows, bpc, samples, 0);
    const means = meansOf(colours, { width, rows, channels: 3, by });
    for (let x = 0; x < columns; x++) to.set(means.subarray(x * 3, x * 3 + 3), x * bytes);
    return;
  }
  const means = meansOf(samples, { width, rows, channels: numComps, by });
  colorSpace.fillRgb(to, columns, 1, columns, 1, 1, bpc, means, bytes - 3);
  if (Array.isArray(mask)) await band.fillOpacity(to, columns, 1, 1, means);
}

/** A picture whose squares of pixels became single ones; null: pdf.js decodes it whole. */
// oxlint-disable-next-line no-unused-vars -- called by pdf.js
async function reducedPicture(image, reduction) {
  if (reduction === 0) throw new Error("too large");
  const by = squareOf(image, reduction);
  if (by === 1) return null;
  const { width, height, bpc, numComps, smask, mask } = image;
  const size = { width: Math.ceil(width / by), height: Math.ceil(height / by) };
  const bytes = smask || mask ? 4 : 3;
  // Rows that a cut file lacks stay white.
  const data = new Uint8ClampedArray(size.width * size.height * bytes).fill(255);
  const rowBytes = (width * numComps * bpc + 7) >> 3;
  const read = await rowsOf(image, rowBytes);
  let pixels = 0;
  for (let y = 0; y < size.height; y++) {
    const rows = Math.min(by, height - y * by);
    const part = read(y * by, rows);
    if (part.length < rows * rowBytes) break;
    const to = data.subarray(y * size.width * bytes, (y + 1) * size.width * bytes);
    await writeRow(image, part, { to, rows, by, bytes });
    pixels += width * rows;
    if (pixels < PIXELS_A_TURN) continue;
    pixels = 0;
    await new Promise((resolve) => setTimeout(resolve));
  }
  if (bytes === 4 && !Array.isArray(mask)) await fillMask(image, data, size);
  return { ...size, kind: bytes === 4 ? RGBA : RGB, data, interpolate: image.interpolate };
}

async function fillMask(image, data, { width, height }) {
  const grey = image.smask && (await reducedPicture(image.smask));
  if (!grey) await image.fillOpacity(data, width, height, height, null);
  else
    for (let at = 0; at < width * height; at++) {
      const x = Math.floor(((at % width) * grey.width) / width);
      const y = Math.floor((Math.floor(at / width) * grey.height) / height);
      data[at * 4 + 3] = grey.data[(y * grey.width + x) * 3];
    }
  image.undoPreblend(data, width, height);
}
