/**
 * Appended to pdf.js's decoders, which it uses: `Jbig2Image`, `CCITTFaxDecoder`, `JpxImage`,
 * `JpegImage`. `spend` is called within them, for each pixel, symbol and bit.
 */
/* global Jbig2Image, CCITTFaxDecoder, JpxImage, JpegImage, pureOpenJpeg */
let left = 0;
/** Of a JBIG2 page in stripes, which may leave it out. */
// oxlint-disable-next-line no-unused-vars -- read by the decoders
let pageHeight = 0;
function spend(count) {
  if (!((left -= count) >= 0)) throw new Error("too large");
  return count;
}
/** Bytes of memory that a row takes beside its pixels. */
const ROW = 64;
// oxlint-disable-next-line no-unused-vars -- called by the decoders
function paidRow(width) {
  spend(width + ROW);
  return width;
}
export function decodeBilevel(bytes, width, height, globals, fax) {
  left = 1e8;
  pageHeight = height;
  if (!fax) {
    const chunks = [globals, bytes].filter(Boolean);
    const data = new Jbig2Image().parseChunks(
      chunks.map((data) => ({ data, start: 0, end: data.length })),
    );
    return data.map((byte) => byte ^ 0xff);
  }
  let at = 0;
  const columns = spend(fax.Columns);
  const decoder = new CCITTFaxDecoder({ next: () => (at < bytes.length ? bytes[at++] : -1) }, fax);
  const data = new Uint8Array(spend(((columns + 7) >> 3) * height)).fill(fax.BlackIs1 ? 0 : 0xff);
  for (let to = 0; to < data.length; to++) {
    const byte = decoder.readNextChar();
    if (byte < 0) break;
    data[to] = byte;
  }
  return data;
}
let openJpegModule;
export function openJpeg(bytes, reducePower = 0) {
  const { width, height, componentsCount } = JpxImage.parseImageProperties(bytes);
  const samples = width * height * componentsCount;
  if (!(samples <= 200e6 && samples / 4 ** reducePower <= 48e6)) throw new Error("too large");
  return (openJpegModule ??= pureOpenJpeg({ warn: () => {} }));
}
export function decodeJpeg(bytes) {
  const image = new JpegImage();
  image.parse(bytes);
  const { width, height } = image;
  return { width, height, data: image.getData({ width, height, forceRGB: true }) };
}
