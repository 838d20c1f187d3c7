import { fuzzOperations } from './testing.ts'

fuzzOperations('people')
