import { noteRequest } from '../../kernel/answered.ts'
import type { Room } from '../../kernel/room.ts'
import { requestLog } from './log.ts'
import { requestRetention } from './requests.ts'
import { requestOperations } from './routes.ts'

export const requests: Room = {
  name: 'requests',
  operations: requestOperations,
  retention: requestRetention,
  upkeep: [{ name: 'writing the request log', everyMs: 2_000, run: ({ get }) => get(requestLog).write() }],
  gauges: [
    {
      name: 'groundschool_requests_unlogged',
      help: 'Requests of apps that the request log has skipped since the process started',
      value: ({ get }) => get(requestLog).leftOut,
    },
  ],
  start: async ({ config, get, provide }) => {
    if (config.REQUEST_LOG_DAYS === 0) return
    const log = get(requestLog)
    provide(noteRequest, (answered) => log.note(answered))
  },
}
