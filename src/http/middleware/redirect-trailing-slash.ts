import { createMiddleware } from "hono/factory";

/** A page has one address, without a slash at its end: the others lead to it. */
export const redirectTrailingSlash = (status: 301 | 303) =>
  createMiddleware(async (context, next) => {
    const { pathname, search } = new URL(context.req.url);
    let end = pathname.length;
    while (pathname[end - 1] === "/") end -= 1;
    const isRead = context.req.method === "GET" || context.req.method === "HEAD";
    if (!isRead || end === 0 || end === pathname.length) return await next();
    return context.redirect(`${pathname.slice(0, end)}${search}`, status);
  });
