import { person } from '../../kernel/http/callers/callers.ts'
import { type Operation, operation } from '../../kernel/http/operation.ts'
import { json } from '../../kernel/http/output/output.ts'
import { listDeliveries, readDelivery, replayDeliveries } from './deliveries.ts'
import { examples } from './examples.ts'
import { DeliveryLog, DeliveryPage, ListDeliveries, NameDelivery, ReplayDeliveries, Replayed } from './schema.ts'

const area = 'Plugins'
const path = '/plugin/v1/delivery'
const role = "owner or developer of the plugin's organisation, or administrator"

export const deliveryOperations: readonly Operation[] = [
  operation({
    name: 'listDeliveries',
    summary: 'Lists the deliveries to a plugin',
    ...examples.listDeliveries,
    method: 'GET',
    path: `${path}/list`,
    area,
    who: person,
    role,
    input: ListDeliveries,
    from: 'query',
    output: json(DeliveryPage),
    errors: ['forbidden'],
    run: ({ db, who }, input) => listDeliveries(db, who, input),
  }),
  operation({
    name: 'readDelivery',
    summary: 'Reads one delivery with its log',
    ...examples.readDelivery,
    method: 'GET',
    path,
    area,
    who: person,
    role,
    input: NameDelivery,
    from: 'query',
    output: json(DeliveryLog),
    errors: ['forbidden', 'notFound'],
    run: ({ db, who }, input) => readDelivery(db, who, input),
  }),
  operation({
    name: 'replayDeliveries',
    summary: 'Sends deliveries again',
    ...examples.replayDeliveries,
    method: 'POST',
    path: `${path}/replay`,
    area,
    who: person,
    role,
    input: ReplayDeliveries,
    from: 'body',
    output: json(Replayed),
    errors: ['notFound', 'impossibleNow'],
    run: ({ db, who }, input) => replayDeliveries(db, who, input),
  }),
]
