import type { ErrorName } from '../../errors.ts'
import { refsToHeaders, type SharedErrors } from './errors.ts'
import type { JsonObject } from './schemas.ts'

interface KernelPath {
  readonly path: string
  readonly name: string
  readonly summary: string
  readonly type: string
  readonly schema: JsonObject
  readonly security: readonly JsonObject[]
  readonly errors: readonly ErrorName[]
}

const status = (value: string): JsonObject => ({
  type: 'object',
  required: ['status'],
  properties: { status: { const: value } },
})

export const KERNEL_AREA = { Platform: 'For operators and tools: health, figures, and this description.' }

/** What the platform serves beside its operations. */
const KERNEL: readonly KernelPath[] = [
  {
    path: '/healthz',
    name: 'healthz',
    summary: 'Tells whether the process is alive',
    type: 'application/json',
    schema: status('ok'),
    security: [],
    errors: [],
  },
  {
    path: '/readyz',
    name: 'readyz',
    summary: 'Tells whether the process wants requests: it does not while it stops or its database is away',
    type: 'application/json',
    schema: status('ready'),
    security: [],
    errors: ['notReady'],
  },
  {
    path: '/metrics',
    name: 'metrics',
    summary: 'Figures for Prometheus; from this machine alone where no token is set',
    type: 'text/plain',
    schema: { type: 'string' },
    security: [{ metricsToken: [] }, {}],
    errors: ['notAuthorized', 'notReady'],
  },
  {
    path: '/openapi.json',
    name: 'openapi',
    summary: 'Answers this description',
    type: 'application/json',
    schema: { type: 'object' },
    security: [],
    errors: ['notReady'],
  },
  {
    path: '/docs',
    name: 'docs',
    summary: 'Shows this description as a page on which operations can be tried',
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
          security: one.security,
          responses: {
            200: {
              description: 'Done',
              headers: refsToHeaders(['x-request-id']),
              content: { [one.type]: { schema: one.schema } },
            },
            ...errors.describe([...one.errors, 'internal']),
          },
        },
      },
    ]),
  )
