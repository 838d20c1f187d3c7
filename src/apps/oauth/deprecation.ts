/**
 * The implicit flow is deprecated since SINCE, and will work at least until UNTIL: removals are announced at least 12
 * months in advance.
 */
const SINCE = new Date('2026-11-15T00:00:00Z')
const UNTIL = new Date('2028-01-01T00:00:00Z')

/** The headers that announce a deprecation (RFC 9745) and its end (RFC 8594). */
export const DEPRECATION_HEADERS: Readonly<Record<string, string>> = {
  deprecation: `@${SINCE.getTime() / 1000}`,
  sunset: UNTIL.toUTCString(),
  link: '<https://www.rfc-editor.org/rfc/rfc9700.html#section-2.1.2>; rel="deprecation"; type="text/html"',
}
