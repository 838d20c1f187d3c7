/** Everything that the page needs comes from this server; nothing inline runs. */
export const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Addresses begin at the root of the host, as those of all pages do: /docs and /docs/ are the same. */
export const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Groundschool: API reference</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="stylesheet" href="/docs/page.css">
<script src="/docs/swagger-ui-bundle.js" defer></script>
<script src="/docs/page.js" type="module"></script>
</head>
<body>
<main id="reference">Loading…</main>
<noscript>This page needs JavaScript. <a href="/openapi.json">openapi.json</a> says the same to programs.</noscript>
</body>
</html>
`

/** Requests go to the address that the page was reached at; the validator's outside host is never asked. */
export const PAGE_SCRIPT = `const prefersDark = matchMedia('(prefers-color-scheme: dark)')
const follow = () => document.documentElement.classList.toggle('dark-mode', prefersDark.matches)
prefersDark.addEventListener('change', follow)
follow()

const reference = document.getElementById('reference')
try {
  const answer = await fetch('/openapi.json')
  if (!answer.ok) throw new Error('openapi.json answered ' + answer.status)
  const spec = await answer.json()
  spec.servers = [{ url: location.origin }]
  SwaggerUIBundle({
    domNode: reference,
    spec,
    validatorUrl: null,
    queryConfigEnabled: false,
    deepLinking: true,
    displayRequestDuration: true,
    filter: true,
    persistAuthorization: true,
    defaultModelsExpandDepth: 0,
    syntaxHighlight: { theme: prefersDark.matches ? 'agate' : 'idea' },
  })
} catch (problem) {
  reference.textContent = 'The reference cannot be shown: ' + problem.message
}
`

/** The headers of errors are the same everywhere and said once above; in the dark, Swagger UI leaves names of headers dark too. */
export const PAGE_STYLE = `body { margin: 0; background: #fafafa; }
html.dark-mode body { background: #1c2022; }
html.dark-mode .swagger-ui table.headers td { color: #e4e6e6; }
.swagger-ui tr.response:not([data-code="200"]) .headers-wrapper { display: none; }
#reference { min-height: 100vh; }
`
