/** What every answer carries, the refusal of a broken request too: name, value, name, value. */
export const securityHeaders = (url: string): readonly string[] => [
  'x-content-type-options',
  'nosniff',
  'referrer-policy',
  'no-referrer',
  'content-security-policy',
  "default-src 'none'; frame-ancestors 'none'",
  'cache-control',
  'no-store',
  ...(url.startsWith('https:') ? ['strict-transport-security', 'max-age=31536000; includeSubDomains'] : []),
]
