import { randomUUID } from "node:crypto";

/** A file of a batch; `path` is percent-encoded segment by segment. */
export type BatchPart = { path: string; data: Uint8Array; contentType: string };

/** A `multipart/form-data` body with a part for each file, as POST …/files takes it. */
export function multipartBody(parts: BatchPart[]): {
  data: Uint8Array<ArrayBuffer>;
  contentType: string;
} {
  const boundary = `quarry-${randomUUID()}`;
  const pieces = parts.flatMap(({ path, data, contentType }) => [
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="file"\r\n` +
        `X-File-Path: ${path}\r\nContent-Type: ${contentType}\r\n\r\n`,
    ),
    data,
    Buffer.from("\r\n"),
  ]);
  const data = Uint8Array.from(Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]));
  return { data, contentType: `multipart/form-data; boundary=${boundary}` };
}
