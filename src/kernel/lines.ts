import { fail } from './errors.ts'

/** No control characters, also none that turn the direction of what follows, no other line ends, no half surrogates. */
const LINE = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]*$/u
/** Nobody sees that there is anything: spaces, zero-width characters, soft hyphens, fillers, the empty Braille pattern. */
const UNSEEN = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cf}\u2800]*$/u
/** More than five marks on one letter, which would cover the lines around. Names have at most four (Burmese); what nobody sees does not part them. */
const HEAP = /(?:[\p{Mn}\p{Me}]\p{Cf}*){6}/u

/** One line that can be kept and shown, or nothing; spaces alone are nothing. */
export const isLine = (text: string): boolean =>
  text.length <= 254 && LINE.test(text) && !HEAP.test(text) && (text.trim() === '' || !UNSEEN.test(text))

/** One address that a message can go to, and nothing that a mail server could take for two. */
export const isMailAddress = (text: string): boolean =>
  text.length <= 254 && /^[^\s\p{Cc}@<>(),;:"\\[\]]+@[^\s\p{Cc}@<>(),;:"\\[\]]+$/u.test(text)

/** A name, or what else is one line, as it is kept. */
export function readLine(field: string, text: string): string {
  if (!isLine(text))
    throw fail(
      'validationFailed',
      `${field} must be one line of visible text, without control characters and with few accents on each letter`,
    )
  return text.normalize('NFC').trim()
}

/** The name of something, which must have one. */
export function readName(text: string): string {
  const name = readLine('name', text)
  if (name === '') throw fail('parameterMissing', 'name is missing')
  return name
}

/** Where messages go, as it is kept; empty for nowhere. */
export function readEmail(text: string): string | null {
  const email = text.trim().normalize('NFC')
  if (email !== '' && !isMailAddress(email)) throw fail('validationFailed', 'email must be an e-mail address, or empty')
  return email || null
}
