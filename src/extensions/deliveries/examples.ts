import { DELIVERY_ID, LATER, MOMENT } from '../../kernel/samples.ts'

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
      'Past and pending deliveries, newest first. They are kept for 30 days. A delivery that has failed for three days waits here until it is replayed.',
    example: {
      request: named,
      after: 'startAtoRequest',
      answer: { docs: [DELIVERY], total: 1, limit: 10, page: 1, pages: 1 },
      as,
    },
  },
  readDelivery: {
    description:
      'One delivery with its body and each attempt: when, where, how long it took, and what was answered. Secrets are left out.',
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
      'Sends one delivery again, or those of a range, oldest first, a thousand at a time. They keep their ids, and queue behind pending deliveries for the same request. A list of distributions that is out of date is not sent again.',
    example: {
      request: { ...named, from: MOMENT, to: LATER },
      answer: { count: 1, more: false },
      as,
    },
  },
}
