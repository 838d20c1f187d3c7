import type { ErrorName } from '../../errors.ts'
import { refsToHeaders, type SharedErrors } from './errors.ts'
import type { JsonObject } from './schemas.ts'

interface KernelPath {
  readonly path: string
  readonly name: string
  readonly summary: string
  readonly description: string
  readonly type: string
  readonly schema: JsonObject
  readonly answer?: JsonObject
  readonly security: readonly JsonObject[]
  readonly errors: readonly ErrorName[]
}

const status = (value: string): JsonObject => ({
  type: 'object',
  required: ['status'],
  properties: { status: { const: value } },
})

export const KERNEL_AREA = { Platform: 'Health checks, metrics and this document, for operators and tools.' }

/** The routes that the kernel serves in addition to operations and pages. */
const KERNEL: readonly KernelPath[] = [
  {
    path: '/healthz',
    name: 'healthz',
    summary: 'Check liveness',
    description:
      'Returns 200 while the process is alive, for a supervisor that restarts a process that hangs. It does not query the database, so it does not show whether requests can be served. It needs no token and has no limit.',
    type: 'application/json',
    schema: status('ok'),
    answer: { status: 'ok' },
    security: [],
    errors: [],
  },
  {
    path: '/readyz',
    name: 'readyz',
    summary: 'Check readiness',
    description:
      'Returns 200 while the process can serve requests, for a load balancer. While the process is stopping, or cannot reach its database, the response is 503.',
    type: 'application/json',
    schema: status('ready'),
    answer: { status: 'ready' },
    security: [],
    errors: ['notReady'],
  },
  {
    path: '/metrics',
    name: 'metrics',
    summary: 'Get metrics',
    description:
      'Returns counts and durations of requests, and the state of the process, in the text format of Prometheus. Send METRICS_TOKEN as a Bearer token if one is set. Without one, metrics can be read only from the same machine, and only if the platform cannot be reached from elsewhere: not behind a proxy, nor at a public address.',
    type: 'text/plain',
    schema: { type: 'string' },
    security: [{ metricsToken: [] }, {}],
    errors: ['notAuthorized', 'notReady'],
  },
  {
    path: '/openapi.json',
    name: 'openapi',
    summary: 'Get the OpenAPI document',
    description:
      'Returns this document, for tools that generate clients or tests. It is OpenAPI 3.1, has every operation of this version of the platform, and may be cached for five minutes.',
    type: 'application/json',
    schema: { type: 'object' },
    security: [],
    errors: ['notReady'],
  },
  {
    path: '/docs',
    name: 'docs',
    summary: 'Open the documentation',
    description:
      'Returns the documentation as pages: guides, errors, the changelog, and an API reference where you can sign in and send requests. `/docs/<operationId>` shows one operation. Everything that it loads comes from this platform.',
    type: 'text/html',
    schema: { type: 'string' },
    security: [],
    errors: ['notReady'],
  },
  {
    path: '/llms.txt',
    name: 'listDocuments',
    summary: 'List the documentation for language models',
    description:
      'Links to every guide as Markdown, to the list of errors and to this description, in the format of llmstxt.org. Each guide is also at `/docs/guides/<name>.md`. It may be cached for five minutes.',
    type: 'text/plain',
    schema: { type: 'string' },
    security: [],
    errors: ['notReady'],
  },
  {
    path: '/llms-full.txt',
    name: 'readDocuments',
    summary: 'Get all documentation as one file',
    description:
      'Contains all guides, the list of errors and the changelog as Markdown, one after the other. It has about 350 kB and may be cached for five minutes.',
    type: 'text/plain',
    schema: { type: 'string' },
    security: [],
    errors: ['notReady'],
  },
]

export const describeKernel = (errors: SharedErrors): Record<string, Record<string, JsonObject>> =>
  Object.fromEntries(
    KERNEL.map((one) => [
      one.path,
      {
        get: {
          operationId: one.name,
          tags: ['Platform'],
          summary: one.summary,
          description: one.description,
          security: one.security,
          responses: {
            200: {
              description: 'OK',
              headers: refsToHeaders(['x-request-id']),
              content: { [one.type]: { schema: one.schema, ...(one.answer ? { example: one.answer } : {}) } },
            },
            ...errors.describe([...one.errors, 'internal'], 'plain', 'Bearer'),
          },
        },
      },
    ]),
  )
