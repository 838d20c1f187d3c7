/** Letters of the upper half of code page 437, in which zip archives have names that are not UTF-8 (APPNOTE D.1). */
const UPPER =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0'

export const cp437 = (bytes: Buffer): string =>
  Array.from(bytes, (byte) => (byte < 128 ? String.fromCharCode(byte) : UPPER[byte - 128])).join('')
