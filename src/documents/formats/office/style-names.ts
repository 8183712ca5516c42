/** Style names for code and quotations in word processors, as Word and ODF spell them. */
export const CODE_STYLE = /^(source ?code|html preformatted|preformatted text|code|code block)$/i;
export const QUOTE_STYLE = /^(intense )?quote|^block ?text|^block quotation|^quotations$/i;
