import { fuzzOperations } from './testing.ts'

fuzzOperations('plugins')
