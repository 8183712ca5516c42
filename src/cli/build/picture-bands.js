/**
 * Prepended to pdf.js: a page's pictures are decoded one after another once all of them are
 * counted. Pages of more than `FULL` pixels are decoded in bands, at a share of their width and
 * height that leaves `REDUCED` pixels, some 200 dots an inch of a page: models reduce them further
 * (to 1,568 pixels a side: https://docs.claude.com/en/docs/vision), and as PNG they take less than a
 * picture may have.
 */
const [MOST, FULL, REDUCED] = [60e6, 12e6, 6e6];
const [RGB, RGBA] = [2, 3];
const PIXELS_A_TURN = 1 << 17;
/** Bytes before its end that a stream's decoder reads again, without a row. */
const WINDOW = 1 << 16;

/** Bytes of a JPX picture's coefficients: one component has four for each, the others two. */
const JPX_BYTES = 50e6;
/** How often the sides of a JPX picture are halved while it is decoded. */
// oxlint-disable-next-line no-unused-vars -- called by pdf.js
const jpxReduction = (pixels, components) =>
  Math.max(0, Math.ceil(Math.log2((pixels * (5.4 + 2 * components)) / JPX_BYTES) / 2));

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

const isJpeg = (image) => "jpegOptions" in image.image;

/** The bytes of each few rows of a picture, in order. A large JPEG is smaller from now on. */
async function rowsOf(image, isReduced) {
  const stream = image.image;
  if (isJpeg(image)) {
    stream.inRows = true;
    const { width, height, readRows } = await image.getImageBytes(0, { internal: true });
    Object.assign(image, { width, height });
    return readRows;
  }
  const rowBytes = rowBytesOf(image);
  if (stream.isImageStream || (stream.isAsync && !isReduced)) {
    const whole = await image.getImageBytes(image.height * rowBytes, { internal: true });
    return (from, rows) => whole.slice(from * rowBytes, (from + rows) * rowBytes);
  }
  stream.reset();
  for (let each = stream; each; each = each.stream) each.isDropping = true;
  return (_from, rows) => stream.getBytes(rows * rowBytes).slice();
}

const rowBytesOf = ({ width, numComps, bpc }) => (width * numComps * bpc + 7) >> 3;
const isPlain = ({ smask, mask }) => !smask && !mask;
const isBits = (image) =>
  image.bpc === 1 && image.colorSpace.name === "DeviceGray" && isPlain(image);

/** Whether a JPEG's own colours are those that the page shows. */
const isHandedOver = (image) =>
  isJpeg(image) && /^(?:Device|Cal)(?:Gray|RGB)$/.test(image.colorSpace.name);
/** Whether pdf.js copies the picture as it is, or hands it over. */
function isCopied(image) {
  const { bpc, colorSpace, needsDecode } = image;
  if (!isPlain(image)) return false;
  if (isBits(image) || colorSpace.name === "DeviceRGBA") return true;
  const isRgb = bpc === 8 && colorSpace.name === "DeviceRGB";
  return !needsDecode && (isRgb || isHandedOver(image));
}

/** Then pdf.js stretches the picture: shapes of letters may be in the mask, on a coarse colour. */
const hasFinerMask = ({ width, height, smask, mask }) =>
  [smask, mask].some((each) => each && (each.width > width || each.height > height));

/** The side of the squares that become pixels; 0: pdf.js decodes the picture whole. */
function squareOf(image, reduction = 1) {
  const pixels = image.width * image.height;
  const isBounded = image.jpxDecoderOptions !== undefined || isJpeg(image);
  const by = isBits(image) || isBounded ? 1 : Math.max(reduction, reductionOf(pixels));
  if (by > 1) return by;
  return pixels < PIXELS_A_TURN || isCopied(image) || hasFinerMask(image) ? 0 : 1;
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

/** Writes a few rows into `to`, of `bytes` a pixel: as they are, or their means as one row. */
async function writeRows(image, part, { to, rows, by, bytes }) {
  const { width, bpc, colorSpace, numComps, mask } = image;
  const band = Object.assign(Object.create(image), { height: rows });
  const samples = band.getComponents(part);
  const colourKey = Array.isArray(mask) ? samples.slice() : null;
  if (image.needsDecode) band.decodeBuffer(samples);
  const fill = (pixels, columns, lines, components, alpha) =>
    colorSpace.fillRgb(pixels, columns, lines, columns, lines, lines, bpc, components, alpha);
  if (by === 1) {
    fill(to, width, rows, samples, bytes - 3);
    if (colourKey) await band.fillOpacity(to, width, rows, rows, colourKey);
    return;
  }
  const columns = Math.ceil(width / by);
  if (colorSpace.name === "Indexed") {
    const colours = new Uint8ClampedArray(width * rows * 3);
    fill(colours, width, rows, samples, 0);
    const means = meansOf(colours, { width, rows, channels: 3, by });
    for (let x = 0; x < columns; x++) to.set(means.subarray(x * 3, x * 3 + 3), x * bytes);
    return;
  }
  const form = { width, rows, channels: numComps, by };
  fill(to, columns, 1, meansOf(samples, form), bytes - 3);
  if (colourKey) await band.fillOpacity(to, columns, 1, 1, meansOf(colourKey, form));
}

/** Rows that a cut file lacks stay as they are. */
async function writeBands(image, read, by, { data, rowPixels, bytes }) {
  const { width, height } = image;
  const rowBytes = rowBytesOf(image);
  const step = by > 1 ? by : Math.ceil(PIXELS_A_TURN / width);
  let pixels = 0;
  for (let y = 0; y < height; y += step) {
    const wanted = Math.min(step, height - y);
    const part = read(y, wanted);
    const rows = by > 1 ? wanted : Math.floor(part.length / rowBytes);
    if (rows === 0 || part.length < rows * rowBytes) return;
    const to = data.subarray((y / by) * rowPixels * bytes);
    await writeRows(image, part, { to, rows, by, bytes });
    if ((pixels += width * rows) < PIXELS_A_TURN) continue;
    pixels = 0;
    await new Promise((resolve) => setTimeout(resolve));
  }
}

/** A picture in bands, whose squares of pixels became single ones; null: pdf.js decodes it whole. */
// oxlint-disable-next-line no-unused-vars -- called by pdf.js
async function pictureInBands(image, reduction) {
  if (reduction === 0) throw new Error("too large");
  const by = squareOf(image, reduction);
  if (by === 0) return null;
  const read = await rowsOf(image, by > 1);
  const { width, height, mask } = image;
  const size = { width: Math.ceil(width / by), height: Math.ceil(height / by) };
  const bytes = isPlain(image) ? 3 : 4;
  const data = new Uint8ClampedArray(size.width * size.height * bytes).fill(255);
  await writeBands(image, read, by, { data, rowPixels: size.width, bytes });
  if (bytes === 4 && !Array.isArray(mask)) await fillMask(image, data, size);
  return { ...size, kind: bytes === 4 ? RGBA : RGB, data, interpolate: image.interpolate };
}

async function fillMask(image, data, { width, height }) {
  const isLarge = image.smask && squareOf(image.smask) > 1;
  const grey = isLarge ? await pictureInBands(image.smask) : null;
  if (grey === null) await image.fillOpacity(data, width, height, height, null);
  else
    for (let at = 0; at < width * height; at++) {
      const x = Math.floor(((at % width) * grey.width) / width);
      const y = Math.floor((Math.floor(at / width) * grey.height) / height);
      data[at * 4 + 3] = grey.data[(y * grey.width + x) * 3];
    }
  image.undoPreblend(data, width, height);
}
