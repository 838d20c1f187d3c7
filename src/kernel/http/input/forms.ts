import { parse as parseFields } from 'node:querystring'
import { fail } from '../../errors.ts'
import { parseStrictJson } from './json.ts'

/** Maximum number of fields, because each takes time to parse. None of our forms has a tenth as many. */
const MAX_FORM_FIELDS = 200

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const notUtf8 = () => fail('badRequest', 'The form is not valid UTF-8')

/**
 * Parses `application/x-www-form-urlencoded`. Throws if the form is not UTF-8, repeats a field or has too many fields.
 */
export function parseForm(body: Buffer): unknown {
  const text = decodeBytes(body)
  const json = findJson(text)
  if (json !== undefined) return parseStrictJson(Buffer.from(json))
  if (hasMoreThan(text, MAX_FORM_FIELDS)) throw fail('badRequest', `The form has more than ${MAX_FORM_FIELDS} fields`)
  let isBroken = false
  // Sets a flag instead of throwing: if the decoder throws, `querystring` falls back to a decoder that inserts U+FFFD.
  const decode = (part: string) => {
    const decoded = decodePart(part)
    isBroken ||= decoded === undefined
    return decoded ?? ''
  }
  // `maxKeys` is off, because `querystring` would silently drop the fields beyond it.
  const fields = parseFields(text, '&', '=', { maxKeys: 0, decodeURIComponent: decode })
  if (isBroken) throw notUtf8()
  const twice = Object.entries(fields).find(([, value]) => Array.isArray(value))
  if (twice) throw fail('validationFailed', `${twice[0]} is sent twice`)
  return { ...fields }
}

/**
 * Finds the JSON that old clients send as a form. It is either not encoded (curl), or encoded as the name of the only
 * field, with or without `=` (UnityWebRequest.Post). A text that contains quotes was not encoded at all or, if it ends
 * with an encoded brace, only after its first `=` (curl --data-urlencode).
 */
function findJson(form: string): string | undefined {
  if (!/^\s*(?:\{|%7b)/i.test(form)) return undefined
  const encodedAt = !form.includes('"')
    ? 0
    : /%7d(?:%0d|%0a|\s)*$/i.test(form.slice(-64))
      ? form.indexOf('=') + 1
      : form.length
  const rest = decodePart(form.slice(encodedAt).replaceAll('+', ' '))
  if (rest === undefined) return undefined
  const text = (form.slice(0, encodedAt) + rest).trim()
  const json = text.endsWith('}=') ? text.slice(0, -1) : text
  return json.startsWith('{') && json.endsWith('}') ? json : undefined
}

/**
 * Percent-decodes text; undefined if the result is not UTF-8. A percent sign that starts no escape sequence is kept, as
 * in browsers.
 */
function decodePart(part: string): string | undefined {
  try {
    return decodeURIComponent(part.replaceAll(/%(?![\da-f]{2})/gi, '%25'))
  } catch {
    return undefined
  }
}

function decodeBytes(bytes: Buffer): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw notUtf8()
  }
}

/**
 * Tells whether a form has more fields than allowed. It counts before parsing, because a body of the maximum size could
 * contain hundreds of thousands of fields.
 */
function hasMoreThan(form: string, most: number): boolean {
  let fields = 1
  for (let at = form.indexOf('&'); at >= 0; at = form.indexOf('&', at + 1)) if (++fields > most) return true
  return false
}
