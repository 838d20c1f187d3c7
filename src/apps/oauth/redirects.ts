export { matchesRedirectUri } from '../apps/clients.ts'

/** Puts an answer behind a redirect URI, in the given order, and leaves the rest of it as it was registered. */
export function withAnswer(uri: string, answer: Readonly<Record<string, string | undefined>>): string {
  const fields = Object.entries(answer).flatMap(([name, value]) => {
    if (value === undefined) return []
    // The state is as the app sent it, encoded already.
    return [`${name}=${name === 'state' ? value : encodeURIComponent(value)}`]
  })
  const start = !uri.includes('?') ? '?' : /[?&]$/.test(uri) ? '' : '&'
  return `${uri}${start}${fields.join('&')}`
}
