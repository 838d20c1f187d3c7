import { fuzzOperations } from './testing.ts'

fuzzOperations('apps')
