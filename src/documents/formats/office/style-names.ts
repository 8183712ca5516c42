/** Names that word processors give the styles of code and of quotations, in Word's and ODF's spelling. */
export const CODE_STYLE = /^(source ?code|html preformatted|preformatted text|code|code block)$/i;
export const QUOTE_STYLE = /^(intense )?quote|^block ?text|^block quotation|^quotations$/i;
