import { fuzzOperations } from './testing.ts'

fuzzOperations('learning')
