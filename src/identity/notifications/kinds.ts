export type Mailing = 'now' | 'digest' | 'off'

/** A kind of notification, and how people who have chosen nothing get it by e-mail. */
interface Kind {
  readonly about: string
  /** Completes the sentence "You get this e-mail because …". */
  readonly why: string
  readonly email: Mailing
  /** True if people cannot turn the kind off, because it concerns their account. */
  readonly isFixed?: boolean
}

const defineKinds = <Name extends string>(kinds: Record<Name, Kind>): Readonly<Record<Name, Kind>> => kinds

export const KINDS = defineKinds({
  invited: {
    about: 'You are invited to an organisation or a class',
    why: 'somebody has invited you',
    email: 'now',
    isFixed: true,
  },
  assigned: { about: 'You are enrolled in a class', why: 'you are enrolled in a class', email: 'now' },
  unlocked: {
    about: 'A lesson opens for you, or you get another attempt',
    why: 'a lesson opened for you',
    email: 'off',
  },
  'due-soon': { about: 'A lesson is due within a day', why: 'one of your lessons is due soon', email: 'now' },
  overdue: { about: 'A lesson is overdue', why: 'one of your lessons is overdue', email: 'digest' },
  graded: { about: 'Your work is graded', why: 'your work was graded', email: 'now' },
  note: {
    about: 'An instructor writes a note about you',
    why: 'an instructor wrote a note about you',
    email: 'digest',
  },
  request: { about: 'A request of yours is decided', why: 'a request of yours was decided', email: 'now' },
  'delivery-failing': {
    about: 'A plugin of your organisation cannot be reached',
    why: 'you look after a plugin',
    email: 'now',
  },
  announcement: {
    about: 'An announcement to a class or an organisation',
    why: 'you belong to the class or organisation',
    email: 'now',
  },
})
export type NotificationKind = keyof typeof KINDS

export const KIND_NAMES = Object.keys(KINDS) as NotificationKind[]
