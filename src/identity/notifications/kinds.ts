export type Mailing = 'now' | 'digest' | 'off'

/** A kind of notification, and how people who have chosen nothing get it by e-mail. */
interface Kind {
  readonly about: string
  readonly email: Mailing
  /** True if people cannot turn the kind off, because it concerns their account. */
  readonly isFixed?: boolean
}

const defineKinds = <Name extends string>(kinds: Record<Name, Kind>): Readonly<Record<Name, Kind>> => kinds

export const KINDS = defineKinds({
  invited: { about: 'You are invited to an organisation or a class', email: 'now', isFixed: true },
  assigned: { about: 'You are enrolled in a class', email: 'now' },
  unlocked: { about: 'A lesson opens for you, or you get another attempt', email: 'off' },
  'due-soon': { about: 'A lesson is due within a day', email: 'now' },
  overdue: { about: 'A lesson is overdue', email: 'digest' },
  graded: { about: 'Your work is graded', email: 'now' },
  note: { about: 'An instructor writes a note about you', email: 'digest' },
  request: { about: 'A request of yours is decided', email: 'now' },
  'delivery-failing': { about: 'A plugin of your organisation cannot be reached', email: 'now' },
  announcement: { about: 'An announcement to a class or an organisation', email: 'now' },
})
export type NotificationKind = keyof typeof KINDS

export const KIND_NAMES = Object.keys(KINDS) as NotificationKind[]
