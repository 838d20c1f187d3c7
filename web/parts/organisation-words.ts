export const organisationWords = {
  label: 'Organisation',
  none: 'You’re not a developer in any organisation yet',
  noneText: 'Ask an owner to make you a developer, or an administrator to create an organisation.',
  missing: 'Choose an organisation',
  noneFound: 'No results',
}
