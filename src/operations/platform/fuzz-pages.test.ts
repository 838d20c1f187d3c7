import { fuzzPages } from './testing.ts'

fuzzPages()
