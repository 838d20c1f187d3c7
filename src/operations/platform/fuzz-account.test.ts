import { fuzzOperations } from './testing.ts'

fuzzOperations('account')
