import type { Room } from '../room.ts'
import { importJobs } from './imports.ts'

export const imports: Room = { name: 'imports', jobs: importJobs }
