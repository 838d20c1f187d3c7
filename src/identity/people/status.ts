/** The statuses of an account, which `person_status` in SQL determines. */
export const PERSON_STATUSES = ['active', 'invited', 'expired', 'uninvited', 'disabled'] as const

export const STATUS_MEANING =
  '`invited` until they set a password or create a passkey with the link, `expired` if they did not do so in time, `uninvited` if no link was sent'
