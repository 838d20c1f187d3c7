import type { FastifyInstance } from 'fastify'
import type { Environment } from '../environment.ts'
import { describeApi } from './openapi.ts'
import type { Operation } from './operation.ts'

export function serveReference(
  server: FastifyInstance,
  _environment: Environment,
  operations: readonly Operation[],
): void {
  server.get('/openapi.json', { config: { operation: 'openapi' } }, async () => describeApi(operations))
}
