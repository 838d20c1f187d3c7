import { anyone, person } from '../../kernel/http/callers/callers.ts'
import { Nothing } from '../../kernel/http/input/fields.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { etagOf, hasAlready } from '../../kernel/http/output/etags.ts'
import { json, raw, success } from '../../kernel/http/output/output.ts'
import { CALENDAR_SECRET } from '../../kernel/samples.ts'
import { listCalendar, readAgenda } from './calendar.ts'
import { createCalendarFeed, deleteCalendarFeed, readCalendarFeed, readFeed } from './feed.ts'
import { Agenda, Calendar, CalendarFeed, ListCalendar, MAX_DAYS, NewCalendarFeed, ReadFeed } from './schema.ts'

const op = operationsIn({ area: 'Calendar', who: person })
const CALENDAR_TYPE = 'text/calendar; charset=utf-8'

export const calendarOperations: readonly Operation[] = [
  op('GET /edu/v1/agenda', {
    name: 'readAgenda',
    summary: 'Get your agenda',
    description:
      'Returns what the caller has to do: the next lesson of each class, what is overdue, what is due or opens in the next 14 days, what waits for a grade, and classes in which every lesson is passed. For instructors, it also has what waits in their classes. Each list has up to 20 entries; classes that have ended are left out.',
    example: { isLive: true },
    input: Nothing,
    output: json(Agenda),
    run: ({ db, who }) => readAgenda(db, who),
  }),
  op('GET /edu/v1/calendar', {
    name: 'listCalendar',
    summary: 'List dates of your classes',
    description: `Returns when lessons and classes open, are due and close, in up to ${MAX_DAYS} days and up to 1,000 entries: those that apply to the caller as a student, with their overrides, and the dates of classes that they teach or observe. A lesson without dates of its own is part of the entry of its parent lesson or of its class.`,
    example: { request: { from: '2026-11-01T00:00:00Z', to: '2026-12-01T00:00:00Z' }, isLive: true },
    input: ListCalendar,
    output: json(Calendar),
    isCompressible: true,
    errors: ['validationFailed'],
    run: ({ db, who }, input) => listCalendar(db, who, input),
  }),
  op('GET /edu/v1/calendar/feed', {
    name: 'readCalendarFeed',
    summary: 'Get your calendar address',
    description:
      'Returns whether the caller has an address for calendar programs, and when one last read it. The address itself is secret and is only shown when it is created.',
    example: { isLive: true },
    input: Nothing,
    output: json(CalendarFeed),
    run: ({ db, who }) => readCalendarFeed(db, who),
  }),
  op('POST /edu/v1/calendar/feed', {
    name: 'createCalendarFeed',
    summary: 'Create a calendar address',
    description:
      'Returns a secret address at which calendar programs can read the calendar of the caller (iCalendar, RFC 5545). Everybody who knows it can read the names and dates of their lessons and classes. An address that was created before stops working.',
    example: { isLive: true },
    input: Nothing,
    output: json(NewCalendarFeed),
    refusesIdempotencyKey: true,
    run: ({ db, who, environment }) => createCalendarFeed(db, who, environment),
  }),
  op('DELETE /edu/v1/calendar/feed', {
    name: 'deleteCalendarFeed',
    summary: 'Delete your calendar address',
    description: 'Deletes the secret address, which stops working at once. If there is none, nothing changes.',
    example: {},
    input: Nothing,
    output: success(),
    run: ({ db, who }) => deleteCalendarFeed(db, who),
  }),
  op('GET /calendar/{file}', {
    name: 'readCalendarFile',
    summary: 'Get a calendar file',
    description:
      'Returns the calendar of the person whose secret address this is, from a month ago to a year ahead and up to 1,000 events, in the format iCalendar (RFC 5545). Calendar programs call it with the address from createCalendarFeed. Wrong addresses, and those of disabled accounts, get 404.',
    example: {
      request: { file: `${CALENDAR_SECRET}.ics` },
      fill: { file: 'The last part of the address from createCalendarFeed' },
    },
    who: anyone,
    input: ReadFeed,
    requestHeaders: { 'If-None-Match': 'ETag of the copy that the program has. If it is current, the response is 304' },
    output: raw(
      {
        200: { about: 'The calendar', mediaTypes: ['text/calendar'] },
        304: { about: 'The copy of the program is current' },
      },
      { ETag: 'Changes with the calendar', 'Cache-Control': 'Private, for five minutes' },
    ),
    errors: ['notFound'],
    run: async ({ db, who, environment, request }, input) => {
      const body = await readFeed(db, who, input, environment)
      const headers = { etag: etagOf(body), 'cache-control': 'private, max-age=300' }
      if (hasAlready(request, headers.etag)) return { status: 304, headers }
      const disposition = { 'content-disposition': 'inline; filename="groundschool.ics"' }
      return { status: 200, headers: { ...headers, ...disposition, 'content-type': CALENDAR_TYPE }, body }
    },
  }),
]
