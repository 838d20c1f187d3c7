import { type Static, Type } from 'typebox'
import { DateTime, Id } from '../../kernel/http/input/fields.ts'
import { PageOf, paging, sorting } from '../../kernel/paging.ts'
import { STATES } from './rules.ts'

const clientId = Id('Client ID of the plugin')
const deliveryId = Id('Id of the delivery, which the plugin gets as `webhook-id`')
const state = (text: string) => ({ ...Id(text), enum: [...STATES] })

export const ListDeliveries = Type.Object({
  clientId,
  state: Type.Optional(state('Only those in this state')),
  sort: sorting(['created'], '-created'),
  ...paging,
})
export type ListDeliveries = Static<typeof ListDeliveries>
export const NameDelivery = Type.Object({ clientId, deliveryId })
export type NameDelivery = Static<typeof NameDelivery>
export const ReplayDeliveries = Type.Object({
  clientId,
  deliveryId: Type.Optional(Id('One delivery; otherwise send from and to')),
  from: Type.Optional(DateTime('Created at this moment or later')),
  to: Type.Optional(DateTime('Created before this moment')),
  state: Type.Optional(state('Only those in this state; `failed` by default for a range')),
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
    description: '`failed` ones wait until they are replayed; `replaced` ones were out of date before they arrived',
  }),
  attempts: Type.Integer({ description: 'How often it was sent' }),
  outcomes: Type.Array(Type.Enum(['taken', 'refused']), {
    description: 'Outcomes of the latest twelve attempts, oldest first',
  }),
  problem: OrNull('Why the last attempt failed'),
  createdDate: Moment,
  nextDate: OrNull('When the next delivery for the same request is sent', Moment),
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
        problem: OrNull('Why it counted as failed'),
      }),
      { description: 'Each attempt, latest first; at most 100' },
    ),
  },
  { title: 'DeliveryLog' },
)
export type DeliveryLog = Static<typeof DeliveryLog>

export const ReplayedDeliveries = Type.Object(
  {
    count: Type.Integer({ description: 'How many are queued again' }),
    more: Type.Boolean({ description: 'Whether there may be more in the range: if so, replay it again' }),
  },
  { title: 'ReplayedDeliveries' },
)
export type ReplayedDeliveries = Static<typeof ReplayedDeliveries>
