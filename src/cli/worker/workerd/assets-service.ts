/** Serves dist/public to the Worker inside workerd, whose directory service tells no types. */
type Bindings = { FILES: Fetcher };

const TYPES: Record<string, string> = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  json: "application/json",
  svg: "image/svg+xml",
};
const NOT_MODIFIED = 304;
const NOT_FOUND = 404;

export default {
  async fetch(request, { FILES }) {
    const { pathname } = new URL(request.url);
    const type = TYPES[pathname.split(".").at(-1) ?? ""];
    const file = await FILES.fetch(`http://files${pathname}`, { method: request.method });
    if (type === undefined || !file.ok) return new Response(null, { status: NOT_FOUND });
    const { headers } = file;
    const changedAt = Date.parse(headers.get("Last-Modified") ?? "");
    const etag = `"${headers.get("Content-Length")}-${changedAt}"`;
    const isCurrent = request.headers.get("If-None-Match") === etag;
    const response = isCurrent
      ? new Response(null, { status: NOT_MODIFIED })
      : new Response(file.body, file);
    response.headers.set("Content-Type", type);
    response.headers.set("ETag", etag);
    return response;
  },
} satisfies ExportedHandler<Bindings>;
