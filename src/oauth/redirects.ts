/** http on a loopback address in digits: the app's port is not known before it runs (RFC 8252 §7.3). `localhost` is a name, which may lead elsewhere. */
const LOOPBACK = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::(\d{1,5}))?((?:\/.*)?)$/s

/** RFC 9700 §4.1.3: compared character by character; only the port of a loopback address may be another. */
export function matchesRedirectUri(given: string, registered: string): boolean {
  if (given === registered) return true
  const [, host, , rest] = LOOPBACK.exec(registered) ?? []
  const [, givenHost, port, givenRest] = LOOPBACK.exec(given) ?? []
  if (host === undefined || host !== givenHost || rest !== givenRest) return false
  return port === undefined || (Number(port) >= 1 && Number(port) <= 65_535 && !port.startsWith('0'))
}

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
