/** A text in several languages, by language tag; `und` for a text whose language is not given. */
export type Languages = Readonly<Record<string, string>>

/** Returns the text in English, or else in the first language. */
export const inEnglish = (texts: Languages): string =>
  Object.entries(texts).find(([tag]) => /^en(?:-|$)/i.test(tag))?.[1] ?? Object.values(texts)[0] ?? ''
