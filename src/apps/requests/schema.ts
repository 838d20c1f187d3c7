import { type Static, Type } from 'typebox'
import { Id, Whole } from '../../kernel/http/input/fields.ts'

export const ListRequests = Type.Object({
  clientId: Id('Client ID of the app'),
  status: Type.Optional(Id('Only responses with this status, such as `404`, or of this class, such as `4xx`', 3)),
  code: Type.Optional(Whole('Only errors with this code, such as 4042', 1, 999_999)),
  operation: Type.Optional(Id('Only requests of this operation, by its name in OpenAPI')),
  limit: Type.Optional(Whole('Entries per page. Default: 50', 1, 200)),
  cursor: Type.Optional(Id('Cursor of the page: `next` of the page before', 20)),
})
export type ListRequests = Static<typeof ListRequests>

const LoggedRequest = Type.Object(
  {
    date: Type.String({ format: 'date-time' }),
    operation: Type.String(),
    status: Type.Integer(),
    code: Type.Union([Type.Integer(), Type.Null()], { description: 'The error code, if it failed' }),
    ms: Type.Integer({ description: 'Milliseconds from arrival until the response was sent' }),
    requestId: Type.String({ description: '`x-request-id` of the response' }),
  },
  { title: 'LoggedRequest' },
)
export const RequestPage = Type.Object(
  {
    docs: Type.Array(LoggedRequest),
    next: Type.Union([Type.String(), Type.Null()], {
      description: 'The cursor of the next page; null on the last page',
    }),
    days: Type.Integer({ description: 'How long entries are kept; 0 if the log is off' }),
  },
  { title: 'RequestPage' },
)
export type RequestPage = Static<typeof RequestPage>
