/** Splits a launch URL into the redirect URI that it begins with and the query that the lesson adds. */
export function splitLaunchUri(
  launchUri: string | undefined,
  uris: readonly string[],
): { readonly uri: string; readonly added: string } | undefined {
  if (!launchUri) return undefined
  const candidates = uris.filter((uri) => launchUri === uri || launchUri.startsWith(startOf(uri)))
  const longest = candidates.sort((a, b) => b.length - a.length)[0]
  if (longest !== undefined) return { uri: longest, added: launchUri.slice(startOf(longest).length) }
  const mark = launchUri.indexOf('?')
  return mark < 0 ? { uri: launchUri, added: '' } : { uri: launchUri.slice(0, mark), added: launchUri.slice(mark + 1) }
}

export const joinLaunchUri = (uri: string, added: string): string => (added === '' ? uri : `${startOf(uri)}${added}`)

const startOf = (uri: string): string => `${uri}${uri.includes('?') ? '&' : '?'}`

/** Splits a launch parameter, `name=value`. */
export function splitParameter(text: string): [name: string, value: string] {
  const equals = text.indexOf('=')
  return equals < 0 ? [text, ''] : [text.slice(0, equals), text.slice(equals + 1)]
}
