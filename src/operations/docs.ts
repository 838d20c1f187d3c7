import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SCOPE_WORDS } from '../../web/parts/consent.ts'
import { everything, rooms } from '../app.ts'
import { listSettings, readConfig } from '../kernel/config.ts'
import type { Connection } from '../kernel/database/database.ts'
import { type ErrorName, listErrors } from '../kernel/errors.ts'
import { type ApiDocument, renderClient } from '../kernel/http/openapi/client.ts'
import { describeApi } from '../kernel/http/openapi/openapi.ts'
import { type Operation, scopeOf } from '../kernel/http/operation.ts'
import { describeRoles } from '../kernel/roles.ts'
import { SCOPES } from '../kernel/scopes.ts'
import { renderSchema, withMigratedDatabase } from './schema-document.ts'

/**
 * Advice for clients on each error. Because of the type, the compiler requires an entry for each error of the
 * catalogue.
 */
const ADVICE: Record<ErrorName, string> = {
  badRequest: 'Correct the request; the message says what could not be read.',
  parameterMissing: 'Send the missing parameter; the message says which.',
  duplicate: 'Use the existing object, or choose another name; at sign-in, request a supported response type.',
  validationFailed: 'Correct the value; the message says which.',
  wrongUserType: 'Do not offer this to users of this type.',
  wrongType: 'Send the parameter with the type in the message.',
  impossibleNow: 'Read the current state and offer only what it allows.',
  storageFull: 'Delete what is no longer needed, or ask an administrator for more storage. Nothing was changed.',
  alreadyUsed: 'Start again: codes and refresh tokens work once.',
  tokenExpired: 'Refresh the access token, then repeat the request once.',
  wrongCredentials: 'Ask the user again.',
  unknownClient: "Check the app's client ID and secret, or the plugin's key.",
  appNotUsable: "Use a client ID of this environment; otherwise ask an administrator about the app's approval.",
  permissionMissing: 'Ask an administrator to grant it.',
  unknownCode: 'Start the sign-in again.',
  notAuthorized: 'Send the Authorization header.',
  scopeMissing: 'Sign the user in again with the scope, if the app has it.',
  consentMissing: 'Sign the user in again, so that they can consent.',
  forbidden: 'Do not retry: this user does not have permission. A user who has it can grant access.',
  authorizationIncomplete: 'Send all parameters of the authorization request.',
  tokenInvalid: 'Delete the tokens and sign the user in again.',
  notForAnonymous: 'Let the user create an account first.',
  noSuchApp: 'Check the client ID.',
  notFound: 'Check the id or the key; it may have been deleted.',
  methodNotAllowed: 'Use one of the methods in the header `Allow`.',
  conflict: 'Read the current state, decide again, and repeat the request if it still makes sense.',
  preconditionFailed: 'Read it again, and repeat with its current ETag.',
  bodyTooLarge: 'Send less at once.',
  unsupportedMediaType: 'Send application/json.',
  expectationFailed: 'Leave out the header, or send `Expect: 100-continue`.',
  tooManyRequests: 'Wait as many seconds as Retry-After says.',
  internal: 'Try again later, with the same Idempotency-Key; if it happens again, report the x-request-id.',
  notReady: 'Try again shortly, with the same Idempotency-Key.',
  pluginTimeout: 'Try again later; the plugin is slow or cannot be reached.',
}

const NOTE = '<!-- Made by `npm run docs`; change the source instead. -->'

const row = (cells: readonly (string | number)[]): string =>
  `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`

const table = (head: readonly string[], rows: readonly (readonly (string | number)[])[]): string =>
  [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n')

const renderErrors = (): string => `# Errors

${NOTE}

Every error has a status, a code and a message. Code and message are in the body, \`{"error_code": 4042, "error_description": "Not found"}\`, and
in the headers \`errorcode\`, \`errordescription\`, \`error_code\` and \`error_description\`. Programs should go by the code: the message may be
more exact than the one below, and may change. The header \`x-request-id\` identifies the request in the platform's log.

${table(
  ['Status', 'Code', 'Name', 'Text', 'What to do'],
  listErrors().map(({ status, code, kind, text }) => [status, code, `\`${kind}\``, text, ADVICE[kind]]),
)}
`

const renderConfiguration = (): string => `# Configuration

${NOTE}

The platform reads settings from the environment, and from the file of \`NAME=value\` lines that \`CONFIG_FILE\` names. The environment wins.
It refuses to start with a wrong setting, and names all wrong settings at once.

${table(
  ['Setting', 'Default', 'Description'],
  listSettings().map(({ name, about, shownDefault }) => [`\`${name}\``, shownDefault, about]),
)}
`

/** Renders the OpenAPI document with the default addresses, as a new installation serves it. */
export function renderOpenApi(): string {
  const { BASE_URL, SANDBOX_URL } = readConfig({})
  const servers = [
    { url: BASE_URL, description: 'Production' },
    { url: SANDBOX_URL, description: 'Sandbox' },
  ]
  return `${JSON.stringify({ ...describeApi(everything, { url: BASE_URL }), servers }, null, 2)}\n`
}

const SOURCES: Record<Operation['from'], string> = {
  query: 'query',
  body: 'body',
  either: 'query or body',
  'body only': 'body',
  image: 'the body itself',
  csv: 'query; the file is the body itself',
  raw: 'query; the rest is the body itself',
  stream: 'query; the file is the body itself',
}

function renderFields({ input, from }: Operation): string {
  const names = Object.keys(input.properties).map((name) => `\`${name}\`${input.required?.includes(name) ? '' : '?'}`)
  return names.length > 0 ? `${names.join(', ')} (${SOURCES[from]})` : ''
}

const renderOperations = (): string =>
  table(
    ['Operation', 'Address', 'Summary', 'Fields', 'Errors of its own'],
    everything.operations.map((operation) => [
      `\`${operation.name}\``,
      `\`${operation.method} ${operation.path}\``,
      operation.summary,
      renderFields(operation),
      listErrors()
        .filter(({ kind }) => operation.errors.includes(kind))
        .map(({ status, code }) => `${status}/${code}`)
        .join(', '),
    ]),
  )

const renderAccess = (): string => `# Who may call what

${NOTE}

Every operation declares the callers that it admits, the roles of which they must hold one (\`src/kernel/roles.ts\`), and what else they need.
Callers without such a role are refused, or find nothing. A test sends every operation as every kind of caller and compares.

- **anyone**: no credentials, or credentials that the operation reads itself (client ID and secret).
- **visitor**: a browser, signed in to the platform or not; never a page of another site.
- **person**: signed in to the platform itself, with the cookie of their browser.
- **app user**: a person in an app, with an access token.
- **member**: a person or an app user with an account; not an anonymous user.

A token that was requested with scopes is refused with 401/4017 where it lacks the scope. A token that was requested without has every scope that
its app registered. The cookie of a browser and the keys of the record store need none of these scopes.

${table(
  ['Scope', 'What people read when an app asks for it'],
  SCOPES.map((scope) => [`\`${scope}\``, SCOPE_WORDS[scope]]),
)}

${table(
  ['Operation', 'Address', 'Callers', 'Scope', 'They also need'],
  everything.operations.map((operation) => {
    const { name, method, path, who, needs = [], roles } = operation
    const scope = scopeOf(operation)
    return [
      `\`${name}\``,
      `\`${method} ${path}\``,
      who.name,
      scope === undefined ? '' : `\`${scope}\``,
      [...(roles ? [describeRoles(roles)] : []), ...needs.map((need) => need.name)].join('; '),
    ]
  }),
)}
`

const renderTables = (): string =>
  table(
    ['table', 'in the download', 'when the account is deleted'],
    rooms.flatMap(({ personalTables = {} }) =>
      Object.entries(personalTables).map(([name, { inExport, whenDeleted }]) => [`\`${name}\``, inExport, whenDeleted]),
    ),
  )

const START = '<!-- made by `npm run docs` -->'
const END = '<!-- end -->'

/** Replaces the generated table between two markers in a document that is otherwise written by hand. */
function renderBetween(text: string, rendered: string): string {
  const [before, rest = ''] = text.split(START)
  const after = rest.split(END)[1]
  if (after === undefined) throw new Error(`A document has lost the marks ${START} and ${END} around its table`)
  return `${before}${START}\n\n${rendered}\n\n${END}${after}`
}

type Render = (current: string, connection: Connection) => string | Promise<string>

/**
 * Functions that render each generated file, by its path below docs/. They get the current text and a migrated
 * database.
 */
const FILES: Record<string, Render> = {
  'errors.md': renderErrors,
  'configuration.md': renderConfiguration,
  'openapi.json': renderOpenApi,
  'access.md': renderAccess,
  'contract.md': (current) => renderBetween(current, renderOperations()),
  'your-data.md': (current) => renderBetween(current, renderTables()),
  '../web/api/operations.ts': () => renderClient(JSON.parse(renderOpenApi()) as ApiDocument),
  'schema.sql': (_current, connection) => renderSchema(connection),
}

const pathOf = (name: string): URL => new URL(`../../docs/${name}`, import.meta.url)

/**
 * Updates the generated files or, with `isCheck`, only compares them. Returns the names of files that were out of date.
 */
export async function writeDocs(connection: Connection, { isCheck }: { isCheck: boolean }): Promise<string[]> {
  const stale: string[] = []
  for (const [name, render] of Object.entries(FILES)) {
    const current = readIfThere(pathOf(name))
    const wanted = await render(current, connection)
    if (wanted === current) continue
    if (!isCheck) writeFileSync(pathOf(name), wanted)
    stale.push(name)
  }
  return stale
}

function readIfThere(path: URL): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (problem) {
    if ((problem as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw problem
  }
}

if (import.meta.main) {
  const isCheck = process.argv.includes('--check')
  const written = await withMigratedDatabase((connection) => writeDocs(connection, { isCheck }))
  const stale = written.map((name) => join('docs', name))
  if (stale.length === 0) process.stdout.write('Everything that is generated is up to date\n')
  else if (!isCheck) process.stdout.write(`Written: ${stale.join(', ')}\n`)
  else {
    process.stderr.write(`Out of date: ${stale.join(', ')}. Run npm run docs and commit the result\n`)
    process.exitCode = 1
  }
}
