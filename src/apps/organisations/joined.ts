import type { JobName } from '../../kernel/jobs/jobs.ts'

/** Describes a person who has joined the organisation that created their account, with the link of the invitation. */
export interface Joined {
  readonly personId: number
  readonly organisation: number
}
/** The classes run this job: they admit the person to what the same organisation invited them to. */
export const JOINED: JobName<Joined> = { name: 'joined-by-link' }
