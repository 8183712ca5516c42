/** https://developers.notion.com/reference/rich-text */
export const richText = (text: string, more: Record<string, unknown> = {}) => ({
  type: "text",
  text: { content: text, link: null },
  annotations: {
    bold: false,
    italic: false,
    strikethrough: false,
    underline: false,
    code: false,
    color: "default",
  },
  plain_text: text,
  href: null,
  ...more,
});
