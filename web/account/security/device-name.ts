type Hint = readonly [pattern: RegExp, name: string]

// Ordered so that the first match is right: many user agents also contain the names of browsers that they imitate.
const BROWSERS: readonly Hint[] = [
  [/\bEdg(?:A|iOS)?\//, 'Edge'],
  [/\b(?:OPR|OPT)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:(?:Headless)?Chrome|Chromium|CriOS)\//, 'Chrome'],
  [/\bVersion\/\S+ (?:Mobile\/\S+ )?Safari\//, 'Safari'],
]
const SYSTEMS: readonly Hint[] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bWindows\b/, 'Windows'],
  [/\b(?:Macintosh|Mac OS X)\b/, 'Mac'],
  [/\bLinux\b/, 'Linux'],
]
const MAX_LENGTH = 60

const find = (hints: readonly Hint[], text: string): string | undefined =>
  hints.find(([pattern]) => pattern.test(text))?.[1]

/**
 * Returns a short name for a user agent, such as "Chrome on Windows". If the client is not a browser, returns the user
 * agent itself, shortened.
 */
export function nameDevice(device: string): string {
  const browser = find(BROWSERS, device)
  const system = find(SYSTEMS, device)
  if (browser && device.startsWith('Mozilla/')) return system ? `${browser} on ${system}` : browser
  // Remove control and formatting characters, which could hide text or reverse its direction.
  const plain = device.replace(/\p{C}/gu, '').trim()
  if (plain === '') return 'Unknown device'
  const letters = [...plain]
  return letters.length > MAX_LENGTH ? `${letters.slice(0, MAX_LENGTH).join('')}…` : plain
}
