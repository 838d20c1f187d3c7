import type { AuthMethod, PreparedRequest } from './request.ts'

export const LANGUAGES = ['curl', 'typescript', 'python'] as const
export type Language = (typeof LANGUAGES)[number]

interface SnippetRequest extends PreparedRequest {
  readonly origin: string
  readonly way: AuthMethod
}

const inShell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
/** Writes a string literal. JSON strings are valid in both Python and TypeScript. */
const quoted = (text: string): string => JSON.stringify(text)
const indent = (text: string, by: string): string => text.replaceAll('\n', `\n${by}`)

const isJson = ({ headers }: PreparedRequest): boolean => /\bjson\b/.test(headers['Content-Type'] ?? '')
/** Returns the parsed body; undefined if the body is not JSON, or not valid yet. */
const parsed = (request: SnippetRequest): unknown => {
  try {
    return isJson(request) && typeof request.body === 'string' ? JSON.parse(request.body) : undefined
  } catch {
    return undefined
  }
}
/** Returns the name of the file to send. The generated program reads it from its working directory. */
const fileOf = ({ body }: PreparedRequest): string => (body instanceof File ? body.name : 'picture.png')
const hasFile = ({ headers, body }: PreparedRequest): boolean =>
  body instanceof File || (body === undefined && 'Content-Type' in headers)

function writeCurl(request: SnippetRequest): string {
  const { method, origin, path, headers, body, way } = request
  const proof = {
    bearer: ['-H "Authorization: Bearer $TOKEN"'],
    basic: ['-u "$KEY:$SECRET"'],
    // A cookie file that POST /account/v1/signin has written.
    browser: ['-b cookies.txt'],
    none: [],
  }[way]
  const data = hasFile(request)
    ? [`--data-binary @${fileOf(request)}`]
    : body === undefined
      ? []
      : [`--data-raw ${inShell(String(body))}`]
  return [
    `curl${method === 'GET' ? '' : ` -X ${method}`} ${inShell(origin + path)}`,
    ...proof,
    ...Object.entries(headers).map(([name, value]) => `-H ${inShell(`${name}: ${value}`)}`),
    ...data,
  ].join(' \\\n  ')
}

function writeTypeScript(request: SnippetRequest): string {
  const { method, origin, path, headers, body, way } = request
  const proof = {
    bearer: [`Authorization: \`Bearer \${token}\``],
    basic: [`Authorization: \`Basic \${btoa(\`\${key}:\${secret}\`)}\``],
    // The cookie that POST /account/v1/signin sets. A program must send it explicitly; browsers do so automatically.
    browser: ['Cookie: cookie'],
    none: [],
  }[way]
  const lines = [...proof, ...Object.entries(headers).map(([name, value]) => `${quoted(name)}: ${quoted(value)}`)]
  const json = parsed(request)
  const sent = hasFile(request)
    ? [`body: await readFile(${quoted(fileOf(request))}),`]
    : json !== undefined
      ? [`body: JSON.stringify(${indent(JSON.stringify(json, null, 2), '  ')}),`]
      : body === undefined
        ? []
        : [`body: ${quoted(String(body))},`]
  const options = [
    ...(method === 'GET' ? [] : [`method: '${method}',`]),
    ...(lines.length > 0 ? [`headers: {\n    ${lines.join(',\n    ')},\n  },`] : []),
    ...sent,
  ]
  const call = options.length > 0 ? `, {\n  ${options.join('\n  ')}\n}` : ''
  return `${hasFile(request) ? "import { readFile } from 'node:fs/promises'\n\n" : ''}const answer = await fetch(${quoted(origin + path)}${call})
if (!answer.ok) throw new Error(\`\${answer.status}: \${await answer.text()}\`)
console.log(await answer.text())`
}

/** Writes a JSON value as a Python literal, with None, True and False. */
function asPython(value: unknown, by = ''): string {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value !== 'object') return JSON.stringify(value)
  const inner = `${by}    `
  const entries = Array.isArray(value)
    ? value.map((one) => asPython(one, inner))
    : Object.entries(value).map(([name, one]) => `${quoted(name)}: ${asPython(one, inner)}`)
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  return entries.length === 0
    ? `${open}${close}`
    : `${open}\n${entries.map((one) => `${inner}${one},\n`).join('')}${by}${close}`
}

function writePython(request: SnippetRequest): string {
  const { method, origin, path, headers, body, way } = request
  const json = parsed(request)
  const proof = {
    bearer: ['"Authorization": f"Bearer {token}"'],
    basic: ['"Authorization": "Basic " + base64.b64encode(f"{key}:{secret}".encode()).decode()'],
    browser: ['"Cookie": cookie'],
    none: [],
  }[way]
  const lines = [...proof, ...Object.entries(headers).map(([name, value]) => `${quoted(name)}: ${quoted(value)}`)]
  const imports = [...(way === 'basic' ? ['base64'] : []), ...(json === undefined ? [] : ['json']), 'urllib.request']
  const data = hasFile(request)
    ? [`data=open(${quoted(fileOf(request))}, "rb").read(),`]
    : json !== undefined
      ? [`data=json.dumps(${asPython(json, '    ')}).encode(),`]
      : body === undefined
        ? []
        : [`data=${quoted(String(body))}.encode(),`]
  const options = [
    `${quoted(origin + path)},`,
    ...(method === 'GET' ? [] : [`method="${method}",`]),
    ...(lines.length > 0 ? [`headers={\n        ${lines.join(',\n        ')},\n    },`] : []),
    ...data,
  ]
  return `import ${imports.join(', ')}

request = urllib.request.Request(
    ${options.join('\n    ')}
)
with urllib.request.urlopen(request) as answer:
    print(answer.read().decode())`
}

/** Writes the request of the form as a program. Secrets are replaced with variables. */
export const writeSnippet: Readonly<Record<Language, (request: SnippetRequest) => string>> = {
  curl: writeCurl,
  typescript: writeTypeScript,
  python: writePython,
}
