/** The status of a student in a class. */
export type Status = 'active' | 'suspended' | 'dropped'
export type Action = 'add' | 'drop' | 'suspend' | 'reinstate'

export const ACTIONS = ['add', 'drop', 'suspend', 'reinstate'] as const satisfies readonly Action[]

const NO_STUDENT = 'is not a student of this class'

/** What staff may make of a student: the status afterwards, or why not. The same status again is fine, because clients repeat themselves. */
export const OUTCOMES: Readonly<Record<Action, Readonly<Record<Status | 'none', Status | { refused: string }>>>> = {
  add: {
    none: 'active',
    active: 'active',
    suspended: { refused: 'is suspended; reinstate them' },
    dropped: 'active',
  },
  drop: { none: { refused: NO_STUDENT }, active: 'dropped', suspended: 'dropped', dropped: 'dropped' },
  suspend: {
    none: { refused: NO_STUDENT },
    active: 'suspended',
    suspended: 'suspended',
    dropped: { refused: 'was dropped; add them first' },
  },
  reinstate: { none: { refused: NO_STUDENT }, active: 'active', suspended: 'active', dropped: 'active' },
}

/** What each is called once it is done. */
export const DONE = {
  add: 'added',
  drop: 'dropped',
  suspend: 'suspended',
  reinstate: 'reinstated',
} as const satisfies Record<Action, string>
