/**
 * The platform refuses U+0000 and halves of surrogate pairs, which PostgreSQL cannot store, but content may save both:
 * a text that it has cut in an emoji, or has compressed. So they are sent and stored as this character and the four
 * hexadecimal digits of the code unit, and so is the character itself.
 */
const ESCAPE = '\uF8FF'

export const escapeText = (text: string): string =>
  text.replace(/[\0\uF8FF\p{Surrogate}]/gu, (one) => ESCAPE + one.charCodeAt(0).toString(16).padStart(4, '0'))

export const unescapeText = (text: string): string =>
  text.replace(/\uF8FF([0-9a-f]{4})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))

/** Returns a value as JSON, with all its texts escaped. */
export const escapedJson = (value: unknown): string =>
  JSON.stringify(value, (_, one: unknown) => (typeof one === 'string' ? escapeText(one) : one))

/** Returns a value of JSON whose texts are as they were before they were escaped. */
export const unescaped = <Value>(value: Value): Value =>
  JSON.parse(JSON.stringify(value), (_, one: unknown) => (typeof one === 'string' ? unescapeText(one) : one))
