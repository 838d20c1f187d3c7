import { type Static, Type } from 'typebox'
import { DateTime, Id } from '../../kernel/http/input/fields.ts'
import { PageOf, paging, sorting } from '../../kernel/paging.ts'
import { STATES } from './rules.ts'

const clientId = Id('Client ID of the plugin')
const deliveryId = Id('Id of the delivery, which the plugin receives as `webhook-id`')
const state = (text: string) => ({ ...Id(text), enum: [...STATES] })

export const ListDeliveries = Type.Object({
  clientId,
  state: Type.Optional(state('Only deliveries in this state')),
  sort: sorting(['created'], '-created'),
  ...paging,
})
export type ListDeliveries = Static<typeof ListDeliveries>
export const NameDelivery = Type.Object({ clientId, deliveryId })
export type NameDelivery = Static<typeof NameDelivery>
export const ReplayDeliveries = Type.Object({
  clientId,
  deliveryId: Type.Optional(Id('Id of one delivery; otherwise send from and to')),
  from: Type.Optional(DateTime('Created at this time or later')),
  to: Type.Optional(DateTime('Created before this time')),
  state: Type.Optional(state('Only deliveries in this state; `failed` by default for a period')),
})
export type ReplayDeliveries = Static<typeof ReplayDeliveries>

const Moment = Type.String({ format: 'date-time' })
const OrNull = (text: string, schema: ReturnType<typeof Type.String> = Type.String()) =>
  Type.Union([schema, Type.Null()], { description: text })
const fields = {
  deliveryId: Type.String(),
  purpose: Type.String({ description: 'Purpose of the plugin URL that it is sent to' }),
  requestId: OrNull('Id of the ATO request that it is about'),
  state: Type.String({
    enum: [...STATES],
    description: '`failed` deliveries wait until they are resent; `replaced` ones were out of date before they arrived',
  }),
  attempts: Type.Integer({ description: 'Number of attempts' }),
  outcomes: Type.Array(Type.Enum(['taken', 'refused']), {
    description: 'Outcomes of the latest twelve attempts, oldest first',
  }),
  problem: OrNull('Why the last attempt failed'),
  createdDate: Moment,
  nextDate: OrNull('When the next delivery for the same request is sent', Moment),
  settledDate: OrNull('When it was delivered, failed or was replaced', Moment),
}
export const Delivery = Type.Object(fields, { title: 'Delivery' })
export type Delivery = Static<typeof Delivery>
export const DeliveryPage = PageOf(Delivery, 'DeliveryPage')

export const DeliveryLog = Type.Object(
  {
    ...fields,
    body: Type.Unknown({ description: 'The request body' }),
    log: Type.Array(
      Type.Object({
        number: Type.Integer(),
        date: Moment,
        uri: Type.String(),
        headers: Type.Record(Type.String(), Type.String(), {
          description: 'Headers of the request, without Authorization and webhook-signature',
        }),
        tookMs: Type.Integer(),
        status: Type.Union([Type.Integer(), Type.Null()]),
        answer: OrNull('The first 4096 characters of the response'),
        problem: OrNull('Why it counted as failed'),
      }),
      { description: 'All attempts, newest first; at most 100' },
    ),
  },
  { title: 'DeliveryLog' },
)
export type DeliveryLog = Static<typeof DeliveryLog>

export const ReplayedDeliveries = Type.Object(
  {
    count: Type.Integer({ description: 'Number of deliveries that are queued again' }),
    more: Type.Boolean({ description: 'Whether there may be more in the period: if so, resend it again' }),
  },
  { title: 'ReplayedDeliveries' },
)
export type ReplayedDeliveries = Static<typeof ReplayedDeliveries>
