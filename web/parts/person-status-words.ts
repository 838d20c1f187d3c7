/** The statuses of an account, as `person_status` in SQL names them. */
export const personStatuses = {
  active: 'Active',
  invited: 'Invited',
  expired: 'Invitation expired',
  uninvited: 'Not invited',
  disabled: 'Disabled',
}
