import type { Room } from '../room.ts'
import { forgetAnswers, forgetPersonAnswers, idempotencyRetention } from './idempotency.ts'

export const idempotency: Room = {
  name: 'idempotency',
  personalTables: {
    idempotency_keys: {
      inExport: 'no: a copy',
      whenDeleted:
        "deleted; a request that was in progress leaves its refusal, for a day. Responses that are kept for requests of others (a bucket's members, a change by them) may have the user id, for a day",
    },
  },
  forget: { forgetUser: forgetAnswers, forgetPerson: forgetPersonAnswers },
  retention: () => idempotencyRetention,
}
