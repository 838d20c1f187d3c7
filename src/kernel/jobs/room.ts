import type { Db } from '../database/database.ts'
import type { Room } from '../room.ts'
import { type JobFigures, jobFigures, jobRetention } from './jobs.ts'

const byKind = async (db: Db, now: Date, pick: (figures: JobFigures) => number) =>
  Object.fromEntries((await jobFigures(db, now)).map((figures) => [figures.kind, pick(figures)]))

export const jobs: Room = {
  name: 'jobs',
  gauges: [
    {
      name: 'groundschool_jobs_due',
      help: 'Jobs that are due',
      label: 'kind',
      value: ({ db, clock }) => byKind(db, clock(), ({ due }) => due),
    },
    {
      name: 'groundschool_jobs_waiting_seconds',
      help: 'Age of the oldest due job',
      label: 'kind',
      value: ({ db, clock }) => byKind(db, clock(), ({ waitingSeconds }) => waitingSeconds),
    },
    {
      name: 'groundschool_jobs_given_up',
      help: 'Failed jobs',
      label: 'kind',
      value: ({ db, clock }) => byKind(db, clock(), ({ givenUp }) => givenUp),
    },
  ],
  retention: () => jobRetention,
}
