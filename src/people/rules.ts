/** What makes two handles the same: compatible letters and case are one, the @ is decoration. */
export const normaliseHandle = (handle: string): string => handle.normalize('NFKC').toLowerCase().replace(/^@/, '')

/** Plain letters, so that no two handles look alike. */
export const isHandle = (handle: string): boolean => /^@?[a-z0-9](?:[a-z0-9._-]{0,28}[a-z0-9])?$/i.test(handle)

/** One line that can be kept and shown: no control characters, no half surrogates. */
export const isLine = (text: string): boolean => text.length <= 254 && /^[^\p{Cc}\p{Cs}]*$/u.test(text)
