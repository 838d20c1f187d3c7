import { APP_DEVELOPERS } from '../../apps/organisations/roles.ts'
import { person } from '../../kernel/http/callers/callers.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { json } from '../../kernel/http/output/output.ts'
import { DELIVERY_ID, LATER, MOMENT } from '../../kernel/samples.ts'
import { listDeliveries, readDelivery, replayDeliveries } from './deliveries.ts'
import {
  DeliveryLog,
  DeliveryPage,
  ListDeliveries,
  NameDelivery,
  ReplayDeliveries,
  ReplayedDeliveries,
} from './schema.ts'

const op = operationsIn({ area: 'Plugins', who: person })

export const deliveryOperations: readonly Operation[] = [
  op('GET /plugin/v1/delivery/list', {
    name: 'listDeliveries',
    summary: 'List plugin deliveries',
    description:
      'Returns past and pending deliveries to a plugin, which are kept for 30 days. A delivery that has failed for three days stays in the list until it is resent.',
    example: { request: { clientId: 'gs-demo-ato' }, after: 'startAtoRequest', as: 'ellis' },
    roles: APP_DEVELOPERS,
    input: ListDeliveries,
    output: json(DeliveryPage),
    errors: ['forbidden'],
    run: ({ db, who }, input) => listDeliveries(db, who, input),
  }),
  op('GET /plugin/v1/delivery', {
    name: 'readDelivery',
    summary: 'Get a plugin delivery',
    description:
      'Returns one delivery with its body and each attempt: when, to which URL, how long it took, and the response. Secrets are left out.',
    example: { request: { clientId: 'gs-demo-ato', deliveryId: DELIVERY_ID }, after: 'listDeliveries', as: 'ellis' },
    roles: APP_DEVELOPERS,
    input: NameDelivery,
    output: json(DeliveryLog),
    errors: ['forbidden', 'notFound'],
    run: ({ db, who }, input) => readDelivery(db, who, input),
  }),
  op('POST /plugin/v1/delivery/replay', {
    name: 'replayDeliveries',
    summary: 'Resend plugin deliveries',
    description:
      'Resends one delivery, or those of a period, oldest first, a thousand at a time. They keep their ids, and are queued behind pending deliveries for the same request. A list of distributions that is out of date is not resent.',
    example: { request: { clientId: 'gs-demo-ato', from: MOMENT, to: LATER }, as: 'ellis' },
    roles: APP_DEVELOPERS,
    input: ReplayDeliveries,
    output: json(ReplayedDeliveries),
    errors: ['notFound', 'impossibleNow'],
    run: ({ db, who }, input) => replayDeliveries(db, who, input),
  }),
]
