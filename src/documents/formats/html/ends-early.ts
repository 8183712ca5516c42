/** Elements that only their closing tag ends: everything before it is their content, not text. */
const UNREAD = ["script", "style", "title", "textarea"];

/** Whether the bytes end inside a tag, a comment, or an element that holds no markup. */
export function endsEarly(html: string): boolean {
  const lastTag = html.lastIndexOf("<");
  if (lastTag > html.lastIndexOf(">") && /^[a-z/!]/i.test(html.slice(lastTag + 1, lastTag + 2))) {
    return true;
  }
  // Scripts may hold the marks of a comment.
  const tail = html.slice(html.lastIndexOf("</script") + 1);
  if (tail.lastIndexOf("<!--") > tail.lastIndexOf("-->")) return true;
  return UNREAD.some((name) => html.lastIndexOf(`<${name}`) > html.lastIndexOf(`</${name}`));
}
