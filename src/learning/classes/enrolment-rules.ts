export type Status = 'active' | 'suspended' | 'dropped'
export type Action = 'add' | 'drop' | 'suspend' | 'reinstate'

export const ACTIONS = ['add', 'drop', 'suspend', 'reinstate'] as const satisfies readonly Action[]

export const NO_STUDENT = 'is not a student of this class'

/**
 * The status of a student after an action by staff, or the reason for a refusal. Repeating an action is allowed,
 * because clients retry requests.
 */
export const OUTCOMES: Readonly<Record<Action, Readonly<Record<Status | 'none', Status | { refused: string }>>>> = {
  add: {
    none: 'active',
    active: 'active',
    suspended: { refused: 'is suspended; reinstate them instead' },
    dropped: 'active',
  },
  drop: { none: { refused: NO_STUDENT }, active: 'dropped', suspended: 'dropped', dropped: 'dropped' },
  suspend: {
    none: { refused: NO_STUDENT },
    active: 'suspended',
    suspended: 'suspended',
    dropped: { refused: 'was dropped; enrol them first' },
  },
  reinstate: { none: { refused: NO_STUDENT }, active: 'active', suspended: 'active', dropped: 'active' },
}

/** The past participle of each action, for audit entries and roster reports. */
export const PAST_PARTICIPLES = {
  add: 'added',
  drop: 'dropped',
  suspend: 'suspended',
  reinstate: 'reinstated',
} as const satisfies Record<Action, string>
