import type { Operation } from './operation.ts'

export const describeApi = (_operations: readonly Operation[]) => ({ openapi: '3.1.0' })
