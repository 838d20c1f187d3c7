/** Appends response parameters to a redirect URI in the given order. The rest of the URI stays as it was registered. */
export function addResponseParams(uri: string, params: Readonly<Record<string, string | undefined>>): string {
  const fields = Object.entries(params).flatMap(([name, value]) => {
    if (value === undefined) return []
    // The state is already encoded.
    return [`${name}=${name === 'state' ? value : encodeURIComponent(value)}`]
  })
  const start = !uri.includes('?') ? '?' : /[?&]$/.test(uri) ? '' : '&'
  return `${uri}${start}${fields.join('&')}`
}
