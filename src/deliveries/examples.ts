import { DELIVERY_ID, LATER, MOMENT } from '../samples.ts'

const as = 'ellis' as const
const named = { clientId: 'gs-demo-ato' }
const DELIVERY = {
  deliveryId: DELIVERY_ID,
  purpose: 'request',
  requestId: 'weather-2026',
  state: 'failed',
  attempts: 1,
  outcomes: ['refused'],
  problem: 'It answered 410',
  createdDate: MOMENT,
  nextDate: null,
  settledDate: MOMENT,
}

/** What people read about these operations. */
export const examples = {
  listDeliveries: {
    description:
      'What was and will be sent to the plugin, the newest first. Everything is kept for 30 days. What has failed for three days rests here until it is replayed.',
    example: {
      request: named,
      after: 'startAtoRequest',
      answer: { docs: [DELIVERY], total: 1, limit: 10, page: 1, pages: 1 },
      as,
    },
  },
  readDelivery: {
    description:
      'One delivery with its body and each try: when, to where, how long it took, and what was answered. Secrets are left out.',
    example: {
      request: { ...named, deliveryId: DELIVERY_ID },
      after: 'listDeliveries',
      answer: {
        ...DELIVERY,
        body: { requestId: 'weather-2026', status: 'not-started' },
        log: [
          {
            number: 1,
            date: MOMENT,
            uri: 'https://helper.example.org/request',
            headers: {
              'content-type': 'application/json',
              'user-agent': 'Groundschool',
              'webhook-id': DELIVERY_ID,
              'webhook-timestamp': '1777636800',
            },
            tookMs: 42,
            status: 410,
            answer: 'Gone',
            problem: 'It answered 410',
          },
        ],
      },
      as,
    },
  },
  replayDeliveries: {
    description:
      'Sends one delivery again, or those of a range, the oldest thousand at a time. They keep their ids, and come after deliveries that are already waiting for the same request. A set of distributions that a newer one has followed is not sent again.',
    example: {
      request: { ...named, from: MOMENT, to: LATER },
      answer: { count: 1, more: false },
      as,
    },
  },
}
