import { type Static, Type } from 'typebox'
import { DateTime, Id } from '../http/input/fields.ts'
import { PageOf, paging } from '../paging.ts'
import { STATES } from './rules.ts'

const clientId = Id('Client ID of the plugin')
const deliveryId = Id('Id of the delivery, which the plugin gets as `webhook-id`')
const state = (text: string) => ({ ...Id(text), enum: [...STATES] })

export const ListDeliveries = Type.Object({
  clientId,
  state: Type.Optional(state('Only those in this state')),
  ...paging,
})
export type ListDeliveries = Static<typeof ListDeliveries>
export const NameDelivery = Type.Object({ clientId, deliveryId })
export type NameDelivery = Static<typeof NameDelivery>
export const ReplayDeliveries = Type.Object({
  clientId,
  deliveryId: Type.Optional(Id('This one alone; otherwise from and to say which')),
  from: Type.Optional(DateTime('Those that came about at this moment or later')),
  to: Type.Optional(DateTime('Those that came about before this moment')),
  state: Type.Optional(state('Only those in this state; `failed` for a range where nothing is said')),
})
export type ReplayDeliveries = Static<typeof ReplayDeliveries>

const Moment = Type.String({ format: 'date-time' })
const OrNull = (text: string, schema: ReturnType<typeof Type.String> = Type.String()) =>
  Type.Union([schema, Type.Null()], { description: text })
const fields = {
  deliveryId: Type.String(),
  purpose: Type.String({ description: 'Which address of the plugin it is for' }),
  requestId: OrNull('The ATO request that it is about'),
  state: Type.String({
    enum: [...STATES],
    description:
      '`failed` ones rest until they are replayed; `replaced` ones were followed by a newer set before they were taken',
  }),
  attempts: Type.Integer({ description: 'How often it was sent' }),
  outcomes: Type.Array(Type.Enum(['taken', 'refused']), {
    description: 'What came of the latest twelve times, the oldest first',
  }),
  problem: OrNull('Why it was not taken the last time'),
  createdDate: Moment,
  nextDate: OrNull('When the first that waits for the same request is sent', Moment),
  settledDate: OrNull('When it was delivered, given up or replaced', Moment),
}
export const Delivery = Type.Object(fields, { title: 'Delivery' })
export type Delivery = Static<typeof Delivery>
export const DeliveryPage = PageOf(Delivery, 'DeliveryPage')

export const DeliveryLog = Type.Object(
  {
    ...fields,
    body: Type.Unknown({ description: 'What is sent' }),
    log: Type.Array(
      Type.Object({
        number: Type.Integer(),
        date: Moment,
        uri: Type.String(),
        headers: Type.Record(Type.String(), Type.String(), {
          description: 'Of the request, without Authorization and webhook-signature',
        }),
        tookMs: Type.Integer(),
        status: Type.Union([Type.Integer(), Type.Null()]),
        answer: OrNull('Its first 4096 characters'),
        problem: OrNull('Why it did not count as taken'),
      }),
      { description: 'Each time that it was sent, the last first; up to a hundred' },
    ),
  },
  { title: 'DeliveryLog' },
)
export type DeliveryLog = Static<typeof DeliveryLog>

export const Replayed = Type.Object(
  {
    count: Type.Integer({ description: 'How many wait again' }),
    more: Type.Boolean({ description: 'There may be more in the range: replay it once more' }),
  },
  { title: 'ReplayedDeliveries' },
)
export type Replayed = Static<typeof Replayed>
