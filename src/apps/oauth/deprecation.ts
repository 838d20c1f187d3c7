/** The implicit flow has been deprecated since this date. */
const SINCE = new Date('2026-11-15T00:00:00Z')
/** The implicit flow works at least until this date. A removal is announced at least 12 months in advance. */
const UNTIL = new Date('2028-01-01T00:00:00Z')

/** The headers that announce a deprecation (RFC 9745) and the removal (RFC 8594). */
export const DEPRECATION_HEADERS: Readonly<Record<string, string>> = {
  deprecation: `@${SINCE.getTime() / 1000}`,
  sunset: UNTIL.toUTCString(),
  link: '<https://www.rfc-editor.org/rfc/rfc9700.html#section-2.1.2>; rel="deprecation"; type="text/html"',
}
