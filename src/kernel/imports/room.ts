import type { Room } from '../room.ts'
import { importJobs } from './carry-out.ts'

export const imports: Room = { name: 'imports', jobs: importJobs }
