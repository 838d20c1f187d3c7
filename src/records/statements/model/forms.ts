// A scheme, then any characters except those that RFC 3987 excludes. The specification asks only for a rough check.
// biome-ignore lint/suspicious/noControlCharactersInRegex: it refuses control characters
const IRI = /^[a-z][a-z0-9+.-]*:[^\x00-\x20\x7f-\xa0<>"{}|\\^`\s]+$/i
// biome-ignore lint/suspicious/noControlCharactersInRegex: it refuses control characters
const MAILTO = /^mailto:[^\x00-\x20\x7f-\xa0<>"{}|\\^`\s@]+@[^\x00-\x20\x7f-\xa0<>"{}|\\^`\s@]+$/
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const SHA1 = /^[0-9a-f]{40}$/i
const SHA2 = /^(?:[0-9a-f]{56}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128})$/i
// A media type is written into the headers of a multipart body, so it must not contain a line break.
const MEDIA_TYPE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it refuses control characters
  /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:[ \t]*;[ \t]*[\w!#$&^.+-]+=(?:[\w!#$%&'*^`|~.+-]+|"(?:[^"\\\x00-\x1f\x7f]|\\[^\x00-\x1f\x7f])*"))*$/

export const isIri = (text: string): boolean => IRI.test(text)
export const isMailto = (text: string): boolean => MAILTO.test(text)
export const isUuid = (text: string): boolean => UUID.test(text)
export const isSha1 = (text: string): boolean => SHA1.test(text)
export const isSha2 = (text: string): boolean => SHA2.test(text)
export const isMediaType = (text: string): boolean => MEDIA_TYPE.test(text)

// A tag is well-formed by RFC 5646 §2.1 if it has language, script, region, variants, extensions and private use in
// this order, or private use alone, or if it is a grandfathered tag.
const LANGUAGE_TAG = new RegExp(
  `^(?:${[
    '(?:[a-z]{2,3}(?:-[a-z]{3}){0,3}|[a-z]{4,8})(?:-[a-z]{4})?(?:-(?:[a-z]{2}|[0-9]{3}))?' +
      '(?:-(?:[a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*(?:-[0-9a-wyz](?:-[a-z0-9]{2,8})+)*(?:-x(?:-[a-z0-9]{1,8})+)?',
    'x(?:-[a-z0-9]{1,8})+',
    'i-(?:ami|bnn|default|enochian|hak|klingon|lux|mingo|navajo|pwn|tao|tay|tsu)|en-GB-oed|sgn-(?:BE-FR|BE-NL|CH-DE)',
  ].join('|')})$`,
  'i',
)
export const isLanguageTag = (text: string): boolean => LANGUAGE_TAG.test(text)
