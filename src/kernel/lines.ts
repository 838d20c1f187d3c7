import { fail } from './errors.ts'

/** One line of text without control characters, bidirectional overrides, line separators or lone surrogates. */
const LINE = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]*$/u
/**
 * Text that consists of invisible characters only: spaces, zero-width characters, soft hyphens, fillers, the empty
 * Braille pattern.
 */
const UNSEEN = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cf}\u2800]*$/u
/**
 * Six or more combining marks on one letter, which would cover neighbouring lines. Real names have at most four
 * (Burmese). Invisible characters between marks do not reset the count.
 */
const HEAP = /(?:[\p{Mn}\p{Me}]\p{Cf}*){6}/u

/** True if the text is empty, or is one line that can be stored and shown. */
export const isLine = (text: string): boolean =>
  text.length <= 254 && LINE.test(text) && !HEAP.test(text) && (text.trim() === '' || !UNSEEN.test(text))

/** Makes one line of visible text from any text: drops what cannot be shown, and cuts the rest. Never throws. */
export function cleanLine(text: string, maxLength: number): string {
  const line = text.normalize('NFC').replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069\s]+/gu, ' ')
  const cut = [...line.trim()]
    .slice(0, maxLength)
    .join('')
    .slice(0, maxLength)
    .toWellFormed()
    .replace('\ufffd', '')
    .trim()
  return isLine(cut) && cut !== '' ? cut : ''
}

/** True if the text is exactly one mail address, which no mail server could read as two. */
export const isMailAddress = (text: string): boolean =>
  text.length <= 254 && /^[^\s\p{Cc}@<>(),;:"\\[\]]+@[^\s\p{Cc}@<>(),;:"\\[\]]+$/u.test(text)

/** Normalizes one line of text, such as a name. Throws an error that names `field` if the text is not acceptable. */
export function readLine(field: string, text: string): string {
  if (!isLine(text))
    throw fail(
      'validationFailed',
      `${field} must be one line of visible text, without control characters and with few accents on each letter`,
    )
  return text.normalize('NFC').trim()
}

/** Normalizes a name. Throws if it is empty or is not one line of visible text. */
export function readName(text: string): string {
  const name = readLine('name', text)
  if (name === '') throw fail('parameterMissing', 'name is missing')
  return name
}

/** Normalizes a mail address. Empty text becomes null; other text that is not a mail address throws. */
export function readEmail(text: string): string | null {
  const email = text.trim().normalize('NFC')
  if (email !== '' && !isMailAddress(email)) throw fail('validationFailed', 'email must be an e-mail address, or empty')
  return email || null
}
