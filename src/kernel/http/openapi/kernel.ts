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

export const KERNEL_AREA = { Platform: 'For operators and tools: health, metrics and this description.' }

/** The routes that the kernel serves in addition to operations and pages. */
const KERNEL: readonly KernelPath[] = [
  {
    path: '/healthz',
    name: 'healthz',
    summary: 'Checks whether the process is alive',
    description:
      'For a supervisor that restarts a process that hangs. It does not ask the database, so it does not show whether requests can be served. It needs no token and has no limit.',
    type: 'application/json',
    schema: status('ok'),
    answer: { status: 'ok' },
    security: [],
    errors: [],
  },
  {
    path: '/readyz',
    name: 'readyz',
    summary: 'Checks whether the process can serve requests',
    description:
      'For a load balancer: send requests to this process as long as the answer is 200. While the process stops, or cannot reach its database, the answer is 503.',
    type: 'application/json',
    schema: status('ready'),
    answer: { status: 'ready' },
    security: [],
    errors: ['notReady'],
  },
  {
    path: '/metrics',
    name: 'metrics',
    summary: 'Returns metrics for Prometheus',
    description:
      'For the operator of the installation: counts and durations of requests, and the state of the process, in the text format of Prometheus. Send METRICS_TOKEN as a Bearer token where one is set. Without one, only this machine can read it, and only if nobody else can reach the platform: not behind a proxy, nor at a public address.',
    type: 'text/plain',
    schema: { type: 'string' },
    security: [{ metricsToken: [] }, {}],
    errors: ['notAuthorized', 'notReady'],
  },
  {
    path: '/openapi.json',
    name: 'openapi',
    summary: 'Returns this description',
    description:
      'For tools that generate clients or tests. It is OpenAPI 3.1 and has every operation of this version of the platform, and may be cached for five minutes.',
    type: 'application/json',
    schema: { type: 'object' },
    security: [],
    errors: ['notReady'],
  },
  {
    path: '/docs',
    name: 'docs',
    summary: 'Shows this description as a page where operations can be tried',
    description:
      'For developers: open it in a browser, sign in, and send requests from the page. `/docs/<operationId>` shows one operation. Everything that it loads comes from this platform.',
    type: 'text/html',
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
              description: 'Done',
              headers: refsToHeaders(['x-request-id']),
              content: { [one.type]: { schema: one.schema, ...(one.answer ? { example: one.answer } : {}) } },
            },
            ...errors.describe([...one.errors, 'internal'], 'plain', 'Bearer'),
          },
        },
      },
    ]),
  )
